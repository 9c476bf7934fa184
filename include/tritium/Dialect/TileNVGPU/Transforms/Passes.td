//===- Passes.td - transformations of the ttng dialect ---------*- tablegen -*-===//

#ifndef TRITIUM_TILENVGPU_TRANSFORMS_PASSES_TD
#define TRITIUM_TILENVGPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def LoadBoxes : Pass<"ttng-load-boxes", "::mlir::ModuleOp"> {
  let summary = "loads of pipelined loops whose tiles are boxes of a tensor to ttng.load_box";
  let description = [{
    Those that dots of warp groups read, with masks that cut the box as the ends of the tensor do.
    What only a launch knows it looks at (tt.conditions).
  }];
  let options = [Option<"mayAlias", "may-alias", "bool", "false",
                        "Pointer arguments may reach the same memory">,
                 Option<"specialize", "specialize", "std::string", "\"auto\"",
                        "The mode of ttg-specialize-warps">,
                 Option<"inFront", "in-front", "bool", "true",
                        "Operands in front of loops, too">];
  let dependentDialects = ["::tritium::ttng::TileNVGPUDialect"];
}

def StoreBoxes : Pass<"ttng-store-boxes", "::mlir::ModuleOp"> {
  let summary = "stores of results of warp groups whose tiles are boxes of a tensor to ttng.tma_store";
  let description = [{
    Those whose masks cut the box as the ends of the tensor do, and that no other access of the
    kernel can tell from plain ones. What only a launch knows it looks at (tt.conditions).
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect", "::tritium::ttng::TileNVGPUDialect"];
}

def WarpGroupDots : Pass<"ttng-warp-group-dots", "::mlir::ModuleOp"> {
  let summary = "dots whose layout is one of warp groups to ttng.warp_group_dot";
  let description = [{
    Operands are read where they lie in shared memory, if they lie in panels there; others are put
    there, but for a left one that a dot has made. A sum that a loop carries goes on while the next
    iteration begins, where the buffers of its operands allow it.
  }];
  let options = [
    Option<"keepOperands", "keep-operands", "bool", /*default=*/"true",
           "left operands that a loop does not change may stay in registers">,
    Option<"storeEarly", "store-early", "bool", /*default=*/"true",
           "operands go to shared memory as soon as they have been computed, not right in front of "
           "the dot">
  ];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect", "::tritium::ttng::TileNVGPUDialect"];
}

def TurnAhead : Pass<"ttng-turn-ahead", "::mlir::ModuleOp"> {
  let summary = "operands that threads turn for the dot of the next iteration";
  let description = [{
    Where a dot of a loop reads what threads have just brought from one buffer of copies by TMA to
    other memory, they do so for the next iteration while the dot goes on.
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect", "::tritium::ttng::TileNVGPUDialect"];
}

def PlaceFences : Pass<"ttng-place-fences", "::mlir::ModuleOp"> {
  let summary = "fences between what threads write and what dots read";
  let description = [{
    Tensor cores and TMA see what a thread has written to shared memory behind its fence, and a
    barrier. The fence stands right behind the write, or the wait for a copy. Allocations have
    offsets.
  }];
  let options = [Option<"mayAlias", "may-alias", "bool", "false",
                        "Pointer arguments may reach the same memory">];
  let dependentDialects = ["::tritium::ttng::TileNVGPUDialect"];
}

#endif
