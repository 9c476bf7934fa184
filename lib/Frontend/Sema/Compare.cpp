//===- Compare.cpp - comparisons ------------------------------------------===//

#include "Aggregates.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/ConstantFold.h"
#include "tritium/Frontend/Sema/DTypes.h"

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

static arith::CmpFPredicate floatPredicate(CompareOp op) {
  switch (op) {
  case CompareOp::Eq:
    return arith::CmpFPredicate::OEQ;
  case CompareOp::Ne:
    return arith::CmpFPredicate::UNE;
  case CompareOp::Lt:
    return arith::CmpFPredicate::OLT;
  case CompareOp::Le:
    return arith::CmpFPredicate::OLE;
  case CompareOp::Gt:
    return arith::CmpFPredicate::OGT;
  default:
    return arith::CmpFPredicate::OGE;
  }
}

static arith::CmpIPredicate intPredicate(CompareOp op, bool isSigned) {
  switch (op) {
  case CompareOp::Eq:
    return arith::CmpIPredicate::eq;
  case CompareOp::Ne:
    return arith::CmpIPredicate::ne;
  case CompareOp::Lt:
    return isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
  case CompareOp::Le:
    return isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule;
  case CompareOp::Gt:
    return isSigned ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt;
  default:
    return isSigned ? arith::CmpIPredicate::sge : arith::CmpIPredicate::uge;
  }
}

Tensor build::compare(Sema &sema, CompareOp op, const TensorPair &operands) {
  mlir::Value l = operands.lhs.value, r = operands.rhs.value, result;
  if (isFloat(operands.lhs.dtype))
    result = sema.builder().create<arith::CmpFOp>(sema.loc(), floatPredicate(op), l, r);
  else
    result = sema.builder().create<arith::CmpIOp>(
        sema.loc(), intPredicate(op, isSigned(operands.lhs.dtype)), l, r);
  return {result, {DTypeKind::Int1}};
}

/// Whether two values that are not both constants are the same thing.
static bool identical(const Value &a, const Value &b) {
  if (a.value.index() != b.value.index())
    return false;
  if (auto *f = a.getIf<Function>())
    return f->source == b.get<Function>().source;
  if (auto *l = a.getIf<Library>())
    return l->name == b.get<Library>().name;
  if (auto *t = a.getIf<BlockType>())
    return t->element == b.get<BlockType>().element && t->shape == b.get<BlockType>().shape;
  if (auto *m = a.getIf<frontend::External::Module>())
    return m->library == b.get<frontend::External::Module>().library &&
           m->scope == b.get<frontend::External::Module>().scope;
  if (auto *t = a.getIf<Tensor>())
    return t->value == b.get<Tensor>().value;
  return false;
}

/// Modules and functions of Python: each lookup finds them anew, so that nothing is known of
/// whether two are one.
static bool areOpaque(const Value &a, const Value &b) {
  using frontend::External;
  if (auto *m = a.getIf<External::Module>())
    return m->library.empty() && b.is<External::Module>() &&
           b.get<External::Module>().library.empty() && m->scope != b.get<External::Module>().scope;
  return a.is<External::HostFunction>() && b.is<External::HostFunction>();
}

static std::nullopt_t refuseOpaque(Sema &sema, const Value &a, const Value &b) {
  return sema.error("TypeError: " + describe(a) + " and " + describe(b) +
                    " are objects of Python, which a kernel cannot compare; compare what they "
                    "hold, such as .value, or pass the answer as a constexpr");
}

/// Pointers as unsigned addresses.
static std::optional<TensorPair> addresses(Sema &sema, const Value &lhs, const Value &rhs) {
  DType address{DTypeKind::UInt64};
  auto convert = [&](const Value &side) -> std::optional<Tensor> {
    auto *tensor = side.getIf<Tensor>();
    if (tensor && tensor->dtype.isPointer())
      return sema.cast(*tensor, address);
    return sema.error("TypeError: a pointer compares with a pointer only, found " + describe(lhs) +
                      " and " + describe(rhs));
  };
  auto l = convert(lhs);
  auto r = l ? convert(rhs) : std::nullopt;
  if (!r)
    return std::nullopt;
  return TensorPair{*l, *r};
}

static Result compareTensors(Sema &sema, CompareOp op, const Value &lhs, const Value &rhs) {
  auto isPointer = [](const Value &v) {
    auto *tensor = v.getIf<Tensor>();
    return tensor && tensor->dtype.isPointer();
  };
  std::string what = "'" + std::string(spelling(op)) + "'";
  auto pair =
      isPointer(lhs) || isPointer(rhs) ? addresses(sema, lhs, rhs) : sema.promote(lhs, rhs, what);
  if (pair && isFloat8(pair->lhs.dtype))
    return sema.error("TypeError: " + what + " is not defined on " + describeType(pair->lhs.dtype) +
                      "; convert with .to(tl.float16)");
  if (pair)
    pair = sema.broadcast(pair->lhs, pair->rhs);
  if (!pair)
    return std::nullopt;
  return Value(build::compare(sema, op, *pair));
}

/// `==` and `in` where an operand is neither a number nor a tensor.
static std::optional<bool> knownEqual(const Value &lhs, const Value &rhs) {
  auto lc = asConstant(lhs), rc = asConstant(rhs);
  if (lc && rc)
    return constantsEqual(*lc, *rc);
  auto isNumber = [](const Value &v, const std::optional<Constant> &c) {
    return v.is<Tensor>() || (c && floatOf(*c));
  };
  if (isNumber(lhs, lc) && isNumber(rhs, rc))
    return std::nullopt;
  auto *lt = lhs.getIf<Tuple>(), *rt = rhs.getIf<Tuple>();
  if (!lt || !rt)
    return identical(lhs, rhs);
  if (lt->elements.size() != rt->elements.size())
    return false;
  for (size_t i = 0; i < lt->elements.size(); ++i) {
    auto equal = knownEqual(lt->elements[i], rt->elements[i]);
    if (!equal.value_or(false))
      return equal;
  }
  return true;
}

static Result membership(Sema &sema, CompareOp op, const Value &item, const Value &container) {
  auto answer = [&](bool found) { return makeBool(found == (op == CompareOp::In)); };
  if (auto *dict = container.getIf<Dict>())
    if (auto key = asConstant(item))
      return answer(dict->find(*key) != nullptr);
  if (container.is<frontend::External::Module>()) {
    auto method = sema.attribute(container, "__contains__");
    auto found = method ? sema.call(*method, {{item}, {}}) : std::nullopt;
    return found ? Result(answer(asBool(*found).value_or(false))) : std::nullopt;
  }
  auto *tuple = container.getIf<Tuple>();
  if (!tuple)
    return sema.error("TypeError: '" + std::string(spelling(op)) +
                      "' needs a tuple or a string that is known at compile time, found " +
                      describe(container));
  for (const Value &element : tuple->elements) {
    if (areOpaque(item, element))
      return refuseOpaque(sema, item, element);
    auto equal = knownEqual(item, element);
    if (!equal)
      return sema.error("'" + std::string(spelling(op)) + "' is evaluated at compile time, but " +
                        describe(item) + " is known only at run time");
    if (*equal)
      return answer(true);
  }
  return answer(false);
}

Result Sema::compare(CompareOp op, const Value &lhs, const Value &rhs) {
  auto lc = asConstant(lhs), rc = asConstant(rhs);
  bool isMembership = op == CompareOp::In || op == CompareOp::NotIn;
  if (lc && rc && !(isMembership && rhs.is<frontend::External::Module>())) {
    std::string message;
    auto folded = foldCompare(op, *lc, *rc, message);
    if (!folded)
      return error(std::move(message));
    return fromConstant(*folded);
  }
  if (areOpaque(lhs, rhs))
    return refuseOpaque(*this, lhs, rhs);
  if (!isMembership && op != CompareOp::Is && op != CompareOp::IsNot &&
      (asAggregate(lhs) || asAggregate(rhs)))
    return compareAggregates(*this, op, lhs, rhs);
  switch (op) {
  case CompareOp::Is:
    return makeBool(identical(lhs, rhs));
  case CompareOp::IsNot:
    return makeBool(!identical(lhs, rhs));
  case CompareOp::In:
  case CompareOp::NotIn:
    return membership(*this, op, lhs, rhs);
  case CompareOp::Eq:
  case CompareOp::Ne:
    if (auto equal = knownEqual(lhs, rhs))
      return makeBool(*equal == (op == CompareOp::Eq));
    if (lhs.is<Tuple>())
      return error("tuples of tensors cannot be compared; compare their elements");
    return compareTensors(*this, op, lhs, rhs);
  default:
    return compareTensors(*this, op, lhs, rhs);
  }
}
