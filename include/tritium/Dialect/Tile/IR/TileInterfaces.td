//===- TileInterfaces.td - what operations have in common ------*- tablegen -*-===//

#ifndef TRITIUM_TILE_INTERFACES_TD
#define TRITIUM_TILE_INTERFACES_TD

include "mlir/IR/OpBase.td"

/// Each element of the results is computed from those of the operands at the same place. What
/// upstream's ElementwiseMappable is, for operations whose verifiers speak of numbered constraints.
def Tile_Elementwise : NativeOpTrait<"Elementwise"> {
  let cppNamespace = "::tritium::tt";
}

/// Elements of the results need those of the operands at the same place, and may be computed together
/// with others: what holds of all operands' elements need not hold of the results'.
def Tile_InPlace : NativeOpTrait<"InPlace"> {
  let cppNamespace = "::tritium::tt";
}

def Tile_DataMovement : OpInterface<"DataMovement"> {
  let cppNamespace = "::tritium::tt";
  let description = [{
    Each element of the result is an element of the source, the first operand, so that what holds of
    all of the source's holds of the result's. Of other operands, an element of the result needs the
    one at its own place.

    Dimensions tell which element it is, as far as they do: analyses, layouts and back ends follow
    from `getSourceDims`. Where they do not, any element of the source may be asked for: a back end
    has to put it where each of its threads, or each step of a loop, can read all of it.
  }];
  let methods = [
    InterfaceMethod<"For each dimension of the result, the dimension of the source that it is; "
                    "kRepeats if all along it lie copies of one element; kAnywhere if which "
                    "element it is depends on more",
                    "::llvm::SmallVector<int64_t>", "getSourceDims">,
    InterfaceMethod<"Whether elements may have to go to other threads, so that layouts of source "
                    "and result do not follow from one another; ttg-plan-exchanges decides how",
                    "bool", "changesThreads", (ins), "", "return !$_op.isAlongDims();">
  ];
  let extraClassDeclaration = [{
    /// Of an operation that has no trait MLIR would look for a promise, by the interface's name.
    static Concept *getInterfaceFor(::mlir::Operation *op) {
      return op->hasTrait<Trait>() ? OpInterface::getInterfaceFor(op) : nullptr;
    }
  }];
  let extraSharedClassDeclaration = [{
    /// The tile, or scalar, whose elements move.
    ::mlir::Value getSource() { return $_op->getOperand(0); }
    /// Dimensions tell for each element of the result which one of the source it is.
    bool isAlongDims() {
      return !::llvm::is_contained($_op.getSourceDims(), ::tritium::tt::kAnywhere);
    }
  }];
}

def Tile_Combining : OpInterface<"Combining"> {
  let cppNamespace = "::tritium::tt";
  let description = [{
    Tiles of one shape are combined along an axis. The region is associative; it takes the n scalars
    of the one side and then those of the other, and returns n. It is code on scalars that belongs
    to the operation: for all around it is as if there were none.
  }];
  let methods = [
    InterfaceMethod<"The tiles", "::mlir::OperandRange", "getSrcs">,
    InterfaceMethod<"The dimension along which they are combined", "uint32_t", "getAxis">,
    InterfaceMethod<"What combines", "::mlir::Region &", "getCombineOp">
  ];
  let extraSharedClassDeclaration = [{
    /// The operation that the region consists of, on both of its arguments; null if there is more.
    ::mlir::Operation *getCombiner();
    /// The region takes the element types of the tiles twice, and returns them.
    ::mlir::LogicalResult verifyRegion(::llvm::StringRef constraint);
  }];
}

def Tile_MemoryAccess : OpInterface<"MemoryAccess"> {
  let cppNamespace = "::tritium::tt";
  let description = [{
    Global memory is read or written through one operand. Whether it is read, written, or both, the
    effects on that operand say.
  }];
  let methods = [
    InterfaceMethod<"The pointer, tile of pointers, or tensor descriptor that is gone through",
                    "::mlir::Value", "getAccessed", (ins), "", "return $_op->getOperand(0);">,
    InterfaceMethod<"Where this is false nothing is accessed; null: everything is",
                    "::mlir::Value", "getMask", (ins), "", "return {};">,
    InterfaceMethod<"The memory order of an atomic; nothing if it is none",
                    "::std::optional<::tritium::tt::MemSemantic>", "getAtomicOrder", (ins), "",
                    "return ::std::nullopt;">
  ];
  let extraClassDeclaration = [{
    /// Of an operation that has no trait MLIR would look for a promise, by the interface's name.
    static Concept *getInterfaceFor(::mlir::Operation *op) {
      return op->hasTrait<Trait>() ? OpInterface::getInterfaceFor(op) : nullptr;
    }
  }];
  let extraSharedClassDeclaration = [{
    bool isAtomic() { return $_op.getAtomicOrder().has_value(); }
    /// Through a tile of pointers, an element each.
    bool isOfTile() { return ::tritium::tt::isTile($_op.getAccessed().getType()); }
    bool reads() { return hasEffectOnAccessed<::mlir::MemoryEffects::Read>(); }
    bool writes() { return hasEffectOnAccessed<::mlir::MemoryEffects::Write>(); }
    template <typename Effect> bool hasEffectOnAccessed() {
      auto effects = ::llvm::cast<::mlir::MemoryEffectOpInterface>($_op.getOperation());
      return effects.template getEffectOnValue<Effect>($_op.getAccessed()).has_value();
    }
  }];
}

#endif
