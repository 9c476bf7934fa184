//===- MicroKernel.h - register-blocked dot over packed scratch -*- C++ -*-===//

#ifndef TRITIUM_CONVERSION_TILETOCPU_MICROKERNEL_H
#define TRITIUM_CONVERSION_TILETOCPU_MICROKERNEL_H

#include "tritium/Target/CPU/TargetInfo.h"

#include "mlir/IR/Builders.h"

namespace tritium::cpu {

/// A row-major matrix, in scratch memory as a rule.
struct PackedMatrix {
  mlir::Value base;       ///< !llvm.ptr
  int64_t rowStride;      ///< elements between rows
  mlir::Value byteStride; ///< if set, bytes between rows (i64), known at run time only
  /// If set, the matrix is cut into panels of `rowStride` columns, a block of the kernel each, and
  /// so many rows, which stand one behind the other.
  int64_t panelRows = 0;
  mlir::Value isEmpty = {}; ///< if set (i1): where it is true, acc holds nothing yet
  /// If set, sums are loaded from acc, but stored from here on (!llvm.ptr), their rows so many
  /// bytes apart (i64).
  mlir::Value result = {}, resultStride = {};
};

/// How a product goes along k, and what it reads.
enum class DotForm : uint8_t {
  Single,         ///< one k after the other; operands of the accumulator's type
  BF16Pairs,      ///< VDPBF16PS, of AArch64 BFDOT: two k at once, bf16 into f32
  WordPairs,      ///< PMADDWD: two k at once, i16 that bytes were widened to, into i32
  SignedQuads,    ///< VPDPBUSD: four k at once, i8 into i32
  UnsignedQuads,  ///< the same of bytes without a sign
  SignedDots,     ///< SDOT of AArch64: four k at once, i8 into i32
  UnsignedDots,   ///< UDOT: the same of bytes without a sign
  BF16Blocks,     ///< BFMMLA of AArch64: four k of two rows and two columns at once
  SignedBlocks,   ///< SMMLA: the same of eight k, i8 into i32
  UnsignedBlocks, ///< UMMLA: the same of bytes without a sign
  HalfParts,      ///< BF16Pairs by AMX of fp16, each the sum of two bf16: four products, exact
  FloatParts,     ///< the same of fp32, rounded to two bf16: three products, without the least
};

/// Columns of a panel of so many columns at most, in lanes of which a register has `lanes`: what a
/// block of the kernel has.
int64_t panelLanes(const TargetInfo &target, DotForm form, int64_t lanes, int64_t columns);

constexpr int64_t kWidePanel = 4; ///< registers of columns, where the first-level cache is large

/// How many rows of `a` are multiplied at once. By two, so are two columns, and a register has
/// two by two sums.
inline int64_t rowsOf(DotForm form) {
  return form == DotForm::BF16Blocks || form == DotForm::SignedBlocks ||
                 form == DotForm::UnsignedBlocks
             ? 2
             : 1;
}

/// Whether operands are of bf16, as they are.
inline bool takesBF16(DotForm form) {
  return form == DotForm::BF16Pairs || form == DotForm::BF16Blocks;
}

/// How many k are multiplied at once: what as many lanes as rowsOf(form) hold.
inline int64_t groupOf(DotForm form) {
  switch (form) {
  case DotForm::Single:
    return 1;
  case DotForm::SignedQuads:
  case DotForm::UnsignedQuads:
  case DotForm::SignedDots:
  case DotForm::UnsignedDots:
  case DotForm::BF16Blocks:
    return 4;
  case DotForm::SignedBlocks:
  case DotForm::UnsignedBlocks:
    return 8;
  default:
    return 2;
  }
}

/// Of how many numbers an operand is the sum. Behind each row of `a` stands the row of its second
/// parts, behind the rows of each panel of b those of theirs.
inline int64_t partsOf(DotForm form) {
  return form == DotForm::HalfParts || form == DotForm::FloatParts ? 2 : 1;
}

/// VPDPBUSD multiplies bytes without a sign by such with one. What `a` holds is read with its
/// sign bits changed, 128 more or less than it is; the row of b's matrix behind its last group
/// holds what every sum starts from for that.
inline bool hasStartRow(DotForm form) {
  return form == DotForm::SignedQuads || form == DotForm::UnsignedQuads;
}

/// A matrix in memory that the product after this one will read.
struct UpcomingTile {
  mlir::Value base;      ///< !llvm.ptr, perhaps invalid
  mlir::Value rowStride; ///< i64, bytes
  int64_t rows = 0, rowBytes = 0;
};

/// Up to so many rows of a read a b in memory faster by few of its rows at a time.
constexpr int64_t kVeryFewRows = 4;

/// A b that is read where it lies, row-major, instead of being packed.
struct RowsInMemory {
  mlir::Value rowStride;    ///< i64, bytes
  int64_t elementBytes = 0; ///< in memory
  /// Reads a group of rows from an address in the first one on: as many registers of groups as a
  /// group has rows.
  llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value)> read;
  /// !llvm.ptr: room for the groups of a block's columns, which are read for the block's first rows
  /// and found here for the others (bytesOfSharedGroups).
  mlir::Value shared;
};

/// How much room RowsInMemory::shared needs for m rows and k columns of a; 0 if the rows are one
/// block.
int64_t bytesOfSharedGroups(const TargetInfo &target, DotForm form, int64_t m, int64_t k);

/// Emits acc[i,j] += sum_k a[i,k] * b[k,j] as loops (scf) around a register-blocked
/// kernel: 8 rows x 2 registers on AVX-512, what fits elsewhere; smaller blocks at the
/// edges. `element` is f32, f64 or i32, of all three matrices. Rows of b and acc are
/// padded to a multiple of `lanes` elements in memory, so whole registers may be read
/// and written there (padding lanes hold anything finite). Only `a` may have a byteStride, only b
/// stand in panels, only acc be empty or have a result. That is written in whole registers, too.
/// `fromZero`: acc is only written, as if it held zeros.
///
/// In other forms than Single, `a` holds narrower elements, and a group of k of one column of b
/// stands in one lane, or in as many as rowsOf(form): row g of its matrix is
/// b[g * group .. + group - 1, 0], then the same of column 1, ..; what k lacks to whole groups is
/// zero. Its rowStride counts lanes.
///
/// With `rows` they are read at b's base, by k in whole groups and n in whole registers of them:
/// for products of few rows, which would not make up for packing.
void emitDot(mlir::OpBuilder &builder, mlir::Location loc, const TargetInfo &target,
             mlir::Type element, int64_t m, int64_t n, int64_t k, PackedMatrix a, PackedMatrix b,
             PackedMatrix acc, bool fromZero = false, llvm::ArrayRef<UpcomingTile> upcoming = {},
             DotForm form = DotForm::Single, const RowsInMemory *rows = nullptr);

/// Whether AMX can, and should, do products of this form: whole tile registers, and enough of
/// them.
bool fitsTiles(DotForm form, int64_t m, int64_t n, int64_t k);

constexpr int64_t kBlockRows = 32; ///< that AMX multiplies by the same columns at once

/// How a product by AMX comes by the rows of its first operand.
struct RowsForTiles {
  /// Where so many rows from one on stand, and how far they are apart (byteStride); null: where
  /// they lie. Called in front of what multiplies them.
  llvm::function_ref<PackedMatrix(mlir::Value row, int64_t rows)> find = nullptr;
  /// If set, !llvm.ptr, perhaps invalid: where rows begin that will be read behind the last ones,
  /// as far apart as these. Each block of rows asks for the next one's.
  mlir::Value behind = {};
  /// If set (i64), the rows behind are so many bytes apart, those of the next product at the same
  /// places, and each block asks for its own there: so many bytes of a row in each step.
  mlir::Value behindStride = {};
  int64_t behindStepBytes = 0;
  /// If set, !llvm.ptr, perhaps invalid: where the panels stand, so many bytes, that b will be
  /// then.
  mlir::Value panelsBehind = {};
  int64_t panelsBehindBytes = 0;
};

/// What is done with blocks of sums, kBlockRows rows and columns each, by and by as AMX comes to
/// them. It must leave the tile registers' configuration alone.
struct BlocksOfSums {
  /// In front of a block's products, which add to what acc holds by then.
  llvm::function_ref<void(mlir::Value row, mlir::Value column)> prepare = nullptr;
  /// Behind them: the block is not stored to acc, but to `base`.
  llvm::function_ref<void(mlir::Value row, mlir::Value column)> take = nullptr;
  mlir::Value base = {}; ///< !llvm.ptr, of a dense block
};

/// The same as emitDot of one of the forms that fitsTiles, by AMX. b needs no row behind its
/// groups. Where something is done with blocks of sums, m and n are of whole ones.
void emitTileDot(mlir::OpBuilder &builder, mlir::Location loc, DotForm form, int64_t m, int64_t n,
                 int64_t k, PackedMatrix a, PackedMatrix b, PackedMatrix acc, bool fromZero,
                 const RowsForTiles &rowsOfA = {}, const BlocksOfSums &blocks = {});

/// Asks the system for the use of AMX: zero (i64) if the process may use it from now on.
mlir::Value emitTilePermission(mlir::OpBuilder &builder, mlir::Location loc);

/// Four products of bytes without a sign and bytes with one, added to each lane of `sums`.
mlir::Value emitByteDot(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value sums,
                        mlir::Value withoutSign, mlir::Value withSign);

/// Emits the transpose of square blocks by shuffles. Every run of `rows.size()` lanes of the
/// vectors, a power of two, holds the rows of one block; the same run of the results holds
/// its columns.
llvm::SmallVector<mlir::Value> emitTranspose(mlir::OpBuilder &builder, mlir::Location loc,
                                             llvm::ArrayRef<mlir::Value> rows);

} // namespace tritium::cpu

#endif // TRITIUM_CONVERSION_TILETOCPU_MICROKERNEL_H
