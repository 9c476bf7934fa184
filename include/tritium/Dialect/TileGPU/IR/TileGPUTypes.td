//===- TileGPUTypes.td - types of the ttg dialect --------------*- tablegen -*-===//

#ifndef TRITIUM_TILEGPU_TYPES_TD
#define TRITIUM_TILEGPU_TYPES_TD

include "tritium/Dialect/TileGPU/IR/TileGPUDialect.td"
include "mlir/IR/AttrTypeBase.td"

def TileGPU_MemDescType : TypeDef<TileGPU_Dialect, "MemDesc"> {
  let mnemonic = "memdesc";
  let summary = "a tile in memory that threads share";
  let description = [{
    `!ttg.memdesc<128x64xf16, #shared, mutable>`: where the elements lie follows from the layout,
    whose rank is that of the tile; a leading dimension more counts buffers, one after the
    other. In shared memory, if nothing else is said (`, cluster`). What is not mutable is
    written once, where it is allocated.

    - (memdesc_c1) extents are powers of two, if the layout does not permit others;
    - (memdesc_c2) the layout's rank is the shape's, or one less;
    - (memdesc_c3) the layout is one of memory.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::mlir::Attribute":$encoding, "::tritium::ttg::MemorySpace":$space,
                        "bool":$isMutable);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                     "::mlir::Attribute":$encoding), [{
      return $_get($_ctxt, shape, elementType, encoding, MemorySpace::Shared, true);
    }]>
  ];
  let extraClassDeclaration = [{
    ::tritium::ttg::MemoryLayout getLayout() const;
    /// The tile, without the number of buffers.
    ::llvm::ArrayRef<int64_t> getTileShape() const;
    int64_t getNumBuffers() const {
      return getShape().size() > getTileShape().size() ? getShape().front() : 1;
    }
    int64_t getTileBytes() const;
    /// The tile's elements lie where one linear map says, no more and no less.
    bool isOnePanel() const;
    /// One buffer of several; or a tile of another shape and layout in the same memory.
    MemDescType getBuffer() const { return withTile(getTileShape(), getEncoding()); }
    MemDescType withTile(::llvm::ArrayRef<int64_t> shape, ::mlir::Attribute encoding) const {
      return get(getContext(), shape, getElementType(), encoding, getSpace(), getIsMutable());
    }
  }];
}

def TileGPU_MemDesc : Type<CPred<"::llvm::isa<::tritium::ttg::MemDescType>($_self)">,
                           "tile in memory that threads share", "::tritium::ttg::MemDescType">;

#endif
