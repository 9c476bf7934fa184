//===- TileGPUInterfaces.td - what layouts have in common ------*- tablegen -*-===//

#ifndef TRITIUM_TILEGPU_INTERFACES_TD
#define TRITIUM_TILEGPU_INTERFACES_TD

include "mlir/IR/OpBase.td"

def TileGPU_ThreadLayout : AttrInterface<"ThreadLayout"> {
  let cppNamespace = "::tritium::ttg";
  let description = [{
    Which register of which lane of which warp holds an element. All that passes and lowerings
    ask of a layout follows from the linear map that it constructs; its name is for readers,
    and for what a program has in mind with it.
  }];
  let methods = [
    InterfaceMethod<"Dimensions of the tiles that it is for", "int64_t", "getTileRank">,
    InterfaceMethod<"Warps that it is for", "int64_t", "getNumWarps">,
    InterfaceMethod<"From registers, lanes and warps to the elements of the core of a tile of "
                    "`shape` (TileLayout.h)",
                    "::tritium::LinearLayout", "getCore", (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"Dimensions, the one whose neighbours a lane holds first",
                    "::llvm::SmallVector<int32_t>", "getFastestFirst">,
    InterfaceMethod<"The layout of the transposed tile: its dimension i is dimension order[i]; "
                    "null if it has no name",
                    "::mlir::Attribute", "transposed", (ins "::llvm::ArrayRef<int32_t>":$order),
                    /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"A layout whose slice along `dim` this one is; null if it has no name",
                    "::mlir::Attribute", "expanded", (ins "unsigned":$dim),
                    /*methodBody=*/"", /*defaultImplementation=*/"return {};">
  ];
}

def TileGPU_DotLayout : AttrInterface<"DotLayout", [TileGPU_ThreadLayout]> {
  let cppNamespace = "::tritium::ttg";
  let description = [{ A layout of results of dots: it says how their operands lie. }];
  let methods = [
    InterfaceMethod<"How many neighbours along k of an operand a lane can hold",
                    "::llvm::SmallVector<int32_t>", "getKWidths">,
    InterfaceMethod<"As getCore, for operand `index` (0 or 1) of `shape`",
                    "::tritium::LinearLayout", "getOperandCore",
                    (ins "uint32_t":$index, "uint32_t":$kWidth,
                         "::llvm::ArrayRef<int64_t>":$shape)>
  ];
}

def TileGPU_MemoryLayout : AttrInterface<"MemoryLayout"> {
  let cppNamespace = "::tritium::ttg";
  let description = [{
    Where the elements of a tile lie in memory. A tile is one panel, or several one after the
    other (in the order of `getFastestFirst`, but for its first dimension, which is the slowest), in
    each of which elements lie at the same offsets.
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
