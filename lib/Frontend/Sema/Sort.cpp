//===- Sort.cpp - sort, topk, bitonic_merge -------------------------------===//
//
// Bitonic networks. Elements become integers ordered as they are (Keys), an extent becomes a power
// of two by what comes last in the order, and each step compares every element with the one whose
// place differs in one bit:
//
//   y = x[place ^ 2^bit]
//   x = bit of the place is set ? max(x, y) : min(x, y)
//
// In a run that is to be descending it is the other way round. Log2(n) stages sort runs of 2, 4, ..
// n, each from two runs of which the second is descending; stage s has s steps.
//
// The k first of n: runs of k, and then, as long as there is more than one, of each two
// neighbours (one of them descending) the smaller at each place. These are the k first of both,
// and bitonic: log2(k) steps sort them.
//
//===----------------------------------------------------------------------===//

#include "BuiltinSupport.h"
#include "Casts.h"
#include "Rearrange.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "llvm/Support/MathExtras.h"

#include <map>

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

namespace {
/// Elements as integers of the same order. A float's sign says whether greater bits are more or
/// less; NaNs, of whatever bits, come after all numbers, and -0 before 0.
class Keys {
public:
  Keys(Sema &sema, DType dtype, bool descending)
      : sema(sema), dtype(dtype), type(keyType(dtype)), descending(descending) {}

  Tensor of(const Tensor &x) {
    Tensor keys = isBool(dtype) ? *sema.cast(x, type) : *sema.bitcast(x, type);
    if (isFloat(dtype)) {
      Tensor isNan = build::compare(sema, CompareOp::Ne, {x, x});
      keys = build::select(sema, isNan, {greatest(x.shape()), foldSign(keys)});
    }
    return descending ? build::complement(sema, keys) : keys;
  }

  Tensor back(Tensor keys) {
    keys = descending ? build::complement(sema, keys) : keys;
    if (isFloat(dtype))
      keys = foldSign(keys);
    return isBool(dtype) ? *sema.cast(keys, dtype) : *sema.bitcast(keys, dtype);
  }

  /// What no key comes after.
  Tensor greatest(llvm::ArrayRef<int64_t> shape) {
    unsigned bits = type.bits() - isSigned(type);
    return *sema.constant({Constant::Int(llvm::maskTrailingOnes<uint64_t>(bits))}, type, shape);
  }

  Tensor chosen(bool isMax, const Tensor &x, const Tensor &y) {
    return {build::minMax(sema, isMax, false, type, x.value, y.value), type};
  }

private:
  static DType keyType(DType dtype) {
    if (isBool(dtype))
      return {DTypeKind::UInt8};
    return isFloat(dtype) ? integerType(dtype.bits(), true) : dtype;
  }

  /// Turns round what is below zero; its own inverse.
  Tensor foldSign(const Tensor &bits) {
    auto number = [&](uint64_t x) {
      return sema.constant({Constant::Int(x)}, type, bits.shape())->value;
    };
    mlir::OpBuilder &b = sema.builder();
    mlir::Value sign = b.create<arith::ShRSIOp>(sema.loc(), bits.value, number(type.bits() - 1));
    mlir::Value rest = number(llvm::maskTrailingOnes<uint64_t>(type.bits() - 1));
    sign = b.create<arith::AndIOp>(sema.loc(), sign, rest);
    return {b.create<arith::XOrIOp>(sema.loc(), bits.value, sign), type};
  }

  Sema &sema;
  DType dtype, type;
  bool descending;
};

class Network {
public:
  Network(Sema &sema, Keys &keys, const Tensor &x, int axis)
      : sema(sema), keys(keys), axis(axis), x(keys.of(x)), extent(x.shape()[axis]),
        bits(llvm::Log2_64_Ceil(extent)) {}

  bool isPadded() const { return !llvm::isPowerOf2_64(extent); }

  /// False after an error: the power of two is too many elements.
  bool pad() {
    if (!isPadded())
      return true;
    llvm::SmallVector<int64_t> shape(x.shape());
    shape[axis] = int64_t(1) << bits;
    if (!sema.checkShape(shape))
      return false;
    Tensor places = positionsAlong(sema, shape[axis], axis, shape.size());
    auto number = [&](int64_t i) {
      return *sema.constant({Constant::Int(i)}, places.dtype, places.shape());
    };
    Tensor known{
        sema.builder().create<arith::MinSIOp>(sema.loc(), places.value, number(extent - 1).value),
        places.dtype};
    Tensor isKnown = build::compare(sema, CompareOp::Lt, {places, number(extent)});
    x = build::select(sema, *sema.broadcastTo(isKnown, shape),
                      {gatherAlong(sema, x, axis, known), keys.greatest(shape)});
    return true;
  }

  /// Runs of 2^`run`, every second one descending, of which there are more than one.
  void sortRuns(unsigned run) {
    for (unsigned stage = 1; stage <= run; ++stage)
      merge(stage, stage);
  }

  /// Sorts bitonic runs of 2^`run`; descending where bit `direction` of the place is set.
  void merge(unsigned run, unsigned direction) {
    for (unsigned bit = run; bit-- > 0;) {
      Tensor y = exchangeAlong(sema, x, axis, int64_t(1) << bit);
      Tensor takesMax = bitOfPlace(bit);
      if (direction < bits)
        takesMax.value = sema.builder().create<arith::XOrIOp>(sema.loc(), takesMax.value,
                                                              bitOfPlace(direction).value);
      x = build::select(sema, takesMax, {keys.chosen(true, x, y), keys.chosen(false, x, y)});
    }
  }

  void sort() { sortRuns(bits); }

  /// The first 2^`run` of all, in order, to where they belong; what is behind them is of no use.
  void select(unsigned run) {
    sortRuns(run);
    for (unsigned other = run; other < bits; ++other) {
      x = keys.chosen(false, x, exchangeAlong(sema, x, axis, int64_t(1) << other));
      merge(run, other + 1);
    }
  }

  void mergeAll() { merge(bits, bits); }

  /// The first `count`, as elements.
  Tensor result(int64_t count) {
    return keys.back(x.shape()[axis] == count ? x : firstAlong(sema, x, axis, count));
  }

private:
  Tensor bitOfPlace(unsigned bit) {
    auto known = bitsOfPlaces.find(bit);
    if (known != bitsOfPlaces.end())
      return known->second;
    Tensor places = positionsAlong(sema, x.shape()[axis], axis, x.shape().size());
    auto number = [&](int64_t i) {
      return *sema.constant({Constant::Int(i)}, places.dtype, places.shape());
    };
    places.value = sema.builder().create<arith::AndIOp>(sema.loc(), places.value,
                                                        number(int64_t(1) << bit).value);
    Tensor isSet = build::compare(sema, CompareOp::Ne, {places, number(0)});
    return bitsOfPlaces.emplace(bit, *sema.broadcastTo(isSet, x.shape())).first->second;
  }

  Sema &sema;
  Keys &keys;
  int axis;
  Tensor x;
  int64_t extent;
  unsigned bits; ///< of a place, padding included
  std::map<unsigned, Tensor> bitsOfPlaces;
};

struct Sorted {
  Tensor x;
  int axis;
  bool descending;
  DType dtype; ///< of the result
};
} // namespace

/// 8-bit floats are sorted as float16, which has all of their numbers.
static Tensor asSortable(Sema &sema, const Tensor &x) {
  return isFloat8(x.dtype) ? *sema.cast(x, {DTypeKind::Float16}) : x;
}

static Result inType(Sema &sema, const Tensor &x, DType dtype) {
  return Value(is(dtype, DTypeKind::Float8E4B15) ? e4b15FromHalf(sema, x) : *sema.cast(x, dtype));
}

/// The common arguments, which `name` has in this order; absent after an error.
static std::optional<Sorted> readArguments(Sema &sema, const Value &value, const Value &dim,
                                           const Value &descending, std::string_view name) {
  auto x = sema.toTensor(value);
  if (!x)
    return std::nullopt;
  if (kindOf(x->dtype) == Kind::Other)
    return sema.error(displayName(name) + " is not defined on " + describe(value));
  if (x->isScalar())
    return sema.error(displayName(name) + " needs a tile, found " + describe(value));
  int64_t rank = static_cast<int64_t>(x->shape().size());
  auto axis = dim.isNone() ? std::optional<int>(static_cast<int>(rank) - 1)
                           : axisArgument(sema, dim, rank, "the dim of " + displayName(name));
  auto direction = axis ? constantBool(sema, descending, "'descending'") : std::nullopt;
  if (!direction)
    return std::nullopt;
  return Sorted{asSortable(sema, *x), *axis, *direction, x->dtype};
}

/// sort(x, dim, descending)
static Result sort(Sema &sema, const BoundArguments &args) {
  auto given = readArguments(sema, args[0], args[1], args[2], "sort");
  if (!given)
    return std::nullopt;
  Keys keys(sema, given->x.dtype, given->descending);
  Network network(sema, keys, given->x, given->axis);
  if (!network.pad())
    return std::nullopt;
  network.sort();
  return inType(sema, network.result(given->x.shape()[given->axis]), given->dtype);
}

/// bitonic_merge(x, dim, descending). What padding would make of a bitonic sequence is none.
static Result bitonicMerge(Sema &sema, const BoundArguments &args) {
  auto given = readArguments(sema, args[0], args[1], args[2], "bitonic_merge");
  if (!given)
    return std::nullopt;
  Keys keys(sema, given->x.dtype, given->descending);
  Network network(sema, keys, given->x, given->axis);
  if (network.isPadded())
    return sort(sema, args);
  network.mergeAll();
  return inType(sema, network.result(given->x.shape()[given->axis]), given->dtype);
}

/// topk(x, k, dim, descending)
static Result topk(Sema &sema, const BoundArguments &args) {
  auto given = readArguments(sema, args[0], args[2], args[3], "topk");
  auto k = given ? constantInt(sema, args[1], "the k of tl.topk") : std::nullopt;
  if (!k)
    return std::nullopt;
  int64_t extent = given->x.shape()[given->axis];
  if (*k < 1 || *k > extent)
    return sema.error("the k of tl.topk must be from 1 to the extent of dimension " +
                      std::to_string(given->axis) + ", which is " + std::to_string(extent) +
                      ", found " + std::to_string(*k));
  Keys keys(sema, given->x.dtype, given->descending);
  Network network(sema, keys, given->x, given->axis);
  if (!network.pad())
    return std::nullopt;
  network.select(llvm::Log2_64_Ceil(*k));
  return inType(sema, network.result(*k), given->dtype);
}

void sema::addSortBuiltins(Registry &registry) {
  registry.add("sort", "x, dim=None, descending=False", sort);
  registry.add("topk", "x, k, dim=None, descending=True", topk);
  registry.add("bitonic_merge", "x, dim=None, descending=False", bitonicMerge);
}
