//===- Dot.cpp - matrix products ------------------------------------------===//

#include "Dot.h"
#include "BuiltinSupport.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "llvm/ADT/StringExtras.h"

using namespace tritium;
using namespace tritium::sema;

static bool isOperandType(DType dtype) {
  if (dtype.isPointer())
    return false;
  switch (dtype.kind) {
  case DTypeKind::Int8:
  case DTypeKind::UInt8:
  case DTypeKind::Float8E5:
  case DTypeKind::Float8E4NV:
  case DTypeKind::Float8E4B8:
  case DTypeKind::Float8E4B15:
  case DTypeKind::Float8E5B16:
  case DTypeKind::Float16:
  case DTypeKind::BFloat16:
  case DTypeKind::Float32:
  case DTypeKind::Float64:
    return true;
  default:
    return false;
  }
}

/// `input_precision`, or what `allow_tf32` stands for.
static std::optional<tt::InputPrecision> inputPrecision(Sema &sema, const Value &precision,
                                                        const Value &allowTf32) {
  if (!precision.isNone() && !allowTf32.isNone())
    return sema.error("tl.dot takes 'input_precision' or 'allow_tf32', not both");
  std::string text = sema.options().defaultInputPrecision;
  if (!allowTf32.isNone()) {
    auto allowed = constantBool(sema, allowTf32, "'allow_tf32'");
    if (!allowed)
      return std::nullopt;
    text = *allowed ? "tf32" : "ieee";
  } else if (!precision.isNone()) {
    auto given = constantString(sema, precision, "'input_precision'");
    if (!given)
      return std::nullopt;
    text = llvm::StringRef(*given).lower();
  }
  if (auto result = tt::symbolizeInputPrecision(text))
    return result;
  return sema.error("'input_precision' must be one of 'ieee', 'tf32', 'tf32x3', 'bf16x3', "
                    "'bf16x6', found '" +
                    text + "'");
}

/// The type of the product. The accumulator decides for halves when `out_dtype` does not.
static std::optional<DType> resultType(Sema &sema, DType operand, const Value &outDtype,
                                       const Value &acc) {
  std::optional<DType> out;
  if (!outDtype.isNone()) {
    out = dtypeArgument(sema, outDtype, "'out_dtype'");
    if (!out)
      return std::nullopt;
    if (is(*out, DTypeKind::BFloat16))
      return sema.error("tl.dot cannot accumulate in bfloat16; use out_dtype=tl.float32 and "
                        "convert the result");
  }
  if (operand.bits() == 8 && isInteger(operand))
    return DType{DTypeKind::Int32};
  if (is(operand, DTypeKind::Float64))
    return operand;
  if (!is(operand, DTypeKind::Float16) && !isFloat8(operand))
    return DType{DTypeKind::Float32};
  auto *tensor = acc.getIf<Tensor>();
  DType result = out ? *out : tensor ? tensor->dtype : DType{DTypeKind::Float32};
  if (is(result, DTypeKind::Float16) || is(result, DTypeKind::Float32))
    return result;
  return sema.error("the result of tl.dot on " + describeType(operand) +
                    " is float16 or float32, found " + describeType(result));
}

static bool checkOperands(Sema &sema, const Tensor &a, const Tensor &b) {
  auto complain = [&](std::string message) {
    sema.error(std::move(message));
    return false;
  };
  std::string both = describe(a) + " and " + describe(b);
  if (a.shape().size() < 2 || a.shape().size() != b.shape().size())
    return complain("tl.dot needs two tiles of rank 2, or of one higher rank, found " + both);
  if (!isOperandType(a.dtype) || !isOperandType(b.dtype))
    return complain("tl.dot works on int8, uint8, float8, float16, bfloat16, float32 and "
                    "float64, found " +
                    both + "; convert with .to()");
  if (a.dtype != b.dtype && !(isFloat8(a.dtype) && isFloat8(b.dtype)))
    return complain("the operands of tl.dot must have one type, found " + both +
                    "; convert one of them with .to()");
  llvm::ArrayRef<int64_t> l = a.shape(), r = b.shape();
  if (l.back() != r[r.size() - 2])
    return complain("the inner extents of tl.dot must agree: a is " + describeShape(l) + ", b is " +
                    describeShape(r) + ", so K is " + std::to_string(l.back()) + " against " +
                    std::to_string(r[r.size() - 2]));
  if (l.drop_back(2) != r.drop_back(2))
    return complain("the batch extents of tl.dot must agree, found " + both);
  return true;
}

/// Ranks above 3 have their leading dimensions flattened into one batch.
static Tensor flattenBatch(Sema &sema, const Tensor &x) {
  size_t rank = x.shape().size();
  if (rank <= 3)
    return x;
  int64_t rows = x.shape()[rank - 2], columns = x.shape()[rank - 1];
  return *sema.reshape(x, {x.numElements() / (rows * columns), rows, columns});
}

Tensor build::dot(Sema &sema, const Tensor &a, const Tensor &b, const Tensor &c,
                  tt::InputPrecision precision, uint32_t maxNumImpreciseAcc) {
  Tensor flatA = flattenBatch(sema, a), flatB = flattenBatch(sema, b),
         flatC = flattenBatch(sema, c);
  mlir::Value product = sema.builder().create<tt::DotOp>(
      sema.loc(), flatC.value.getType(), flatA.value, flatB.value, flatC.value, precision,
      maxNumImpreciseAcc, is(a.dtype, DTypeKind::UInt8));
  return *sema.reshape(Tensor{product, c.dtype}, c.shape());
}

std::optional<Tensor> sema::accumulator(Sema &sema, const Value &acc, DType dtype,
                                        llvm::ArrayRef<int64_t> shape, std::string_view what) {
  if (acc.isNone()) {
    if (!sema.checkShape(shape))
      return std::nullopt;
    return sema.constant({Constant::Int(0)}, dtype, shape);
  }
  auto tensor = sema.toTensor(acc);
  if (!tensor)
    return std::nullopt;
  if (tensor->shape() != shape || tensor->dtype != dtype)
    return sema.error("the accumulator of " + std::string(what) + " must be " +
                      describeType(dtype) + describeShape(shape) + ", found " + describe(acc));
  return tensor;
}

/// Whether no hardware multiplies it; float16 has all of its numbers.
static bool isWidened(DType dtype) {
  return isFloat8(dtype) && !is(dtype, DTypeKind::Float8E5) && !is(dtype, DTypeKind::Float8E4NV);
}

/// dot(input, other, acc, input_precision, allow_tf32, max_num_imprecise_acc, out_dtype)
static Result dot(Sema &sema, const BoundArguments &args) {
  auto a = sema.toTensor(args[0]);
  auto b = a ? sema.toTensor(args[1]) : std::nullopt;
  if (!b || !checkOperands(sema, *a, *b))
    return std::nullopt;
  if (isWidened(a->dtype) || isWidened(b->dtype)) {
    a = sema.cast(*a, {DTypeKind::Float16});
    b = sema.cast(*b, {DTypeKind::Float16});
  }
  auto precision = inputPrecision(sema, args[3], args[4]);
  auto dtype = precision ? resultType(sema, a->dtype, args[6], args[2]) : std::nullopt;
  auto imprecise = !dtype || args[5].isNone()
                       ? std::optional<int64_t>(0)
                       : constantInt(sema, args[5], "'max_num_imprecise_acc'");
  if (!dtype || !imprecise)
    return std::nullopt;
  if (*imprecise < 0 || *imprecise > a->shape().back())
    return sema.error("'max_num_imprecise_acc' must be in [0, K], found " +
                      std::to_string(*imprecise) +
                      " with K = " + std::to_string(a->shape().back()));
  llvm::SmallVector<int64_t> shape(a->shape());
  shape.back() = b->shape().back();
  auto c = accumulator(sema, args[2], *dtype, shape, "tl.dot");
  if (!c)
    return std::nullopt;
  // None at all is as few as there can be; who names no number leaves it open.
  uint32_t most = args[5].isNone() ? 0 : std::max<uint32_t>(1, *imprecise);
  return Value(build::dot(sema, *a, *b, *c, *precision, most));
}

void sema::addDotBuiltins(Registry &registry) {
  registry.add("dot",
               "input, other, acc=None, input_precision=None, allow_tf32=None, "
               "max_num_imprecise_acc=None, out_dtype=None",
               dot);
}
