//===- TileTypes.td - types of the tt dialect ------------------*- tablegen -*-===//

#ifndef TRITIUM_TILE_TYPES_TD
#define TRITIUM_TILE_TYPES_TD

include "tritium/Dialect/Tile/IR/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_PointerType : Tile_Type<"Pointer", "ptr"> {
  let summary = "a pointer to an element in memory";
  let description = [{
    `!tt.ptr<T>` points to a value of type `T`: an integer, a float, or another
    pointer. An `i1` pointee occupies one byte. The address space is 1, global
    memory, unless it is written: `!tt.ptr<f32, 3>`.
  }];
  let parameters = (ins "::mlir::Type":$pointeeType,
                        DefaultValuedParameter<"unsigned", "1">:$addressSpace);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointeeType), [{
    return $_get(pointeeType.getContext(), pointeeType, 1u);
  }]>];
  let assemblyFormat = "`<` $pointeeType (`,` $addressSpace^)? `>`";
  let skipDefaultBuilders = 0;
  let genVerifyDecl = 1;
}

def Tile_TensorDescType : Tile_Type<"TensorDesc", "tensordesc"> {
  let summary = "an array in memory that is read and written in blocks of one shape";
  let description = [{
    `!tt.tensordesc<128x64xf16>` describes an array of two dimensions of which each access moves a
    block of 128 x 64 elements. An element of the block that lies outside of the array reads as
    zero, with `!tt.tensordesc<128x64xf16, nan>` as NaN, and is not written.

    - (tensordesc_c1) the block has 1 to 5 dimensions with positive extents;
    - (tensordesc_c2) the elements are integers, floats or pointers, no i1;
    - (tensordesc_c3) `nan` needs floats.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$blockShape, "::mlir::Type":$elementType,
                        "bool":$padsWithNaN);
  let extraClassDeclaration = [{
    int64_t getRank() const { return getBlockShape().size(); }
    /// The tile that an access moves.
    ::mlir::RankedTensorType getBlockType() const {
      return ::mlir::RankedTensorType::get(getBlockShape(), getElementType());
    }
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_Int : TypeConstraint<CPred<"::tritium::tt::isTileInt($_self)">, "integer of 1, 8, 16, 32 or 64 bits">;
def Tile_Float : TypeConstraint<CPred<"::tritium::tt::isTileFloat($_self)">, "f8, f16, bf16, f32 or f64">;
def Tile_Ptr : Type<CPred<"::llvm::isa<::tritium::tt::PointerType>($_self)">, "pointer", "::tritium::tt::PointerType">;

def Tile_TensorDesc : Type<CPred<"::llvm::isa<::tritium::tt::TensorDescType>($_self)">, "tensor descriptor", "::tritium::tt::TensorDescType">;

// A scalar of element type, and a tile of one. "Like" accepts both.
def Tile_Scalar : Type<CPred<"::tritium::tt::isScalar($_self)">, "scalar">;
def Tile_Tensor : Type<CPred<"::tritium::tt::isTile($_self)">, "tile", "::mlir::RankedTensorType">;
def Tile_Any : Type<CPred<"::tritium::tt::isScalar($_self) || ::tritium::tt::isTile($_self)">, "scalar or tile">;
def Tile_IntLike : Type<CPred<"::tritium::tt::isTileInt(::tritium::tt::elementType($_self))">, "integer scalar or tile">;
def Tile_FloatLike : Type<CPred<"::tritium::tt::isTileFloat(::tritium::tt::elementType($_self))">, "float scalar or tile">;
def Tile_BoolLike : Type<CPred<"::tritium::tt::elementType($_self).isInteger(1)">, "i1 scalar or tile">;
def Tile_PtrLike : Type<CPred<"::llvm::isa<::tritium::tt::PointerType>(::tritium::tt::elementType($_self))">, "pointer or tile of pointers">;
def Tile_FloatTensor : Type<CPred<"::tritium::tt::isTile($_self) && ::tritium::tt::isTileFloat(::tritium::tt::elementType($_self))">, "tile of floats", "::mlir::RankedTensorType">;

#endif
