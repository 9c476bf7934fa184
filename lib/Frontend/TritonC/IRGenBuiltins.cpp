//===- IRGenBuiltins.cpp - functions that every unit has ------------------===//

#include "Generator.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"
#include "tritium/Frontend/Sema/Stops.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/STLExtras.h"

namespace tritium::frontend::tritonc {
using namespace tritium::sema;

struct Generator::Builtin {
  enum Family : uint8_t {
    Grid,
    Math,
    Extremum,
    Select,
    Atomic,
    Barrier,
    Dot,
    Transpose,
    Sum,
    Reshape,
    Breakpoint
  } family;
  std::string_view name;
  unsigned minArguments, maxArguments;
};

static constexpr unsigned kMaxRank = 16;

const Generator::Builtin *Generator::findBuiltin(std::string_view name) {
  static constexpr Builtin kBuiltins[] = {
      {Builtin::Grid, "get_program_id", 1, 1},
      {Builtin::Grid, "get_num_programs", 1, 1},
      {Builtin::Math, "exp", 1, 1},
      {Builtin::Math, "expf", 1, 1},
      {Builtin::Math, "log", 1, 1},
      {Builtin::Math, "logf", 1, 1},
      {Builtin::Math, "sqrt", 1, 1},
      {Builtin::Math, "sqrtf", 1, 1},
      {Builtin::Extremum, "min", 2, 2},
      {Builtin::Extremum, "max", 2, 2},
      {Builtin::Select, "select", 3, 3},
      {Builtin::Atomic, "atomic_cas", 3, 3},
      {Builtin::Atomic, "atomic_xchg", 2, 3},
      {Builtin::Atomic, "atomic_add", 2, 3},
      {Builtin::Atomic, "f32_atomic_add", 2, 3},
      {Builtin::Barrier, "__debug_barrier", 0, 0},
      {Builtin::Dot, "dot", 2, 3},
      {Builtin::Transpose, "trans", 1, 1 + kMaxRank},
      {Builtin::Sum, "__sum", 2, 2},
      {Builtin::Reshape, "__reshape", 2, 1 + kMaxRank},
      {Builtin::Breakpoint, "breakpoint", 0, 3},
  };
  auto found = llvm::find_if(kBuiltins, [&](const Builtin &b) { return b.name == name; });
  if (found != std::end(kBuiltins))
    return found;
  // atomic_add_float_64x64 and the like, which the C prelude pasted together.
  static constexpr Builtin kAtomicAdd = {Builtin::Atomic, "atomic_add", 2, 3};
  return llvm::StringRef(name).starts_with("atomic_add_") ? &kAtomicAdd : nullptr;
}

Generator::Value Generator::gridQuery(const Call &call, bool isCount) {
  auto axis = constantExpression(*call.arguments[0], "the axis of the grid");
  if (!axis)
    return std::nullopt;
  sema.setRange(call.range);
  if (*axis < 0 || *axis > 2)
    return error(call.arguments[0]->range,
                 "the axis of the grid must be 0, 1 or 2, found " + std::to_string(*axis));
  return isCount ? build::numPrograms(sema, static_cast<int>(*axis))
                 : build::programId(sema, static_cast<int>(*axis));
}

/// In float, or in double.
Generator::Value Generator::math(const Call &call, llvm::ArrayRef<Tensor> arguments) {
  const Tensor &operand = arguments[0];
  if (!isArithmetic(operand.dtype))
    return sema.error("'" + call.callee + "' needs a number, found " + describe(operand));
  DType dtype{operand.dtype == DType{DTypeKind::Float64} ? DTypeKind::Float64 : DTypeKind::Float32};
  mlir::Value value = conversions.convert(operand, dtype).value, result;
  mlir::Location loc = sema.loc();
  llvm::StringRef name = call.callee;
  if (name.starts_with("exp"))
    result = build::exp(sema, value);
  else if (name.starts_with("log"))
    result = builder.create<mlir::math::LogOp>(loc, value);
  else
    result = builder.create<mlir::math::SqrtOp>(loc, value);
  return fold({result, dtype});
}

/// The greater or smaller; halves are compared as they are, bfloat16 in float.
static Tensor minMax(Sema &sema, Conversions &conversions, bool isMax, TensorPair pair) {
  DType dtype = pair.lhs.dtype, in = dtype;
  if (in == DType{DTypeKind::BFloat16})
    in = {DTypeKind::Float32};
  Tensor l = conversions.convert(pair.lhs, in), r = conversions.convert(pair.rhs, in);
  Tensor result{build::minMax(sema, isMax, false, in, l.value, r.value), in};
  return conversions.convert(conversions.fold(result), dtype);
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// All of them acquire and release at the device's scope: what a lock protects is neither
/// read before it is taken nor written after it is given back.
Generator::Value Generator::atomic(const Call &call, llvm::ArrayRef<Tensor> arguments) {
  std::string name = "'" + call.callee + "'";
  const Tensor &pointer = arguments[0];
  if (!allowsEffect(call.range, /*isVariable=*/false, name))
    return std::nullopt;
  if (!pointer.dtype.isPointer())
    return sema.error(name + " needs a pointer as its first argument, found " + describe(pointer));
  if (pointer.dtype.isConst)
    return sema.error(name + " writes through a pointer to const");
  DType element = pointee(pointer.dtype);
  bool isCas = call.callee == "atomic_cas", isXchg = call.callee == "atomic_xchg";
  bool isInt = isInteger(element) && element.bits() >= 32;
  bool isAllowed = isInt || (isCas    ? isArithmetic(element) && element.bits() >= 16
                             : isXchg ? isFloat(element) && element.bits() >= 32
                                      : isFloat(element) && element.bits() >= 16);
  if (!isAllowed)
    return sema.error(name + " is not supported on '" + spelling({element, {}, false}) + "'");

  // Pointer and mask agree on a shape; values convert to it.
  Address at{pointer, {}};
  if (!isCas && arguments.size() == 3) {
    at.mask = conversions.truth(arguments[2]);
    auto both = at.mask ? masked(at) : std::nullopt;
    if (!both)
      return std::nullopt;
    at = *both;
  }
  Type type = typeOf(at.pointer);
  type.element = element;
  llvm::SmallVector<Tensor> operands;
  for (const Tensor &value : arguments.slice(1, isCas ? 2 : 1)) {
    auto converted = conversions.assign(value, type, "use the operand of an atomic");
    if (!converted)
      return std::nullopt;
    operands.push_back(*converted);
  }
  if (isCas)
    return build::atomicCAS(sema, at.pointer, operands[0], operands[1], {});
  tt::RMWOp op = isXchg ? tt::RMWOp::XCHG : isFloat(element) ? tt::RMWOp::FADD : tt::RMWOp::ADD;
  Tensor old = build::atomicRMW(sema, op, at.pointer, operands[0], at.mask, {});
  if (!at.mask)
    return old;
  // Lanes without an access have no old value.
  return fold(build::select(sema, *at.mask, {old, conversions.zero(type)}));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Generator::Value Generator::builtin(const Call &call, llvm::ArrayRef<Tensor> arguments) {
  const Builtin &builtin = *findBuiltin(call.callee);
  if (arguments.size() < builtin.minArguments || arguments.size() > builtin.maxArguments) {
    std::string wanted = std::to_string(builtin.minArguments);
    if (builtin.maxArguments != builtin.minArguments)
      wanted += " to " + std::to_string(builtin.maxArguments);
    return sema.error("'" + call.callee + "' takes " + wanted +
                      (builtin.maxArguments == 1 ? " argument" : " arguments") + ", found " +
                      std::to_string(arguments.size()));
  }
  switch (builtin.family) {
  case Builtin::Grid:
    return gridQuery(call, builtin.name == "get_num_programs");
  case Builtin::Math:
    return math(call, arguments);
  case Builtin::Extremum: {
    auto pair = conversions.usual(arguments[0], arguments[1], "'" + call.callee + "'");
    return pair ? Value(minMax(sema, conversions, builtin.name == "max", *pair)) : std::nullopt;
  }
  case Builtin::Select: {
    auto test = conversions.truth(arguments[0]);
    auto pair = test ? conversions.composite(arguments[1], arguments[2], "'select'") : std::nullopt;
    auto shape = pair ? conversions.commonShape(test->shape(), pair->lhs.shape()) : std::nullopt;
    if (!shape)
      return std::nullopt;
    Tensor l = conversions.splat(pair->lhs, *shape), r = conversions.splat(pair->rhs, *shape);
    return fold(build::select(sema, conversions.splat(*test, *shape), {l, r}));
  }
  case Builtin::Atomic:
    return atomic(call, arguments);
  case Builtin::Barrier:
    if (!allowsEffect(call.range, /*isVariable=*/false, "'" + call.callee + "'"))
      return std::nullopt;
    builder.create<mlir::gpu::BarrierOp>(sema.loc());
    return Tensor{};
  case Builtin::Dot: {
    auto type = productType(arguments[0], arguments[1]);
    if (!type || arguments.size() == 2)
      return type ? matmul(arguments[0], arguments[1], nullptr) : std::nullopt;
    if (typeOf(arguments[2]) == *type)
      return matmul(arguments[0], arguments[1], &arguments[2]);
    auto product = matmul(arguments[0], arguments[1], nullptr);
    return product ? binary(BinaryOp::Add, *product, arguments[2]) : std::nullopt;
  }
  case Builtin::Transpose:
    if (arguments.size() == 1)
      return transpose(arguments[0]);
    return permute(call, arguments[0]);
  case Builtin::Sum:
    return sumAlong(call, arguments[0]);
  case Builtin::Reshape:
    return reshape(call, arguments[0]);
  case Builtin::Breakpoint:
    return breakpoint(call);
  }
  return std::nullopt;
}

/// `__sum(x, axis)`: x[:, +] for axis 1 of 2.
Generator::Value Generator::sumAlong(const Call &call, const Tensor &tile) {
  auto axis = constantExpression(*call.arguments[1], "the axis of '__sum'");
  sema.setRange(call.range);
  if (!axis)
    return std::nullopt;
  if (*axis < 0 || *axis >= static_cast<int64_t>(tile.shape().size()))
    return sema.error("'__sum' has axis " + std::to_string(*axis) + ", which " + describe(tile) +
                      " does not have");
  return reduce(tile, static_cast<int>(*axis), SubscriptItem::Sum);
}

/// `__reshape(x, d0, d1, ...)`: the elements in row-major order.
Generator::Value Generator::reshape(const Call &call, const Tensor &tile) {
  llvm::SmallVector<int64_t> shape;
  for (const ExprPtr &argument : llvm::drop_begin(call.arguments)) {
    auto extent = constantExpression(*argument, "an extent of '__reshape'");
    if (!extent)
      return std::nullopt;
    shape.push_back(*extent);
  }
  sema.setRange(call.range);
  auto result = sema.reshape(tile, shape);
  return result ? Value(fold(*result)) : std::nullopt;
}

/// `breakpoint(x, y, z)`: a debugger stops this program, or each one, as far as it is said.
Generator::Value Generator::breakpoint(const Call &call) {
  llvm::SmallVector<int64_t, 3> pid;
  for (const ExprPtr &argument : call.arguments) {
    auto number = constantExpression(*argument, "the program that stops");
    if (!number)
      return std::nullopt;
    pid.push_back(*number);
  }
  sema.setRange(call.range);
  build::breakpoint(sema, pid);
  return Tensor{};
}

/// `trans(x, p0, p1, ...)`: x[^p0, ^p1, ...].
Generator::Value Generator::permute(const Call &call, const Tensor &tile) {
  llvm::SmallVector<int32_t> order;
  std::vector<bool> isNamed(tile.shape().size(), false);
  for (const ExprPtr &argument : llvm::drop_begin(call.arguments)) {
    auto axis = constantExpression(*argument, "an axis of a permutation");
    if (!axis)
      return std::nullopt;
    if (*axis < 0 || *axis >= static_cast<int64_t>(isNamed.size()) || isNamed[*axis])
      return error(argument->range, "a permutation must address every axis of " + describe(tile) +
                                        " once, found axis " + std::to_string(*axis));
    isNamed[*axis] = true;
    order.push_back(static_cast<int32_t>(*axis));
  }
  sema.setRange(call.range);
  if (order.size() != isNamed.size())
    return sema.error("a permutation must address every axis of " + describe(tile) + ", found " +
                      std::to_string(order.size()));
  return fold(sema.transpose(tile, order));
}

} // namespace tritium::frontend::tritonc
