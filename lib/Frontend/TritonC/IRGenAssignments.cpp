//===- IRGenAssignments.cpp - =, op=, ++ ----------------------------------===//
//
//   x = e;          the variable's value from here on is e, converted to its type
//   *p = e;         tt.store %p, %e
//   c += a @ b;     tt.dot %a, %b, %c
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

namespace tritium::frontend::tritonc {
using namespace tritium::sema;

/// Within an arm of `?:` only some lanes count. A function that is called there may assign
/// its own variables.
bool Generator::allowsEffect(SourceRange range, bool isVariable, std::string_view what) {
  if (isVariable ? arms == frame->armsAround : arms == 0)
    return true;
  error(range, std::string(what) +
                   " within an arm of '?:' or a predicated statement would happen for every "
                   "lane; use 'if', or a mask");
  return false;
}

bool Generator::allowsAssignment(LocalIndex local, SourceRange range) {
  const Local &to = locals[local];
  if (!to.isConst)
    return true;
  error(range, "'" + to.name + "' is const and cannot be assigned to");
  note(to.at, "it is declared here");
  return false;
}

bool Generator::assignVariable(LocalIndex local, const Tensor &value, SourceRange at) {
  sema.setRange(at);
  auto converted =
      conversions.assign(value, locals[local].type, "assign to '" + locals[local].name + "'");
  if (!converted)
    return false;
  set(local, converted->value);
  checkPromises(locals[local]);
  return true;
}

Generator::Value Generator::assign(const Assign &expr) {
  auto *elements = llvm::dyn_cast<Subscript>(expr.target.get());
  if (!allowsEffect(expr.range, elements || expr.target->kind == ExprKind::Name))
    return std::nullopt;
  if (elements)
    return assignElements(expr, *elements);
  if (auto *target = llvm::dyn_cast<Name>(expr.target.get())) {
    auto local = find(target->id);
    if (!local) {
      if (!tables.contains(target->id))
        return undeclared(*target);
      return error(expr.target->range, "a constant table cannot be assigned to");
    }
    if (!allowsAssignment(*local, expr.target->range))
      return std::nullopt;
    auto value = assignedValue(expr, [&] { return name(*target); });
    if (!value || !assignVariable(*local, *value, expr.range))
      return std::nullopt;
    return get(*local);
  }
  if (auto *target = llvm::dyn_cast<Dereference>(expr.target.get())) {
    // The order of the operands is not specified; memory is read before it is written.
    auto at = address(*target);
    if (!at)
      return std::nullopt;
    auto value = assignedValue(expr, [&] {
      sema.setRange(target->range);
      return load(*at);
    });
    sema.setRange(expr.range);
    return value ? store(*at, *value) : std::nullopt;
  }
  return error(expr.target->range, "this expression cannot be assigned to");
}

/// What `target = value` or `target op= value` assigns.
Generator::Value Generator::assignedValue(const Assign &expr,
                                          llvm::function_ref<Value()> oldValue) {
  if (!expr.op)
    return expression(*expr.value);
  auto *product = llvm::dyn_cast<Binary>(expr.value.get());
  if (expr.op == BinaryOp::Add && product && product->op == BinaryOp::MatMul) {
    auto a = expression(*product->lhs);
    auto b = a ? expression(*product->rhs) : std::nullopt;
    auto old = b ? oldValue() : std::nullopt;
    if (!old)
      return std::nullopt;
    sema.setRange(product->range);
    auto type = productType(*a, *b);
    if (!type)
      return std::nullopt;
    if (typeOf(*old) == *type)
      return matmul(*a, *b, &*old);
    auto value = matmul(*a, *b, nullptr);
    sema.setRange(expr.range);
    return value ? binary(BinaryOp::Add, *old, *value) : std::nullopt;
  }
  auto old = oldValue();
  auto value = old ? expression(*expr.value) : std::nullopt;
  sema.setRange(expr.range);
  return value ? binary(*expr.op, *old, *value) : std::nullopt;
}

Generator::Value Generator::step(const Step &expr) {
  auto *target = llvm::dyn_cast<Name>(expr.operand.get());
  if (!target)
    return error(expr.operand->range, "'++' and '--' apply to variables; write '+= 1' or '-= 1'");
  auto local = find(target->id);
  auto old = name(*target);
  if (!local || !old)
    return std::nullopt;
  if (!allowsEffect(expr.range, /*isVariable=*/true) ||
      !allowsAssignment(*local, expr.operand->range))
    return std::nullopt;
  sema.setRange(expr.range);
  Tensor one = conversions.constant({Constant::Int(1)}, {DTypeKind::Int32});
  auto value = binary(expr.isIncrement ? BinaryOp::Add : BinaryOp::Sub, *old, one);
  if (!value || !assignVariable(*local, *value, expr.range))
    return std::nullopt;
  return expr.isPrefix ? get(*local) : *old;
}

/// `@p x = e;` leaves x as it is where p is false, `@p *q = e;` stores where p is true.
void Generator::predicatedAssign(const Assign &expr, const Tensor &predicate) {
  auto *variable = llvm::dyn_cast<Name>(expr.target.get());
  auto *target = llvm::dyn_cast<Dereference>(expr.target.get());
  if (!variable && !target) {
    error(expr.target->range, "this expression cannot be assigned to");
    return;
  }
  if (!allowsEffect(expr.range, variable != nullptr))
    return;
  Value value;
  std::optional<Address> at;
  under(predicate, [&] {
    if (target && !(at = address(*target)))
      return;
    value = assignedValue(expr, [&]() -> Value {
      if (variable)
        return name(*variable);
      sema.setRange(target->range);
      return load(*at);
    });
  });
  if (!value)
    return;
  sema.setRange(expr.range);
  if (target) {
    at->mask = bothMasks(at->mask, predicate);
    if (at->mask)
      store(*at, *value);
    return;
  }
  auto local = find(variable->id);
  if (!local) {
    undeclared(*variable);
    return;
  }
  if (!allowsAssignment(*local, expr.target->range))
    return;
  const Local &to = locals[*local];
  auto converted = conversions.assign(*value, to.type, "assign to '" + to.name + "'");
  auto shape = converted ? conversions.commonShape(predicate.shape(), to.type.shape) : std::nullopt;
  if (!shape)
    return;
  if (*shape != llvm::SmallVector<int64_t>(to.type.shape.begin(), to.type.shape.end())) {
    sema.error("the predicate, " + describe(predicate) + ", does not broadcast to '" + to.name +
               "', which is '" + spelling(to.type) + "'");
    return;
  }
  Tensor test = conversions.splat(predicate, *shape);
  set(*local, fold(build::select(sema, test, {*converted, get(*local)})).value);
}

} // namespace tritium::frontend::tritonc
