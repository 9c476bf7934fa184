//===- Mma.h - what tensor cores multiply -----------------------*- C++ -*-===//
//
// Which dots mma.sync can do, and how its operands lie in registers. All shapes of mma.sync
// have the same fragments but for the elements of a register: lane 4 g + t holds `kWidth`
// neighbours along k from kWidth t, of the rows g and g + 8 of a, of column g of b, and the
// same 4 kWidth further on. Instructions that do less than 16 rows or both halves of k do
// their part of it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_DIALECT_TILEGPU_IR_MMA_H
#define TRITIUM_DIALECT_TILEGPU_IR_MMA_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include <array>
#include <optional>
#include <string>

namespace tritium::ttg {

struct MmaFragments {
  int64_t k;       ///< elements along k of a step: 8 kWidth
  unsigned kWidth; ///< neighbours of an operand that a lane holds
};

/// The fragments of `dot` on tensor cores of its module's target. None if they do not
/// have its element types and precision, or its extents are less than an instruction's.
std::optional<MmaFragments> mmaFragmentsFor(tt::DotOp dot);

/// Whether warp groups of a program of `warps` warps can do `dot` (wgmma): the target has the
/// instruction for its element types, and 64 rows are for four warps.
bool isForWarpGroups(tt::DotOp dot, int warps);
/// How many groups of four warps share rows and columns of a result of `m` x `n`, multiples of 64
/// and of 16: rows as far as they go. Nothing if not all have the same.
std::optional<std::array<int32_t, 2>> groupsAlong(int64_t m, int64_t n, int warps);
/// Empty, or why not, and what would change it.
std::string reasonAgainstWarpGroups(tt::DotOp dot, int warps);
/// Empty, or why not by its extents alone.
std::string reasonAgainstExtents(tt::DotOp dot, int warps);

/// Registers of 32 bits that a thread has of one program alone on a multiprocessor.
int64_t registersOfThread(mlir::ModuleOp module);
/// Registers of 32 bits that a tile takes of a thread; 0 of what is none.
int64_t wordsOf(mlir::Type type);

/// Words of registers that a lane needs in the midst of `loop` with a dot's `operand` in registers
/// that the loop does not change: for carried tiles, of which the results of dots that are carried
/// are some, the other dots' results, and the operand.
int64_t wordsBesideOperand(mlir::scf::ForOp loop, mlir::RankedTensorType operand);

/// How many products of 8-bit floats along k may be added up in a tensor core, which is imprecise,
/// before their sum goes to a register; 0: all.
uint32_t mostImprecise(tt::DotOp dot);
/// Whether the result of a dot of warp groups is worked on by other instructions before it is what
/// registers hold, so that it is waited for at once: sums of what is imprecise are added, pairs of
/// f16 taken apart.
bool isMadeOfParts(uint32_t mostImprecise, mlir::Type sum);

/// Whether a layout is that of a result of theirs.
bool isOfWarpGroups(mlir::Attribute encoding);
/// Whether they do `dot`.
bool isOfWarpGroups(tt::DotOp dot);
/// The dimension of `value`, a tile as it is loaded, along which such a dot multiplies it,
/// transposed or not; none if it is no operand of one.
std::optional<unsigned> depthForWarpGroups(mlir::Value value);
inline bool isOperandOfWarpGroups(mlir::Value value) {
  return depthForWarpGroups(value).has_value();
}
/// The tile before changes of its layout.
mlir::Value behindConversions(mlir::Value value);
/// Whether the result of `dot` is nothing but what its own sum of the next iteration begins with,
/// so that it can go on until then.
bool isCarriedSum(mlir::Operation *dot, mlir::Value c, mlir::Value result);

/// The layout of an operand of theirs, a tile of `shape`, whose neighbours in memory are neighbours
/// along dimension `fastest`: rows of up to 128 bytes, 16 bytes of which are exchanged by the
/// number of the row, stand one below the other; beside them, behind them in memory, the next such
/// panel. Extents that are no powers of two are as many times what of them is one, in panels whose
/// rows are what divides the tile's. None if no rows of 32 bytes do, or a panel has less than 8.
std::optional<SharedLinearEncodingAttr> panelLayout(mlir::MLIRContext *context,
                                                    llvm::ArrayRef<int64_t> shape, unsigned fastest,
                                                    unsigned elementBytes);
/// A layout in which threads hold as many elements of each panel of `memory`, of which `fastest` is
/// the dimension of neighbours, 16 bytes of a row each.
LinearEncodingAttr panelwiseLayout(MemDescType memory, unsigned fastest, int warps);
/// Bytes of a row of a panel: 128, 64 or 32; 0 if none of these divides the tile's row.
unsigned panelRowBytes(int64_t fastestExtent, unsigned elementBytes);

/// Whether instructions of warp groups take operands of `element` whose neighbours in memory are no
/// neighbours along k. Of other types they must be, and are turned where they are not.
bool takesAcrossDepth(mlir::Type element);
/// The layout in which threads bring an operand, which lies at `offsets` in shared memory, to
/// panels along `depth`. Each has blocks of 16 bytes along `depth`, chunks of a panel; where it
/// lies across, by the 4 bytes of a word. Lanes that access memory together have blocks in
/// different banks, on both sides where that can be.
LinearEncodingAttr turningLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape,
                                 const LinearLayout &offsets, unsigned depth, unsigned elementBytes,
                                 int warps);

} // namespace tritium::ttg

#endif // TRITIUM_DIALECT_TILEGPU_IR_MMA_H
