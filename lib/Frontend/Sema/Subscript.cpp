//===- Subscript.cpp - x[...] ---------------------------------------------===//

#include "BuiltinSupport.h"

#include <algorithm>

using namespace tritium;
using namespace tritium::sema;

static bool isFull(const Slice &slice) { return !slice.begin && !slice.end && !slice.step; }

/// `x[:, None]`: None adds a dimension, `:` keeps one; dimensions that are not named
/// are kept.
static Result subscriptTensor(Sema &sema, const Tensor &base, llvm::ArrayRef<Value> indices) {
  size_t kept = 0;
  for (const Value &index : indices) {
    auto *slice = index.getIf<Slice>();
    if (slice && isFull(*slice))
      ++kept;
    else if (!index.isNone())
      return sema.error("a tile is subscripted with ':' and None only, found " + describe(index) +
                        "; to choose elements use tl.where with tl.sum, or load them again");
  }
  // A scalar has no dimension to keep: each None adds one, as it stands.
  size_t rank = base.shape().size();
  if (base.isScalar()) {
    llvm::SmallVector<int64_t> ones(indices.size() - kept, 1);
    auto result = sema.broadcastTo(base, ones);
    return result ? Result(Value(*result)) : std::nullopt;
  }
  if (kept > rank)
    return sema.error("too many subscripts: " + std::to_string(kept) +
                      " dimensions are named, but the shape is " + describeShape(base.shape()));
  Tensor result = base;
  for (size_t i = 0; i < indices.size(); ++i)
    if (indices[i].isNone())
      result = sema.expandDims(result, static_cast<int>(i));
  if (!sema.checkShape(result.shape()))
    return std::nullopt;
  return Value(result);
}

namespace {
struct Bounds {
  int64_t begin, end, step;
};
} // namespace

/// The elements that a slice of a sequence visits, as Python clamps them.
static std::optional<Bounds> sliceBounds(Sema &sema, const Slice &slice, int64_t length) {
  auto step = slice.step ? constantInt(sema, *slice.step, "the step of a slice") : 1;
  if (!step)
    return std::nullopt;
  if (*step == 0)
    return sema.error("the step of a slice must not be 0");
  int64_t low = *step > 0 ? 0 : -1, high = *step > 0 ? length : length - 1;
  auto part = [&](const std::shared_ptr<const Value> &value,
                  int64_t otherwise) -> std::optional<int64_t> {
    if (!value || value->isNone())
      return otherwise;
    auto i = constantInt(sema, *value, "a bound of a slice");
    if (!i)
      return std::nullopt;
    return *i < 0 ? std::max(*i + length, low) : std::min(*i, high);
  };
  auto begin = part(slice.begin, *step > 0 ? low : high);
  auto end = begin ? part(slice.end, *step > 0 ? high : low) : std::nullopt;
  if (!end)
    return std::nullopt;
  return Bounds{*begin, *end, *step};
}

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
    for (int64_t i = bounds->begin; bounds->step > 0 ? i < bounds->end : i > bounds->end;) {
      chosen.push_back(i);
      if (__builtin_add_overflow(i, bounds->step, &i))
        break;
    }
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
  auto *indices = index.getIf<Tuple>();
  if (auto *tensor = base.getIf<Tensor>())
    return subscriptTensor(*this, *tensor,
                           indices ? llvm::ArrayRef<Value>(indices->elements)
                                   : llvm::ArrayRef<Value>(index));
  if (auto *dict = base.getIf<Dict>()) {
    auto key = constantString(*this, index, "the key of a dictionary");
    if (!key)
      return std::nullopt;
    if (const Value *entry = dict->find(*key))
      return *entry;
    return error("KeyError: '" + *key + "'");
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
