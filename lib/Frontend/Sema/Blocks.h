//===- Blocks.h - blocks of arrays as pointers and masks --------*- C++ -*-===//
//
// What tensor descriptors and block pointers share: reading the description of an array, and
// moving one of its blocks. A block pointer is a descriptor of its array, made where it is
// accessed, and the offsets of the block; unlike a descriptor's its strides are free.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_FRONTEND_SEMA_BLOCKS_H
#define TRITIUM_LIB_FRONTEND_SEMA_BLOCKS_H

#include "tritium/Frontend/Sema/Build.h"

namespace tritium::sema {

/// Where an access moves a block: a `!tt.tensordesc`, and the block's first element as int64
/// scalars.
struct BlockPlace {
  mlir::Value descriptor;
  llvm::SmallVector<mlir::Value> indices;
  /// For each dimension, whether the block is known to lie within the array; empty: nowhere.
  llvm::SmallVector<bool> inBounds;
};

/// The array as a `!tt.tensordesc`.
Tensor describeArray(Sema &sema, const BlockedArray &array, bool padsWithNaN);
Tensor loadBlock(Sema &sema, const BlockedArray &array, const BlockPlace &place,
                 build::LoadOptions options = {});
/// `value` has the block's shape and the array's elements.
void storeBlock(Sema &sema, const BlockPlace &place, const Tensor &value,
                tt::CacheModifier cache = tt::CacheModifier::NONE,
                tt::EvictionPolicy evict = tt::EvictionPolicy::NORMAL);
/// Elements of an array as they come from memory, as the language knows them, and back.
Tensor fromMemory(Sema &sema, mlir::Value elements, DType element);
mlir::Value toMemory(Sema &sema, const Tensor &elements);

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

/// tl.load of a block pointer.
Result loadThrough(Sema &sema, const BlockPointer &pointer, const Value &boundaryCheck,
                   const Value &paddingOption, build::LoadOptions options);
/// tl.store through a block pointer.
Result storeThrough(Sema &sema, const BlockPointer &pointer, const Value &value,
                    const Value &boundaryCheck, tt::CacheModifier cache, tt::EvictionPolicy evict);
/// The value to write into a block, in its type. `what` names the function in errors.
std::optional<Tensor> blockValue(Sema &sema, const Value &value, DType element,
                                 llvm::ArrayRef<int64_t> blockShape, std::string_view what);

} // namespace tritium::sema

#endif // TRITIUM_LIB_FRONTEND_SEMA_BLOCKS_H
