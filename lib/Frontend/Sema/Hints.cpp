//===- Hints.cpp - facts that the user vouches for ------------------------===//

#include "Hints.h"

#include "BuiltinSupport.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

/// A multiple that is stated of a kernel's argument outside of any branch or loop is a
/// fact about the argument.
static bool attachToArgument(const Tensor &tensor, const char *attribute, int32_t value,
                             mlir::OpBuilder &b) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(tensor.value);
  auto func =
      argument ? mlir::dyn_cast<tt::FuncOp>(argument.getOwner()->getParentOp()) : tt::FuncOp();
  if (!func || b.getInsertionBlock() != argument.getOwner() ||
      llvm::StringRef(attribute) != "tt.divisibility")
    return false;
  int64_t known = 1;
  if (auto attr = func.getArgAttrOfType<mlir::IntegerAttr>(argument.getArgNumber(), attribute))
    known = attr.getInt();
  int64_t both = std::lcm(known, static_cast<int64_t>(value));
  func.setArgAttr(argument.getArgNumber(), attribute,
                  b.getI32IntegerAttr(static_cast<int32_t>(both <= INT32_MAX ? both : value)));
  return true;
}

/// The fact holds where it is stated: it goes on the defining operation only if that stands
/// in the same block, and only if nothing else can share that operation; otherwise an
/// identity carries it.
static Tensor attachHint(Sema &sema, const Tensor &tensor, const char *attribute,
                         llvm::ArrayRef<int32_t> values) {
  if (sema.options().hints == HintUse::Ignored)
    return tensor;
  mlir::OpBuilder &b = sema.builder();
  if (attachToArgument(tensor, attribute, values[0], b))
    return tensor;
  mlir::Operation *op = tensor.value.getDefiningOp();
  bool attaches = op && op->getBlock() == b.getInsertionBlock() && op->getNumResults() == 1 &&
                  op->getNumRegions() == 0 && !op->hasTrait<mlir::OpTrait::ConstantLike>() &&
                  !op->hasAttr(attribute);
  Tensor result = tensor;
  if (!attaches) {
    op = b.create<tt::BitcastOp>(sema.loc(), tensor.value.getType(), tensor.value);
    result.value = op->getResult(0);
  }
  op->setAttr(attribute, b.getDenseI32ArrayAttr(values));
  return result;
}

void build::checkHint(Sema &sema, tt::HintKind kind, const Tensor &x,
                      llvm::ArrayRef<int64_t> values, const std::string &message) {
  if (sema.options().hints != HintUse::Checked)
    return;
  sema.builder().create<tt::CheckHintOp>(sema.loc(), kind, values, x.value, message,
                                         isSigned(x.dtype));
}

Tensor sema::stateMultiple(Sema &sema, const Tensor &scalar, int32_t divisor) {
  return attachHint(sema, scalar, "tt.divisibility", divisor);
}

/// What fails where the call that is compiled states what is not so.
static std::string doesNotHold(const Sema &sema) { return sema.text() + " does not hold"; }

static Result hint(Sema &sema, const BoundArguments &args, std::string_view name, tt::HintKind kind,
                   const char *attribute) {
  bool allowFloat = kind == tt::HintKind::CONSTANCY;
  if (!args[0].is<Tensor>() && !args[0].is<Constant>())
    return sema.error(displayName(name) + " needs a tensor, found " + describe(args[0]));
  auto tensor = sema.toTensor(args[0]);
  if (!tensor)
    return std::nullopt;
  if (!allowFloat && !isInteger(tensor->dtype) && !tensor->dtype.isPointer())
    return sema.error(displayName(name) + " is about integers and pointers, found " +
                      describe(args[0]));
  auto values = constantInts(sema, args[1], "the values of " + displayName(name));
  if (!values)
    return std::nullopt;
  size_t rank = std::max<size_t>(tensor->shape().size(), 1);
  if (values->size() != rank)
    return sema.error(displayName(name) + " needs one value for each dimension: " +
                      std::to_string(rank) + ", found " + std::to_string(values->size()));
  llvm::SmallVector<int32_t> narrow;
  for (int64_t value : *values) {
    if (value < 1 || value > INT32_MAX)
      return sema.error("the values of " + displayName(name) +
                        " must be positive 32-bit integers, found " + std::to_string(value));
    narrow.push_back(static_cast<int32_t>(value));
  }
  // A constant says it all itself. Else the check stands by the value that has the hint, and may
  // get others: how long a run is decides of which elements a multiple is asked.
  if (args[0].is<Tensor>())
    tensor = attachHint(sema, *tensor, attribute, narrow);
  build::checkHint(sema, kind, *tensor, *values, doesNotHold(sema));
  return args[0].is<Tensor>() ? Value(*tensor) : args[0];
}

static Result multipleOf(Sema &sema, const BoundArguments &args) {
  return hint(sema, args, "multiple_of", tt::HintKind::DIVISIBILITY, "tt.divisibility");
}

static Result maxContiguous(Sema &sema, const BoundArguments &args) {
  return hint(sema, args, "max_contiguous", tt::HintKind::CONTIGUITY, "tt.contiguity");
}

static Result maxConstancy(Sema &sema, const BoundArguments &args) {
  return hint(sema, args, "max_constancy", tt::HintKind::CONSTANCY, "tt.constancy");
}

/// Asserts each part of a conjunction. A comparison of integers reports its left side, or the
/// right one if the left is a constant.
static void assertHolds(Sema &sema, mlir::Value condition, const std::string &message) {
  mlir::OpBuilder &b = sema.builder();
  mlir::Operation *op = condition.getDefiningOp();
  if (auto both = llvm::dyn_cast_or_null<arith::AndIOp>(op)) {
    assertHolds(sema, both.getLhs(), message);
    return assertHolds(sema, both.getRhs(), message);
  }
  auto compare = llvm::dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare || tt::isTile(compare.getLhs().getType())) {
    b.create<tt::AssertOp>(sema.loc(), condition, message);
    return;
  }
  bool isLeft = !mlir::matchPattern(compare.getLhs(), mlir::m_Constant());
  bool isUnsigned = compare.getPredicate() >= arith::CmpIPredicate::ult;
  mlir::Value side = isLeft ? compare.getLhs() : compare.getRhs();
  if (!side.getType().isInteger(64))
    side = isUnsigned ? b.create<arith::ExtUIOp>(sema.loc(), b.getI64Type(), side).getResult()
                      : b.create<arith::ExtSIOp>(sema.loc(), b.getI64Type(), side).getResult();
  b.create<tt::AssertOp>(
      sema.loc(), condition, message + (isLeft ? ": the left side" : ": the right side"), side,
      isUnsigned ? tt::ReportKind::UNSIGNED : tt::ReportKind::SIGNED, llvm::ArrayRef<int64_t>());
}

static Result assume(Sema &sema, const BoundArguments &args) {
  auto condition = sema.truth(args[0]);
  if (!condition)
    return std::nullopt;
  if (auto *known = std::get_if<bool>(&*condition)) {
    if (*known)
      return Value();
    return sema.error("tl.assume of a condition that is false at compile time");
  }
  mlir::Value value = std::get<mlir::Value>(*condition);
  // What is checked is not taken for granted: that would decide the check.
  if (sema.options().hints == HintUse::Checked)
    assertHolds(sema, value, doesNotHold(sema));
  else if (sema.options().hints == HintUse::Assumed)
    sema.builder().create<tt::AssumeOp>(sema.loc(), value);
  return Value();
}

static Result debugBarrier(Sema &sema, const BoundArguments &) {
  sema.builder().create<mlir::gpu::BarrierOp>(sema.loc());
  return Value();
}

void sema::addHintBuiltins(Registry &registry) {
  registry.add("multiple_of", "input, values", multipleOf);
  registry.add("max_contiguous", "input, values", maxContiguous);
  registry.add("max_constancy", "input, values", maxConstancy);
  registry.add("assume", "cond", assume);
  registry.add("debug_barrier", "", debugBarrier);
}
