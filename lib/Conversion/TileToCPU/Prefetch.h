//===- Prefetch.h - asking for what is read later ---------------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILETOCPU_PREFETCH_H
#define TRITIUM_LIB_CONVERSION_TILETOCPU_PREFETCH_H

#include "tritium/Conversion/TileToCPU/MicroKernel.h"

namespace tritium::cpu {

/// How near a line is fetched.
enum class FetchTo { FirstCache, SecondCache };

/// Asks for the lines of `rowBytes` bytes of each of `rows` rows, which begin at `at` (!llvm.ptr)
/// and are `rowStride` bytes (i64) apart.
void fetchRows(mlir::OpBuilder &b, mlir::Location loc, mlir::Value at, mlir::Value rowStride,
               int64_t rows, int64_t rowBytes, FetchTo to);

/// A block of a product of m rows and n columns: where it begins (index), and how many rows it has
/// and how many blocks a row of them.
struct BlockOfProduct {
  int64_t m, n;
  mlir::Value i, j;
  int64_t rows, blocksOfColumns;
};

/// Asks for the part of `tile` that is to the tile what the block is to the product.
void fetchPart(mlir::OpBuilder &b, mlir::Location loc, const UpcomingTile &tile,
               const BlockOfProduct &block);

/// Blocks go along rows of memory of `rowBytes` bytes, `rows` rows at a time, then along the rows
/// below. How far (bytes, i64) from what a block reads that lies which is read `ahead` bytes of a
/// row later: the CPU itself fetches ahead along few rows, and to the end of a page. The block
/// begins `column` bytes (i64) behind the beginnings of its rows.
mlir::Value distanceAhead(mlir::OpBuilder &b, mlir::Location loc, mlir::Value column,
                          mlir::Value rowStride, int64_t rows, int64_t rowBytes, int64_t ahead);

} // namespace tritium::cpu

#endif // TRITIUM_LIB_CONVERSION_TILETOCPU_PREFETCH_H
