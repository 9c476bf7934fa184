//===- TileGPUInterfaces.td - what layouts have in common ------*- tablegen -*-===//

#ifndef TRITIUM_TILEGPU_INTERFACES_TD
#define TRITIUM_TILEGPU_INTERFACES_TD

include "mlir/IR/OpBase.td"

def TileGPU_MemoryLayout : AttrInterface<"MemoryLayout"> {
  let cppNamespace = "::tritium::ttg";
  let description = [{
    Where the elements of a tile lie in memory. A tile is one panel, or several one after the
    other (the last dimension fastest), in each of which elements lie at the same offsets.
  }];
  let methods = [
    InterfaceMethod<"Dimensions of the tiles that it is for", "int64_t", "getMemoryRank">,
    InterfaceMethod<"Fails, with a message, if tiles of these extents cannot have it",
                    "::llvm::LogicalResult", "checkExtents",
                    (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emit,
                         "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"Extents of a panel of a tile of `shape`; empty if its elements lie in the "
                    "order of `getFastestFirst`, and extents are any",
                    "::llvm::SmallVector<int64_t, 4>", "getPanel",
                    (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"From flat elements of a panel to offsets in elements", "::tritium::LinearLayout",
                    "getPanelOffsets", (ins "::llvm::ArrayRef<int64_t>":$panel)>,
    InterfaceMethod<"Dimensions, the one of neighbours in memory first",
                    "::llvm::SmallVector<int32_t>", "getFastestFirst">,
    InterfaceMethod<"The layout of the transposed tile: its dimension i is dimension order[i]",
                    "::mlir::Attribute", "transposed", (ins "::llvm::ArrayRef<int32_t>":$order)>
  ];
}

#endif
