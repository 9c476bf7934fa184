//===- Blocks.h - blocks of arrays as pointers and masks --------*- C++ -*-===//
//
// What tensor descriptors and block pointers share: reading the description of an array,
// and turning one of its blocks into a tile of pointers and a mask.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_FRONTEND_SEMA_BLOCKS_H
#define TRITIUM_LIB_FRONTEND_SEMA_BLOCKS_H

#include "tritium/Frontend/Sema/Build.h"

namespace tritium::sema {

/// The pointers of a block, and which of them lie within the array (absent: all do).
struct BlockAccess {
  Tensor pointers;
  std::optional<Tensor> mask;
};

/// Where a block lies along one dimension of its array.
struct BlockIndex {
  Tensor start;          ///< the first element, an int64 scalar; or
  bool isList = false;   ///< `start` is a tile: the elements, one for each of the block
  bool isChecked = true; ///< what lies outside is masked off
};

/// The elements of a block of shape `blockShape`. `indices`: one for each dimension.
BlockAccess accessBlock(Sema &sema, const BlockedArray &array, llvm::ArrayRef<int64_t> blockShape,
                        llvm::ArrayRef<BlockIndex> indices);

/// Reads the description of an array; `what` names the function in errors.
std::optional<BlockedArray> readArray(Sema &sema, const Value &base, const Value &shape,
                                      const Value &strides, const Value &blockShape,
                                      std::string_view what);
/// The elements of a tuple; anything else counts as a tuple of one.
llvm::ArrayRef<Value> listOf(const Value &value);
/// One integer scalar for each of `rank` dimensions, as int64. `operand` names the list.
std::optional<std::vector<Tensor>> readOffsets(Sema &sema, const Value &offsets, int64_t rank,
                                               std::string_view operand, std::string_view what);
/// An integer as int64, without the wrap of sums and products of int32 that it is made of.
std::optional<Tensor> wideInteger(Sema &sema, const Value &value, std::string_view operand,
                                  std::string_view what);
/// The constant that an integer is, as far as is known by now.
std::optional<int64_t> knownInteger(const Tensor &value);

/// Whether elements outside of the array are NaN, and not zero. `allowsNone`: "" is one
/// more name for zero.
std::optional<bool> readPadding(Sema &sema, const Value &value, DType element, bool allowsNone,
                                std::string_view what);
/// Elements that are all padding.
Tensor padding(Sema &sema, DType element, llvm::ArrayRef<int64_t> shape, bool isNaN);

/// tl.load of a block pointer.
Result loadBlock(Sema &sema, const BlockPointer &pointer, const Value &boundaryCheck,
                 const Value &paddingOption, build::LoadOptions options);
/// tl.store through a block pointer.
Result storeBlock(Sema &sema, const BlockPointer &pointer, const Value &value,
                  const Value &boundaryCheck, tt::CacheModifier cache, tt::EvictionPolicy evict);
/// The value to write into a block, in its type. `what` names the function in errors.
std::optional<Tensor> blockValue(Sema &sema, const Value &value, DType element,
                                 llvm::ArrayRef<int64_t> blockShape, std::string_view what);

} // namespace tritium::sema

#endif // TRITIUM_LIB_FRONTEND_SEMA_BLOCKS_H
