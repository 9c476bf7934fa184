//===- ControlFlow.cpp - conditions, and values that cross branches -------===//

#include "Attributes.h"
#include "tritium/Frontend/Sema/ConstantFold.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Sema.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace tritium;
using namespace tritium::sema;

std::optional<std::variant<bool, mlir::Value>> Sema::truth(const Value &condition) {
  using Truth = std::variant<bool, mlir::Value>;
  if (auto *constantValue = condition.getIf<Constant>())
    return Truth(isTrue(*constantValue));
  if (auto *tuple = condition.getIf<Tuple>())
    return Truth(!tuple->elements.empty());
  if (auto *dict = condition.getIf<Dict>())
    return Truth(!dict->entries.empty());
  if (auto isSet = findAttribute(*this, condition, "<truth>"))
    return Truth(asBool(*isSet).value_or(true));
  auto *tensor = condition.getIf<Tensor>();
  if (!tensor)
    return Truth(true);
  if (tensor->numElements() != 1)
    return error("a condition must be a scalar, found " + describe(condition) +
                 "; use tl.where to choose element by element, or reduce it first");
  auto boolean = cast(item(*tensor), {DTypeKind::Int1});
  if (!boolean)
    return std::nullopt;
  return Truth(boolean->value);
}

/// A constant that becomes a tensor where the value must exist at run time.
static bool isNumber(const Value &value) {
  auto *constant = value.getIf<Constant>();
  return constant && floatOf(*constant);
}

/// The elements of a tuple, the entries of a dictionary.
template <typename V> static std::vector<V *> partsOf(V &value) {
  std::vector<V *> parts;
  if (auto *tuple = value.template getIf<Tuple>())
    for (V &element : tuple->elements)
      parts.push_back(&element);
  else if (auto *dict = value.template getIf<Dict>())
    for (auto &[key, entry] : dict->entries)
      parts.push_back(&entry);
  return parts;
}

/// Whether a part is a field that its aggregate declares a constexpr.
static bool isFixedField(const Value &value, size_t i) {
  auto *aggregate = asAggregate(value);
  if (!aggregate)
    return false;
  const Tuple &tuple = *aggregate;
  for (const AggregateClass::Field &field : tuple.aggregate->fields)
    if (field.name == tuple.names[i])
      return field.kind == "constexpr";
  return false;
}

/// Whether one may stand for the other, as far as their classes and the names of their fields say.
static bool sameClass(const Tuple &a, const Tuple &b) {
  if (a.names != b.names)
    return false;
  if (!a.aggregate || !b.aggregate)
    return !a.aggregate && !b.aggregate;
  return a.aggregate->labels == b.aggregate->labels;
}

/// Whether both have parts, which may stand for each other if their types allow it.
static bool sameForm(const Value &a, const Value &b) {
  auto *at = a.getIf<Tuple>(), *bt = b.getIf<Tuple>();
  if (at && bt)
    return at->elements.size() == bt->elements.size() && sameClass(*at, *bt);
  auto *ad = a.getIf<Dict>(), *bd = b.getIf<Dict>();
  return ad && bd && llvm::equal(ad->entries, bd->entries, [](const auto &x, const auto &y) {
           return x.first == y.first;
         });
}

Result Sema::materialize(const Value &value) {
  if (isNumber(value)) {
    auto tensor = toTensor(value);
    return tensor ? Result(Value(*tensor)) : std::nullopt;
  }
  Value result = value;
  for (const auto &[i, part] : llvm::enumerate(partsOf(result))) {
    if (isFixedField(value, i))
      continue;
    auto converted = materialize(*part);
    if (!converted)
      return std::nullopt;
    *part = std::move(*converted);
  }
  return result;
}

/// Whether two arrays have the same types, and blocks of one shape.
static bool sameArray(const BlockedArray &a, const BlockedArray &b) {
  if (a.base.dtype != b.base.dtype || a.blockShape != b.blockShape)
    return false;
  for (int64_t d = 0; d < a.rank(); ++d)
    if (a.shape[d].dtype != b.shape[d].dtype)
      return false;
  return true;
}

bool Sema::sameType(const Value &a, const Value &b) {
  if (auto *at = a.getIf<Tensor>(), *bt = b.getIf<Tensor>(); at && bt)
    return at->dtype == bt->dtype && at->shape() == bt->shape();
  if (auto *ad = a.getIf<Descriptor>(), *bd = b.getIf<Descriptor>(); ad && bd)
    return sameArray(*ad, *bd) && ad->padsWithNaN == bd->padsWithNaN;
  if (auto *ap = a.getIf<BlockPointer>(), *bp = b.getIf<BlockPointer>(); ap && bp)
    return sameArray(*ap, *bp) && ap->order == bp->order;
  if (blockedArray(a) || blockedArray(b))
    return false;
  if (sameForm(a, b))
    return llvm::all_of(llvm::zip_equal(partsOf(a), partsOf(b)), [&](const auto &parts) {
      return sameType(*std::get<0>(parts), *std::get<1>(parts));
    });
  if ((a.is<Tuple>() && b.is<Tuple>()) || (a.is<Dict>() && b.is<Dict>()))
    return false;
  if (auto ac = asConstant(a), bc = asConstant(b); ac && bc)
    return *ac == *bc;
  if (a.is<Tensor>() || b.is<Tensor>())
    return false;
  auto same = compare(CompareOp::Is, a, b);
  return same && asBool(*same).value_or(false);
}

/// A constant as a tensor of the type that the other side has, if it holds it.
static std::optional<Tensor> adopt(Sema &sema, const Value &value, const Tensor &like) {
  const Constant &constant = value.get<Constant>();
  DType own = std::holds_alternative<double>(constant.value) ? DType{DTypeKind::Float32}
              : std::holds_alternative<bool>(constant.value) ? DType{DTypeKind::Int1}
                                                             : DType{DTypeKind::Int32};
  if (!like.isScalar() || kindOf(own) > kindOf(like.dtype) || kindOf(like.dtype) == Kind::Other)
    return sema.toTensor(value);
  return sema.constant(constant, like.dtype);
}

bool Sema::unify(Value &a, mlir::OpBuilder::InsertPoint endOfA, Value &b,
                 mlir::OpBuilder::InsertPoint endOfB, std::string_view name) {
  mlir::OpBuilder::InsertionGuard guard(opBuilder);
  if (sameType(a, b))
    return true;
  std::vector<Value *> aParts = partsOf(a), bParts = partsOf(b);
  auto isMerged = [&](size_t i) { return !isFixedField(a, i) || sameType(*aParts[i], *bParts[i]); };
  if (sameForm(a, b) && llvm::all_of(llvm::seq<size_t>(0, aParts.size()), isMerged)) {
    for (auto [aPart, bPart] : llvm::zip_equal(aParts, bParts))
      if (!unify(*aPart, endOfA, *bPart, endOfB, name))
        return false;
    return true;
  }
  // Two different constants of one kind; ints may need different widths.
  if (isNumber(a) && isNumber(b) &&
      a.get<Constant>().value.index() == b.get<Constant>().value.index()) {
    opBuilder.restoreInsertionPoint(endOfA);
    auto ta = toTensor(a);
    opBuilder.restoreInsertionPoint(endOfB);
    auto tb = ta ? toTensor(b) : std::nullopt;
    auto common = tb ? commonType(ta->dtype, tb->dtype, false) : std::nullopt;
    if (!common)
      return false;
    if (ta->dtype != *common) {
      opBuilder.restoreInsertionPoint(endOfA);
      ta = constant(a.get<Constant>(), *common);
    }
    opBuilder.restoreInsertionPoint(endOfB);
    if (ta && tb->dtype != *common)
      tb = constant(b.get<Constant>(), *common);
    if (!ta || !tb)
      return false;
    a = *ta;
    b = *tb;
    return true;
  }
  bool aIsNumber = isNumber(a), bIsNumber = isNumber(b);
  if ((aIsNumber && b.is<Tensor>()) || (bIsNumber && a.is<Tensor>())) {
    Value &number = aIsNumber ? a : b;
    const Tensor &other = (aIsNumber ? b : a).get<Tensor>();
    opBuilder.restoreInsertionPoint(aIsNumber ? endOfA : endOfB);
    auto converted = adopt(*this, number, other);
    if (!converted)
      return false;
    Value before = number;
    number = *converted;
    if (sameType(a, b))
      return true;
    number = before;
  }
  auto withType = [](const Value &value) {
    auto *constant = value.getIf<Constant>();
    auto dtype = constant ? constantType(*constant) : std::nullopt;
    return dtype ? describeType(*dtype) + " (" + describe(value) + ")" : describe(value);
  };
  error("'" + std::string(name) + "' has different types on two paths: " + withType(a) + " and " +
        withType(b) + "; give it one type on every path");
  return false;
}

Result Sema::convertLike(const Value &value, const Value &like, std::string_view name) {
  if (sameType(value, like))
    return value;
  if (sameForm(value, like)) {
    Value result = value;
    for (auto [part, likePart] : llvm::zip_equal(partsOf(result), partsOf(like))) {
      auto converted = convertLike(*part, *likePart, name);
      if (!converted)
        return std::nullopt;
      *part = std::move(*converted);
    }
    return result;
  }
  if (auto *tensor = like.getIf<Tensor>(); tensor && isNumber(value)) {
    auto converted = adopt(*this, value, *tensor);
    if (!converted)
      return std::nullopt;
    if (sameType(*converted, like))
      return Value(*converted);
  }
  std::string advice = "; give it its final type before the loop";
  if (auto *tensor = value.getIf<Tensor>(); tensor && like.is<Tensor>())
    advice += tensor->isScalar()
                  ? ", or convert with .to(tl." + describeType(like.get<Tensor>().dtype) + ")"
                  : ", for example with tl.zeros(" + describeShape(tensor->shape()) + ", tl." +
                        describeType(tensor->dtype) + ")";
  return error("the type of '" + std::string(name) + "' changes in the loop: it enters as " +
               describe(like) + " and becomes " + describe(value) + advice);
}

Result Sema::loopBound(const Value &value, std::string_view what) {
  if (value.is<Constant>() && asInt(value) && !asBool(value))
    return value;
  auto *tensor = value.getIf<Tensor>();
  if (tensor && tensor->isScalar() && isInteger(tensor->dtype))
    return isBool(tensor->dtype) ? Result(Value(*cast(*tensor, {DTypeKind::Int32}))) : value;
  return error("the " + std::string(what) + " of a loop must be an integer scalar, found " +
               describe(value));
}

std::optional<std::vector<Value>> Sema::iterate(const Value &value) {
  if (auto *tuple = value.getIf<Tuple>(); tuple && !tuple->aggregate)
    return tuple->elements;
  std::vector<Value> elements;
  if (auto *dict = value.getIf<Dict>()) {
    for (const auto &[name, entry] : dict->entries)
      elements.push_back(fromConstant(name));
    return elements;
  }
  if (auto text = asString(value)) {
    for (char c : *text)
      elements.push_back(makeString(std::string(1, c)));
    return elements;
  }
  if (auto items = findAttribute(*this, value, "<items>"))
    if (auto *tuple = items->getIf<Tuple>())
      return tuple->elements;
  return error("cannot iterate over " + describe(value) +
               "; loops go over range, tl.range, tl.static_range and tuples");
}
