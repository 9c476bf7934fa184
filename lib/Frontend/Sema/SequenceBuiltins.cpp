//===- SequenceBuiltins.cpp - sum, any, zip, enumerate, sorted, pow -------===//
//
// Python's builtins over tuples, whose elements may be values of the kernel. What they give is a
// tuple, also where Python gives an iterator.
//
//===----------------------------------------------------------------------===//

#include "BuiltinSupport.h"
#include "tritium/Frontend/Sema/ConstantFold.h"

#include <algorithm>
#include <cmath>

using namespace tritium;
using namespace tritium::sema;

static std::optional<std::vector<Value>>
elements(Sema &sema, const Value &value, std::string_view function, std::string_view instead) {
  if (!value.is<Tensor>())
    return sema.iterate(value);
  return sema.error(std::string(function) + "() goes over a tuple, found " + describe(value) +
                    std::string(instead));
}

/// sum(values, start=0)
static Result sum(Sema &sema, const BoundArguments &args) {
  auto values = elements(sema, args[0], "sum", "; tl.sum adds the elements of a tile");
  if (!values)
    return std::nullopt;
  Value total = args[1];
  for (const Value &value : *values) {
    auto next = sema.binary(BinaryOp::Add, total, value);
    if (!next)
      return std::nullopt;
    total = std::move(*next);
  }
  return total;
}

/// any(values), all(values): the first known value that decides does, as in Python; values that
/// are not known are combined.
template <bool isAny> static Result anyOrAll(Sema &sema, const BoundArguments &args) {
  auto values = elements(sema, args[0], isAny ? "any" : "all",
                         isAny ? "; tl.max reduces a tile" : "; tl.min reduces a tile");
  if (!values)
    return std::nullopt;
  Value result = makeBool(!isAny);
  for (const Value &value : *values) {
    auto truth = sema.truth(value);
    if (!truth)
      return std::nullopt;
    if (auto *known = std::get_if<bool>(&*truth)) {
      if (*known == isAny)
        return makeBool(isAny);
      continue;
    }
    Value condition = Tensor{std::get<mlir::Value>(*truth), {DTypeKind::Int1}};
    if (!result.is<Tensor>()) {
      result = condition;
      continue;
    }
    auto both = sema.binary(isAny ? BinaryOp::BitOr : BinaryOp::BitAnd, result, condition);
    if (!both)
      return std::nullopt;
    result = std::move(*both);
  }
  return result;
}

static Result zip(Sema &sema, const BoundArguments &args) {
  std::vector<std::vector<Value>> columns;
  size_t rows = SIZE_MAX;
  for (const Value &arg : args[0].get<Tuple>().elements) {
    auto column = elements(sema, arg, "zip", "");
    if (!column)
      return std::nullopt;
    rows = std::min(rows, column->size());
    columns.push_back(std::move(*column));
  }
  Tuple result;
  for (size_t i = 0; !columns.empty() && i < rows; ++i) {
    Tuple row;
    for (const std::vector<Value> &column : columns)
      row.elements.push_back(column[i]);
    result.elements.emplace_back(std::move(row));
  }
  return Value(std::move(result));
}

/// enumerate(values, start=0)
static Result enumerate(Sema &sema, const BoundArguments &args) {
  auto values = elements(sema, args[0], "enumerate", "");
  auto start = values ? constantInt(sema, args[1], "the start of enumerate()") : std::nullopt;
  if (!start)
    return std::nullopt;
  Tuple result;
  for (size_t i = 0; i < values->size(); ++i) {
    Value number = makeInt(Constant::Int(*start) + static_cast<int64_t>(i));
    result.elements.emplace_back(Tuple{{std::move(number), std::move((*values)[i])}, {}});
  }
  return Value(std::move(result));
}

static Result reversed(Sema &sema, const BoundArguments &args) {
  auto values = elements(sema, args[0], "reversed", "; tl.flip reverses a tile");
  if (!values)
    return std::nullopt;
  std::reverse(values->begin(), values->end());
  return Value(Tuple{std::move(*values), {}});
}

/// sorted(values, reverse=False), stable.
static Result sorted(Sema &sema, const BoundArguments &args) {
  auto values = elements(sema, args[0], "sorted", "; tl.sort sorts a tile");
  auto isReverse = values ? constantBool(sema, args[1], "'reverse'") : std::nullopt;
  if (!isReverse)
    return std::nullopt;
  // Insertion, so that a comparison that is an error ends it.
  std::vector<Value> result;
  for (Value &value : *values) {
    size_t at = result.size();
    for (; at > 0; --at) {
      const Value &other = result[at - 1];
      auto isLess = *isReverse ? sema.compare(CompareOp::Lt, other, value)
                               : sema.compare(CompareOp::Lt, value, other);
      if (!isLess)
        return std::nullopt;
      auto known = asBool(*isLess);
      if (!known)
        return sema.error("sorted() sorts values that are known at compile time, found " +
                          describe(value.is<Tensor>() ? value : other));
      if (!*known)
        break;
    }
    result.insert(result.begin() + at, std::move(value));
  }
  return Value(Tuple{std::move(result), {}});
}

/// round(x): to the nearest int, halves to the even one.
static Result round(Sema &sema, const BoundArguments &args) {
  auto *constant = args[0].getIf<Constant>();
  auto number = constant ? floatOf(*constant) : std::nullopt;
  if (!number)
    return sema.error(
        "round() rounds compile-time numbers, found " + describe(args[0]) +
        (args[0].is<Tensor>() ? "; libdevice.rint rounds the elements of a tile" : ""));
  if (asInt(args[0]))
    return makeInt(*asInt(args[0]));
  if (!(std::fabs(*number) < 0x1p126))
    return sema.error("round() cannot convert " + describe(args[0]) + " to an int");
  return makeInt(static_cast<Constant::Int>(std::nearbyint(*number)));
}

static Result pow(Sema &sema, const BoundArguments &args) {
  return sema.binary(BinaryOp::Pow, args[0], args[1]);
}

static Result divmod(Sema &sema, const BoundArguments &args) {
  auto quotient = sema.binary(BinaryOp::FloorDiv, args[0], args[1]);
  auto rest = quotient ? sema.binary(BinaryOp::Mod, args[0], args[1]) : std::nullopt;
  return rest ? Result(Value(Tuple{{*quotient, *rest}, {}})) : std::nullopt;
}

/// slice(stop), slice(start, stop, step)
static Result slice(Sema &sema, const BoundArguments &args) {
  const auto &parts = args[0].get<Tuple>().elements;
  if (parts.empty() || parts.size() > 3)
    return sema.error("slice() takes one to three arguments, found " +
                      std::to_string(parts.size()));
  auto part = [&](size_t i) {
    return i < parts.size() ? std::make_shared<const Value>(parts[i]) : nullptr;
  };
  return parts.size() == 1 ? Value(Slice{nullptr, part(0), nullptr})
                           : Value(Slice{part(0), part(1), part(2)});
}

void sema::addSequenceBuiltins(Registry &registry) {
  registry.add("builtins.sum", "values, start=0", sum);
  registry.add("builtins.any", "values", anyOrAll<true>);
  registry.add("builtins.all", "values", anyOrAll<false>);
  registry.add("builtins.zip", "*values", zip);
  registry.add("builtins.enumerate", "values, start=0", enumerate);
  registry.add("builtins.reversed", "values", reversed);
  registry.add("builtins.sorted", "values, reverse=False", sorted);
  registry.add("builtins.round", "x", round);
  registry.add("builtins.pow", "x, y", pow);
  registry.add("builtins.divmod", "x, y", divmod);
  registry.add("builtins.slice", "*parts", slice);
  registry.add("slice", "*parts", slice);
}
