//===- Subscript.cpp - x[...] ---------------------------------------------===//

#include "Aggregates.h"
#include "BuiltinSupport.h"
#include "tritium/Frontend/Sema/Indexing.h"

using namespace tritium;
using namespace tritium::sema;

/// Positions within a sequence of `length` that the subscript chooses; one, unless it
/// is a slice.
static std::optional<std::vector<size_t>> positions(Sema &sema, const Value &index, size_t length,
                                                    const Value &base) {
  int64_t n = static_cast<int64_t>(length);
  if (auto *slice = index.getIf<Slice>()) {
    auto bounds = sliceBounds(sema, *slice, n);
    if (!bounds)
      return std::nullopt;
    std::vector<size_t> chosen;
    for (int64_t i = 0; i < bounds->count; ++i)
      chosen.push_back(bounds->begin + i * bounds->step);
    return chosen;
  }
  auto i = constantInt(sema, index, "the subscript of a tuple");
  if (!i)
    return std::nullopt;
  if (*i < -n || *i >= n)
    return sema.error("subscript " + std::to_string(*i) + " is out of range for " + describe(base));
  return std::vector<size_t>{static_cast<size_t>(*i < 0 ? *i + n : *i)};
}

Result Sema::subscript(const Value &base, const Value &index) {
  if (asAggregate(base))
    return callOperator(*this, base, "__getitem__", {index}, "a subscript");
  auto *indices = index.getIf<Tuple>();
  if (auto *tensor = base.getIf<Tensor>())
    return readElements(*this, *tensor,
                        indices ? llvm::ArrayRef<Value>(indices->elements)
                                : llvm::ArrayRef<Value>(index));
  if (auto *dict = base.getIf<Dict>()) {
    auto key = asConstant(index);
    if (!key)
      return error("the key of a dictionary must be known at compile time, found " +
                   describe(index));
    if (const Value *entry = dict->find(*key))
      return *entry;
    return error("KeyError: " + key->repr());
  }
  if (auto *tuple = base.getIf<Tuple>()) {
    auto chosen = positions(*this, index, tuple->elements.size(), base);
    if (!chosen)
      return std::nullopt;
    if (!index.is<Slice>())
      return tuple->elements[chosen->front()];
    Tuple result;
    for (size_t i : *chosen)
      result.elements.push_back(tuple->elements[i]);
    return Value(std::move(result));
  }
  if (base.is<frontend::External::Module>()) {
    auto method = attribute(base, "__getitem__");
    return method ? call(*method, {{index}, {}}) : std::nullopt;
  }
  if (auto text = asString(base)) {
    auto chosen = positions(*this, index, text->size(), base);
    if (!chosen)
      return std::nullopt;
    std::string result;
    for (size_t i : *chosen)
      result += (*text)[i];
    return makeString(std::move(result));
  }
  return error(describe(base) + " cannot be subscripted");
}

Result Sema::assignSubscript(const Value &base, const Value &index, const Value &value) {
  auto *indices = index.getIf<Tuple>();
  if (auto *tensor = base.getIf<Tensor>())
    return writeElements(
        *this, *tensor,
        indices ? llvm::ArrayRef<Value>(indices->elements) : llvm::ArrayRef<Value>(index), value);
  return error("the elements of " + describe(base) +
               " cannot be assigned to; only those of a tile");
}
