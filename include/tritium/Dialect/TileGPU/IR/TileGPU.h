//===- TileGPU.h - the ttg dialect: layouts and operations ------*- C++ -*-===//
//
// Tile programs whose every tile has a layout. See TileGPUDialect.td, TileGPUAttrs.td for
// the layouts and TileGPUOps.td for the operations.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_DIALECT_TILEGPU_IR_TILEGPU_H
#define TRITIUM_DIALECT_TILEGPU_IR_TILEGPU_H

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Layout/Swizzle.h"
#include "tritium/Layout/TileLayout.h"
#include "tritium/Target/GPU/GPUModel.h"

#include "mlir/IR/BuiltinOps.h"

#include "tritium/Dialect/TileGPU/IR/TileGPUDialect.h.inc"

#include "tritium/Dialect/TileGPU/IR/TileGPUEnums.h.inc"
#include "tritium/Dialect/TileGPU/IR/TileGPUInterfaces.h.inc"
#include "tritium/Dialect/TileGPU/IR/TileGPUOpInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tritium/Dialect/TileGPU/IR/TileGPUAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tritium/Dialect/TileGPU/IR/TileGPUTypes.h.inc"

namespace tritium::ttg {

/// What prefetches change: no operation's result.
struct L2Cache : mlir::SideEffects::Resource::Base<L2Cache> {
  llvm::StringRef getName() final { return "L2Cache"; }
};

/// What CTAs take the numbers of programs from.
struct ProgramCounter : mlir::SideEffects::Resource::Base<ProgramCounter> {
  llvm::StringRef getName() final { return "ProgramCounter"; }
};

constexpr int kLanesPerWarp = 32;
/// Bytes that allocations of shared memory begin at multiples of, if they do not say more.
constexpr int kSharedAlignment = 16;
/// On a module: warps of a program, i32.
inline constexpr llvm::StringLiteral kNumWarps = "ttg.num-warps";
/// On a module: CTAs of a program, a cluster, i32; 1 if it does not say.
inline constexpr llvm::StringLiteral kNumCTAs = "ttg.num-ctas";
/// On an scf.if: its branches are versions of the same code for other alignments.
inline constexpr llvm::StringLiteral kVersions = "ttg.versions";
/// On a kernel: what its launches look at, a list of LaunchConditions, each an array of two
/// numbers a step: kind and bits, and the value.
inline constexpr llvm::StringLiteral kConditions = "tt.conditions";
/// On a kernel: by the place of a load or store, a list like the above of what only copies by TMA
/// there need.
inline constexpr llvm::StringLiteral kCopyConditions = "tt.copy_conditions";
/// On a kernel: the places, strings, of loads and stores that become no copies by TMA, as launches
/// break what those need.
inline constexpr llvm::StringLiteral kRefusedCopies = "tt.refused_copies";
/// On a kernel: loads run ahead of stores to other arguments, which must not overlap what they
/// read.
inline constexpr llvm::StringLiteral kOvertakes = "tt.overtakes";

/// On a kernel: its CTAs, of which launches start as many as run at once, loop over the programs of
/// the grid, whose extents are parameters behind all others.
inline constexpr llvm::StringLiteral kPersistent = "ttg.persistent";
/// On that loop: its iterations are programs, none of which waits for another or asks what it did.
inline constexpr llvm::StringLiteral kPrograms = "ttg.programs";
/// On such a kernel: its CTAs take the programs behind their first from a counter of the launch,
/// where it has one. Which one is a parameter behind the extents of the grid.
inline constexpr llvm::StringLiteral kProgramCounter = "ttg.program_counter";
/// On a kernel that loops over programs, i32: programs that a CTA runs at a time, each in a warp of
/// its own. To the kernel each is a CTA (`ttg.cta_id`, `ttg.num_ctas`).
inline constexpr llvm::StringLiteral kProgramsPerCTA = "ttg.programs_per_cta";
/// On such a kernel, i32: programs that each of these warps runs one after the other, if there are
/// many: as few CTAs are launched. Absent: one.
inline constexpr llvm::StringLiteral kProgramsPerWarp = "ttg.programs_per_warp";
/// On a kernel: dimensions of the grid along which the CTAs that begin first are the last programs.
inline constexpr llvm::StringLiteral kLastFirst = "ttg.last_first";
/// On such a kernel, whose ids count down along the first dimension and not along the second, i32,
/// a power of two: of the last rows of the grid that have together about so many programs, the last
/// program of each begins first, then the last but one of each.
inline constexpr llvm::StringLiteral kLongestOf = "ttg.longest_of";

/// On a loop: iterations that are under way at a time, i32, and buffers of what its copies bring,
/// if these are more, i32; on each operation of its body a ScheduleAttr; on the loads among them
/// that become asynchronous copies the layout of a buffer.
inline constexpr llvm::StringLiteral kStages = "ttg.stages";
inline constexpr llvm::StringLiteral kBuffers = "ttg.buffers";
/// On such a loop right in another one: copies for the next iteration of that start when it is
/// over.
inline constexpr llvm::StringLiteral kAcross = "ttg.across";
inline constexpr llvm::StringLiteral kSchedule = "ttg.schedule";
inline constexpr llvm::StringLiteral kAsyncCopy = "ttg.async_copy";

/// On an atomic: only the thread that has run it has its result; see ttg-plan-exchanges.
inline constexpr llvm::StringLiteral kResultOfOne = "ttg.result_of_one";

/// On operations in front of a dot, an OverlapAttr; on the dot, an InterleaveAttr.
inline constexpr llvm::StringLiteral kOverlap = "ttg.overlap";
inline constexpr llvm::StringLiteral kInterleave = "ttg.interleave";

/// On a kernel, i32: programs that a multiprocessor should run side by side.
inline constexpr llvm::StringLiteral kProgramsAtOnce = "ttg.programs_at_once";

/// On a module: a TargetAttr.
inline constexpr llvm::StringLiteral kTarget = "ttg.target";

/// What the GPU has that the module of `op` is for; of compute capability 8.0 if it does not say.
const GPUModel &gpuModel(mlir::Operation *op);

/// Warps that run what stands around `op`, or in it if it is a module: those of its warp group, or
/// of the program; 4 if the module does not say.
int numWarps(mlir::Operation *op);
/// What the module says, or else what is asked for.
int numWarps(mlir::ModuleOp module, int asked);
/// CTAs of the program that `op` is of.
int numCTAs(mlir::Operation *op);
/// Warps that are given their registers together.
inline constexpr int kWarpsWithRegisters = 4;
/// Warps that a program of `kernel` is launched with: those of its groups, with idle ones where
/// registers are given, or of the program.
int launchedWarps(tt::FuncOp kernel);
/// Programs that a CTA of `kernel` runs at a time.
int programsPerCTA(tt::FuncOp kernel);

/// The layout that `encoding` gives a tile of `shape`.
TileLayout layoutOf(mlir::Attribute encoding, llvm::ArrayRef<int64_t> shape);
/// The layout of a tile whose type has an encoding.
TileLayout layoutOf(mlir::RankedTensorType type);
/// Dimensions that a layout is for.
int64_t rankOf(mlir::Attribute encoding);
/// The dimensions of a layout, the one whose neighbours a lane holds first.
llvm::SmallVector<int32_t> orderOf(mlir::Attribute encoding);

/// A layout for tiles of `shape`: the last dimension fastest, or as `order` says, `vector`
/// elements a lane along the fastest where there are that many for every lane, lanes and
/// warps spread as far along it as they go.
BlockedEncodingAttr defaultLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape,
                                  int warps, llvm::ArrayRef<int32_t> order = {},
                                  int64_t vector = 1);

/// The layout of trans(x) for x of layout `encoding`; null if it has no name.
mlir::Attribute transposedLayout(mlir::Attribute encoding, llvm::ArrayRef<int32_t> order);
/// A parent whose slice along `dim` is `encoding`: its own if it is such a slice, else made
/// with one lane and one warp along dim. Null if it has no name.
mlir::Attribute expandedLayout(mlir::Attribute encoding, unsigned dim);
/// A layout of the tile `to` whose registers, lanes and warps hold what they hold of `from`
/// in `encoding`, both read in row-major order. Null if extents are not powers of two.
mlir::Attribute reshapedLayout(mlir::Attribute encoding, llvm::ArrayRef<int64_t> from,
                               llvm::ArrayRef<int64_t> to);
/// The layout of the source of a movement for a result in `layout`, and of the result for a source
/// in `layout`; null if it has no name, or elements are at any place of the source.
mlir::Attribute sourceLayout(tt::DataMovement op, mlir::Attribute layout);
mlir::Attribute resultLayout(tt::DataMovement op, mlir::Attribute layout);
/// The same map as an attribute.
LinearEncodingAttr toLinearEncoding(mlir::MLIRContext *context, const LinearLayout &core);

/// From flat elements of a tile in memory, which is one panel, to offsets in elements.
LinearLayout offsetsOf(MemDescType type);
/// A layout of a tile in shared memory from which tensor cores' fragments, and 16 bytes a
/// lane along the fastest dimension, are accessed without bank conflicts.
SharedEncodingAttr swizzledLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape,
                                  llvm::ArrayRef<int32_t> order, unsigned elementBytes);

/// Whether one thread runs an atomic for others, which want its result, too.
bool isRunForOthers(mlir::Operation *atomic);

/// The tile that `value` is by another name, or in another layout: a result of a body, converted,
/// or exchanged through shared memory. Null if it is not known to be one.
mlir::Value sameTile(mlir::Value value);
/// What the elements of `value` are elements of, whatever their places: the same tile, or the
/// source of a movement, through shared memory too. Null if it is not known to be one.
mlir::Value movedFrom(mlir::Value value);
/// `value` before all changes of its name and layout.
mlir::Value behindLayouts(mlir::Value value);

/// Whether tiles of `shape` lie at the same places in both.
bool sameLayout(mlir::Attribute a, mlir::Attribute b, llvm::ArrayRef<int64_t> shape);

} // namespace tritium::ttg

#define GET_OP_CLASSES
#include "tritium/Dialect/TileGPU/IR/TileGPUOps.h.inc"

#endif // TRITIUM_DIALECT_TILEGPU_IR_TILEGPU_H
