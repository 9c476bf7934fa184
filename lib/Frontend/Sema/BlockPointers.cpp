//===- BlockPointers.cpp - block pointers ---------------------------------===//
//
//   p = tl.make_block_ptr(base, [M, N], [s, t], [i, j], [BM, BN], order=(1, 0))
//   x = tl.load(p, boundary_check=(0,), padding_option="zero")
//   p = tl.advance(p, [0, BN])
//
// Each access goes through a descriptor of the array that is made there, with the padding that
// the access names: zero where `padding_option` says nothing. Dimensions that `boundary_check`
// does not name are in bounds.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "BuiltinSupport.h"
#include "tritium/Frontend/Sema/DTypes.h"

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

static constexpr std::string_view kMake = "tl.make_block_ptr";

/// make_block_ptr(base, shape, strides, offsets, block_shape, order)
static Result makeBlockPointer(Sema &sema, const BoundArguments &args) {
  auto array = readArray(sema, args[0], args[1], args[2], args[4], kMake);
  if (!array)
    return std::nullopt;
  auto offsets = readOffsets(sema, args[3], array->rank(), "offsets", kMake);
  auto order =
      offsets ? constantInts(sema, args[5], "the order of " + std::string(kMake)) : std::nullopt;
  if (!order)
    return std::nullopt;
  llvm::SmallVector<int64_t> sorted(*order);
  llvm::sort(sorted);
  bool isPermutation = static_cast<int64_t>(sorted.size()) == array->rank();
  for (size_t d = 0; isPermutation && d < sorted.size(); ++d)
    isPermutation = sorted[d] == static_cast<int64_t>(d);
  if (!isPermutation)
    return sema.error("the order of " + std::string(kMake) + " must name each of the " +
                      std::to_string(array->rank()) + " dimensions once, from the fastest, found " +
                      describeShape(*order));
  return Value(
      BlockPointer{std::move(*array), std::move(*offsets), {order->begin(), order->end()}});
}

/// advance(base, offsets)
static Result advance(Sema &sema, const BoundArguments &args) {
  auto *pointer = args[0].getIf<BlockPointer>();
  if (!pointer)
    return sema.error("tl.advance moves block pointers, found " + describe(args[0]) +
                      "; add to other pointers with '+'");
  auto steps = readOffsets(sema, args[1], pointer->rank(), "offsets", "tl.advance");
  if (!steps)
    return std::nullopt;
  BlockPointer moved = *pointer;
  for (auto [offset, step] : llvm::zip(moved.offsets, *steps))
    if (knownInteger(step) != 0)
      offset.value = sema.builder().create<arith::AddIOp>(sema.loc(), offset.value, step.value);
  return Value(std::move(moved));
}

/// The block that `pointer` is at; dimensions that `boundaryCheck` does not name are in bounds.
static std::optional<BlockPlace> checkedBlock(Sema &sema, const BlockPointer &pointer,
                                              const Value &boundaryCheck, bool padsWithNaN,
                                              std::string_view what) {
  BlockPlace place;
  for (const Tensor &offset : pointer.offsets)
    place.indices.push_back(offset.value);
  place.inBounds.assign(pointer.rank(), true);
  auto checked = boundaryCheck.isNone() ? std::optional(llvm::SmallVector<int64_t>())
                                        : constantInts(sema, boundaryCheck,
                                                       "'boundary_check' of " + std::string(what));
  if (!checked)
    return std::nullopt;
  for (int64_t d : *checked) {
    if (d < 0 || d >= pointer.rank())
      return sema.error("'boundary_check' of " + std::string(what) + " names dimension " +
                        std::to_string(d) + ", but the block has the dimensions 0 to " +
                        std::to_string(pointer.rank() - 1));
    if (!place.inBounds[d])
      return sema.error("'boundary_check' of " + std::string(what) + " names dimension " +
                        std::to_string(d) + " twice");
    place.inBounds[d] = false;
  }
  place.descriptor = describeArray(sema, pointer, padsWithNaN).value;
  return place;
}

Result sema::loadThrough(Sema &sema, const BlockPointer &pointer, const Value &boundaryCheck,
                         const Value &paddingOption, build::LoadOptions options) {
  constexpr std::string_view what = "tl.load of a block pointer";
  auto isNaN = readPadding(sema, paddingOption, pointer.element(), /*allowsNone=*/true, what);
  auto place = isNaN ? checkedBlock(sema, pointer, boundaryCheck, *isNaN, what) : std::nullopt;
  return place ? Result(Value(loadBlock(sema, pointer, *place, options))) : std::nullopt;
}

Result sema::storeThrough(Sema &sema, const BlockPointer &pointer, const Value &value,
                          const Value &boundaryCheck, tt::CacheModifier cache,
                          tt::EvictionPolicy evict) {
  constexpr std::string_view what = "tl.store through a block pointer";
  auto place = checkedBlock(sema, pointer, boundaryCheck, /*padsWithNaN=*/false, what);
  auto stored =
      place ? blockValue(sema, value, pointer.element(), pointer.blockShape, what) : std::nullopt;
  if (!stored)
    return std::nullopt;
  storeBlock(sema, *place, *stored, cache, evict);
  return Value();
}

void sema::addBlockPointerBuiltins(Registry &registry) {
  registry.add("make_block_ptr", "base, shape, strides, offsets, block_shape, order",
               makeBlockPointer);
  registry.add("advance", "base, offsets", advance);
}
