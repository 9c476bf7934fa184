//===- TileGPUTypes.td - types of the ttg dialect --------------*- tablegen -*-===//

#ifndef TRITIUM_TILEGPU_TYPES_TD
#define TRITIUM_TILEGPU_TYPES_TD

include "tritium/Dialect/TileGPU/IR/TileGPUDialect.td"
include "mlir/IR/AttrTypeBase.td"

def TileGPU_MemDescType : TypeDef<TileGPU_Dialect, "MemDesc"> {
  let mnemonic = "memdesc";
  let summary = "a tile in shared memory";
  let description = [{
    `!ttg.memdesc<128x64xf16, #shared>`: where the elements lie follows from the layout,
    whose rank is that of the tile; a leading dimension more counts buffers, one after the
    other.

    - (memdesc_c1) extents are powers of two, but for the number of buffers;
    - (memdesc_c2) the layout's rank is the shape's, or one less.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::tritium::ttg::SharedEncodingAttr":$encoding);
  let assemblyFormat = "`<` custom<Shape>($shape, $elementType) `,` $encoding `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The tile, without the number of buffers.
    ::llvm::ArrayRef<int64_t> getTileShape() const {
      return getShape().take_back(getEncoding().getOrder().size());
    }
    int64_t getNumBuffers() const {
      return getShape().size() > getTileShape().size() ? getShape().front() : 1;
    }
    int64_t getTileBytes() const;
  }];
}

def TileGPU_MemDesc : Type<CPred<"::llvm::isa<::tritium::ttg::MemDescType>($_self)">,
                           "tile in shared memory", "::tritium::ttg::MemDescType">;

#endif
