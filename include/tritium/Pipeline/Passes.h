//===- Passes.h - the order of the compiler's passes ------------*- C++ -*-===//

#ifndef TRITIUM_PIPELINE_PASSES_H
#define TRITIUM_PIPELINE_PASSES_H

#include "mlir/Pass/PassOptions.h"

#include <memory>

namespace mlir {
class DialectRegistry;
class OpPassManager;
class Pass;
} // namespace mlir

namespace tritium {

/// The dialects that ttir is made of.
void registerTileDialects(mlir::DialectRegistry &registry);

/// From what the front end builds to what the targets take: calls inlined, canonical,
/// invariants out of loops. Runs on a module.
void buildTileIRPipeline(mlir::OpPassManager &pm);

/// From ttir with tensor descriptors to ttir of pointers, for targets that do not copy blocks. Runs
/// on a module.
void buildPointerPipeline(mlir::OpPassManager &pm);

struct GPUPipelineOptions : mlir::PassPipelineOptions<GPUPipelineOptions> {
  Option<int> numWarps{*this, "num-warps", llvm::cl::desc("Warps of a program"), llvm::cl::init(4)};
  Option<unsigned> capability{*this, "compute-capability",
                              llvm::cl::desc("What the module is for: 80 for sm_80"),
                              llvm::cl::init(80)};
  Option<bool> isSpecific{*this, "architecture-specific",
                          llvm::cl::desc("Code may use what newer architectures do not have"),
                          llvm::cl::init(false)};
  Option<int> splitK{*this, "split-k",
                     llvm::cl::desc("Parts of a program that adds up over a loop; 1: it is whole"),
                     llvm::cl::init(1)};
  Option<bool> streamK{*this, "stream-k",
                       llvm::cl::desc("Programs that add up over a loop may share their rounds out "
                                      "among CTAs that loop over programs"),
                       llvm::cl::init(false)};
  Option<int> numStages{*this, "num-stages", llvm::cl::desc("Buffers of a pipelined loop"),
                        llvm::cl::init(3)};
  Option<int> mostStages{*this, "most-stages",
                         llvm::cl::desc("No loop gets more, whatever it asks for; 0: any number"),
                         llvm::cl::init(0)};
  Option<bool> mayAlias{*this, "may-alias",
                        llvm::cl::desc("Pointer arguments may reach the same memory"),
                        llvm::cl::init(false)};
  Option<bool> fpFusion{*this, "fp-fusion",
                        llvm::cl::desc("A product that feeds a sum is rounded with it"),
                        llvm::cl::init(true)};
  Option<bool> launchConditions{*this, "launch-conditions",
                                llvm::cl::desc("Launches look at what the code relies on"),
                                llvm::cl::init(true)};
  Option<bool> tensorCopies{*this, "tensor-copies",
                            llvm::cl::desc("Launches make tensor maps for copies by TMA"),
                            llvm::cl::init(true)};
  Option<std::string> specializeWarps{
      *this, "specialize-warps",
      llvm::cl::desc("Warps of their own for copies: never, auto, always where they can be"),
      llvm::cl::init("auto")};
  Option<std::string> takePrograms{
      *this, "take-programs",
      llvm::cl::desc("CTAs that loop over programs take them from a counter: never, auto, always "
                     "where they can"),
      llvm::cl::init("auto")};
  Option<bool> operandsInFront{
      *this, "operands-in-front",
      llvm::cl::desc("What dots of a loop multiply in all iterations may be copied by a warp for "
                     "copies, too"),
      llvm::cl::init(true)};
  Option<bool> keepOperands{
      *this, "keep-operands",
      llvm::cl::desc("What a loop multiplies in each iteration and does not change may stay in "
                     "registers, where warp groups multiply"),
      llvm::cl::init(true)};
  Option<bool> storeEarly{
      *this, "store-early",
      llvm::cl::desc("What warp groups multiply goes to shared memory as soon as it has been "
                     "computed, where it lies for longer"),
      llvm::cl::init(true)};
  Option<bool> persistent{*this, "persistent",
                          llvm::cl::desc("CTAs loop over programs where that is faster"),
                          llvm::cl::init(true)};
  Option<bool> alwaysPersistent{*this, "always-persistent",
                                llvm::cl::desc("CTAs loop over programs wherever that is right"),
                                llvm::cl::init(false)};
  Option<bool> packPrograms{*this, "pack-programs",
                            llvm::cl::desc("CTAs that loop have several short programs at a time"),
                            llvm::cl::init(true)};
  Option<std::string> overlapLaunches{
      *this, "overlap-launches",
      llvm::cl::desc("Kernels may be started while the launch in front of them ends (compute "
                     "capability 9.0): as-written, always, never"),
      llvm::cl::init("as-written")};
  Option<int> numCTAs{*this, "num-ctas",
                      llvm::cl::desc("CTAs of a program; 0: as many as its rows need"),
                      llvm::cl::init(0)};
};

/// From ttir of pointers to ttgir: layouts for all tiles, then what a GPU gains from. Runs on a
/// module.
void buildTileGPUPipeline(mlir::OpPassManager &pm, const GPUPipelineOptions &options);

/// The end of it: how elements get from thread to thread, where in shared memory, and what has to
/// wait for what.
void buildTileGPUThreadsPipeline(mlir::OpPassManager &pm, const GPUPipelineOptions &options);

/// Tritium's own passes and named pipelines (`tritium-ttir`), for tools.
void registerTritiumPasses();

} // namespace tritium

#endif // TRITIUM_PIPELINE_PASSES_H
