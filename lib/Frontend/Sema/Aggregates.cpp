//===- Aggregates.cpp - classes with @triton.aggregate --------------------===//
//
// An aggregate is a tuple whose elements are its fields. The host says what a class is (question
// "<aggregate>"): its name, its label and those of the aggregates that it derives from, its fields
// with their kinds, its static functions, and whether it has an __init__, which "<init>" is.
//
//===----------------------------------------------------------------------===//

#include "Aggregates.h"

#include "Attributes.h"
#include "BuiltinSupport.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "llvm/ADT/STLExtras.h"

using namespace tritium;
using namespace tritium::sema;

static std::vector<std::string> textsOf(const Value &tuple) {
  std::vector<std::string> texts;
  for (const Value &text : tuple.get<Tuple>().elements)
    texts.push_back(asString(text).value_or(""));
  return texts;
}

std::shared_ptr<const AggregateClass> sema::aggregateClass(Sema &sema, const Value &object) {
  if (!object.is<frontend::External::Module>())
    return nullptr;
  auto answer = findAttribute(sema, object, "<aggregate>");
  if (!answer)
    return nullptr;
  const std::vector<Value> &parts = answer->get<Tuple>().elements;
  auto type = std::make_shared<AggregateClass>();
  type->name = *asString(parts[0]);
  type->labels = textsOf(parts[1]);
  for (const Value &field : parts[2].get<Tuple>().elements) {
    std::vector<std::string> texts = textsOf(field);
    type->fields.push_back({texts[0], texts[1]});
  }
  type->statics = textsOf(parts[3]);
  type->hasInit = asBool(parts[4]).value_or(false);
  type->object = std::make_shared<const Value>(object);
  return type;
}

/// The value as a field holds it: numbers are tensors in a field of a tensor.
static Result asField(Sema &sema, const AggregateClass &type, const AggregateClass::Field &field,
                      const Value &value) {
  auto refuse = [&](const std::string &wanted) {
    return sema.error("the field '" + field.name + "' of '" + type.name + "' is " + wanted +
                      ", found " + describe(value));
  };
  llvm::SmallVector<mlir::Value> runTime;
  flatten(value, runTime);
  if (field.kind == "constexpr")
    return runTime.empty() ? Result(value)
                           : refuse("declared tl.constexpr, which is known at compile time");
  if (field.kind == "tensor") {
    auto *constant = value.getIf<Constant>();
    if (!value.is<Tensor>() && !(constant && constantType(*constant)))
      return refuse("declared tl.tensor");
    auto tensor = sema.toTensor(value);
    return tensor ? Result(Value(*tensor)) : std::nullopt;
  }
  if (field.kind == "tuple" && !(value.is<Tuple>() && !asAggregate(value)))
    return refuse("declared a tuple");
  if (field.kind == "tensor_descriptor" && !value.is<Descriptor>())
    return refuse("declared tl.tensor_descriptor");
  constexpr std::string_view kKnown[] = {"", "tuple", "tensor_descriptor"};
  if (llvm::is_contained(kKnown, field.kind))
    return value;
  auto *other = asAggregate(value);
  return other && other->aggregate->isA(field.kind) ? Result(value)
                                                    : refuse("declared '" + field.kind + "'");
}

Result sema::withField(Sema &sema, const Tuple &aggregate, std::string_view name,
                       const Value &value) {
  const AggregateClass &type = *aggregate.aggregate;
  Tuple result{{}, {}, aggregate.aggregate};
  std::string known;
  bool isFound = false;
  for (const AggregateClass::Field &field : type.fields) {
    known += (known.empty() ? "'" : ", '") + field.name + "'";
    size_t at = llvm::find(aggregate.names, field.name) - aggregate.names.begin();
    std::optional<Value> next;
    if (field.name == name) {
      next = asField(sema, type, field, value);
      if (!next)
        return std::nullopt;
      isFound = true;
    } else if (at < aggregate.names.size()) {
      next = aggregate.elements[at];
    } else {
      continue;
    }
    result.names.push_back(field.name);
    result.elements.push_back(std::move(*next));
  }
  if (!isFound)
    return sema.error("'" + type.name + "' has no field '" + std::string(name) + "'; " +
                      (known.empty() ? "it has none" : "its fields are " + known) +
                      ", and an annotation in the class makes one");
  return Value(std::move(result));
}

Result Sema::withField(const Value &aggregate, std::string_view name, const Value &value) {
  return sema::withField(*this, *asAggregate(aggregate), name, value);
}

Result sema::construct(Sema &sema, const std::shared_ptr<const AggregateClass> &type,
                       const Arguments &arguments) {
  Value empty = Tuple{{}, {}, type};
  if (type->hasInit) {
    auto init = sema.attribute(*type->object, "<init>");
    if (!init)
      return std::nullopt;
    auto made = sema.initialize(init->get<Function>(), empty, arguments);
    if (!made)
      return std::nullopt;
    auto *aggregate = asAggregate(*made);
    if (!aggregate || aggregate->aggregate != type)
      return sema.error("__init__ of '" + type->name +
                        "' binds its first parameter anew; it sets the fields of the object that "
                        "it is given");
    for (const AggregateClass::Field &field : type->fields)
      if (!llvm::is_contained(aggregate->names, field.name))
        return sema.error("__init__ of '" + type->name + "' does not set the field '" + field.name +
                          "'; set all fields on every path");
    return made;
  }
  Tuple given;
  for (const AggregateClass::Field &field : type->fields)
    given.names.push_back(field.name);
  auto defaultOf = [&](const std::string &field) {
    return findAttribute(sema, *type->object, field);
  };
  if (!bindFields(sema, *type->object, arguments, given, defaultOf))
    return std::nullopt;
  Result result = empty;
  for (const auto &[name, value] : llvm::zip_equal(given.names, given.elements)) {
    result = withField(sema, result->get<Tuple>(), name, value);
    if (!result)
      return std::nullopt;
  }
  return result;
}

std::optional<Value> sema::aggregateAttribute(Sema &sema, const Value &aggregate,
                                              std::string_view name) {
  const AggregateClass &type = *asAggregate(aggregate)->aggregate;
  bool isField = llvm::any_of(
      type.fields, [&](const AggregateClass::Field &field) { return field.name == name; });
  if (isField || name.starts_with("<"))
    return std::nullopt; // one that __init__ has not set yet
  auto value = findAttribute(sema, *type.object, name);
  auto *function = value ? value->getIf<Function>() : nullptr;
  if (!function || llvm::is_contained(type.statics, name))
    return value;
  return Value(BoundMethod{{}, std::make_shared<const Value>(aggregate), function->source});
}

Result sema::callOperator(Sema &sema, const Value &aggregate, std::string_view method,
                          const Arguments &arguments, const std::string &what) {
  auto callee = aggregateAttribute(sema, aggregate, method);
  if (callee && callee->is<BoundMethod>())
    return sema.call(*callee, arguments);
  return sema.error("TypeError: " + what + " is not defined on " + describe(aggregate) +
                    "; its class needs a method " + std::string(method) + " with @triton.jit");
}

static std::string_view methodOf(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return "add__";
  case BinaryOp::Sub:
    return "sub__";
  case BinaryOp::Mul:
    return "mul__";
  case BinaryOp::TrueDiv:
    return "truediv__";
  case BinaryOp::FloorDiv:
    return "floordiv__";
  case BinaryOp::Mod:
    return "mod__";
  case BinaryOp::Pow:
    return "pow__";
  case BinaryOp::MatMul:
    return "matmul__";
  case BinaryOp::BitAnd:
    return "and__";
  case BinaryOp::BitOr:
    return "or__";
  case BinaryOp::BitXor:
    return "xor__";
  case BinaryOp::Shl:
    return "lshift__";
  case BinaryOp::Shr:
    return "rshift__";
  }
  return "";
}

Result sema::combineAggregates(Sema &sema, BinaryOp op, const Value &lhs, const Value &rhs) {
  std::string direct = "__" + std::string(methodOf(op)), swapped = "__r" + direct.substr(2);
  std::string what = "'" + std::string(spelling(op)) + "'";
  if (asAggregate(lhs) && (!asAggregate(rhs) || aggregateAttribute(sema, lhs, direct)))
    return callOperator(sema, lhs, direct, {rhs}, what);
  return callOperator(sema, rhs, swapped, {lhs}, what);
}

Result sema::compareAggregates(Sema &sema, CompareOp op, const Value &lhs, const Value &rhs) {
  auto methodFor = [](CompareOp compared) -> std::pair<const char *, const char *> {
    switch (compared) {
    case CompareOp::Eq:
      return {"__eq__", "__eq__"};
    case CompareOp::Ne:
      return {"__ne__", "__ne__"};
    case CompareOp::Lt:
      return {"__lt__", "__gt__"};
    case CompareOp::Le:
      return {"__le__", "__ge__"};
    case CompareOp::Gt:
      return {"__gt__", "__lt__"};
    default:
      return {"__ge__", "__le__"};
    }
  };
  auto [direct, swapped] = methodFor(op);
  std::string what = "'" + std::string(spelling(op)) + "'";
  return asAggregate(lhs) ? callOperator(sema, lhs, direct, {rhs}, what)
                          : callOperator(sema, rhs, swapped, {lhs}, what);
}

std::optional<bool> sema::isOfAggregate(Sema &sema, const Value &value, const Value &type) {
  auto wanted = aggregateClass(sema, type);
  if (!wanted)
    return std::nullopt;
  auto *aggregate = asAggregate(value);
  return aggregate && aggregate->aggregate->isA(wanted->labels.front());
}

/// aggregate_replace(instance, **changes)
static Result replaceFields(Sema &sema, const BoundArguments &args) {
  if (!asAggregate(args[0]))
    return sema.error("tl.aggregate_replace takes an aggregate, found " + describe(args[0]));
  Result result = args[0];
  for (const auto &[name, value] : args[1].get<Dict>().entries) {
    result = withField(sema, result->get<Tuple>(), std::get<std::string>(name.value), value);
    if (!result)
      return std::nullopt;
  }
  return result;
}

void sema::addAggregateBuiltins(Registry &registry) {
  registry.add("aggregate_replace", "instance, **changes", replaceFields);
}
