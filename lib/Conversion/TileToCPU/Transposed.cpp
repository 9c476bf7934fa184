//===- Transposed.cpp - assigning a tile that is read along another dimension -===//
//
// Where a matrix is contiguous in memory along its rows' dimension, it is first copied
// as it stands, then transposed from buffer to buffer. The second part is one function
// for all matrices of one shape. It gathers 128-bit pieces:
//
//   for blocks of rows (as many as a register has lanes) and of columns (a piece):
//     vector j = piece of row j, of row j + e, j + 2e, ..    e: elements of a piece
//     transpose the e x e blocks that one 128-bit lane of all e vectors is
//     column c of the piece = vector c
//
// Loading a piece into a part of a register is cheaper than moving data across its lanes.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tritium/Conversion/TileToCPU/MicroKernel.h"

using namespace mlir;

namespace tritium::cpu {

/// to[c, r] = from[r, c] for r < rows, c < columns. Rows of `from` are whole registers, or, where
/// their distance is known at run time only, whole pieces of 16 bytes, aligned in no way.
func::FuncOp Lowering::transposeFunction(Type element, int64_t rows, int64_t columns,
                                         std::optional<int64_t> fromStride, int64_t toStride) {
  std::string name;
  llvm::raw_string_ostream(name) << "transpose_" << rows << "x" << columns << "_" << element << "_"
                                 << (fromStride ? std::to_string(*fromStride) : "any") << "_"
                                 << toStride;
  return sharedFunction(name, 2, !fromStride, [&](Block::BlockArgListType arguments) {
    unsigned bytes = tt::scalarBytes(element);
    int64_t piece = 16 / bytes, lanesOfRegister = target.vectorBits / 8 / bytes;
    unsigned alignment = fromStride ? bytes : 1;
    auto pieceType = VectorType::get(piece, element);
    auto type = VectorType::get(lanesOfRegister, element);
    Value fromBytes = fromStride ? i64(*fromStride * bytes) : Value(arguments.back());
    auto address = [&](Value base, Value row, Value column, Value stride) {
      return gep(base, add(mul(row, stride), mul(column, bytes)));
    };
    auto emitBlock = [&](Value row, int64_t validRows, Value column, int64_t validColumns) {
      Value from = address(arguments[0], row, column, fromBytes);
      Value to = address(arguments[1], column, row, i64(toStride * bytes));
      SmallVector<Value> vectors;
      for (int64_t j = 0; j < piece; ++j) {
        Value lines = zeroOf(element, lanesOfRegister);
        for (int64_t r = j; r < validRows; r += piece) {
          Value part =
              b.create<LLVM::LoadOp>(loc, pieceType, gep(from, mul(fromBytes, r)), alignment);
          lines = piece == lanesOfRegister
                      ? part
                      : b.create<LLVM::vector_insert>(loc, type, lines, part, r - j).getResult();
        }
        vectors.push_back(lines);
      }
      SmallVector<Value> turned = emitTranspose(b, loc, vectors);
      for (int64_t c = 0; c < validColumns; ++c) {
        Value at = gep(to, i64(c * toStride * bytes));
        if (validRows == lanesOfRegister)
          b.create<LLVM::StoreOp>(loc, turned[c], at, bytes);
        else
          b.create<LLVM::MaskedStoreOp>(loc, turned[c], at, firstLanes(validRows, lanesOfRegister),
                                        bytes);
      }
    };
    forPieces(rows, lanesOfRegister, [&](Value row, int64_t validRows) {
      forPieces(columns, piece, [&](Value column, int64_t validColumns) {
        emitBlock(row, validRows, column, validColumns);
      });
    });
  });
}

void Lowering::emitTransposed(const Step &step) {
  emitSteps(step.before);
  const Buffer &buffer = *step.roots.front().buffer;
  const Buffer *copy = step.before.front().roots.front().buffer;
  ArrayRef<int64_t> shape = copy->shape;
  int64_t rank = shape.size();
  int64_t rows = shape[rank - 2], columns = shape[rank - 1], count = 1;
  for (int64_t d : shape.drop_back(2))
    count *= d;
  func::FuncOp function = transposeFunction(storageType(buffer.element), rows, columns,
                                            copy->rowStride, buffer.rowStride);
  int64_t bytes = tt::scalarBytes(buffer.element);
  auto matrix = [&](Value i) {
    b.create<func::CallOp>(
        loc, function,
        ValueRange{gep(bufferBase(*copy), mul(i, rows * copy->rowStride * bytes)),
                   gep(bufferBase(buffer), mul(i, columns * buffer.rowStride * bytes))});
  };
  if (count == 1)
    return matrix(i64(0));
  loop(i64(0), i64(count), 1, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
    matrix(i);
    return {};
  });
}

} // namespace tritium::cpu
