//===- MemoryOps.td - pointers, loads, stores, atomics ---------*- tablegen -*-===//

#ifndef TRITIUM_TILE_MEMORY_OPS_TD
#define TRITIUM_TILE_MEMORY_OPS_TD

def Tile_AddPtrOp : Tile_Op<"addptr", [Pure, Tile_Elementwise, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "moves pointers by a signed number of elements";
  let description = [{
    - (addptr_c1) pointer and offset are both scalars or tiles of one shape.
    An offset narrower than 64 bits is sign-extended; the sum does not wrap.

    ```mlir
    %q = tt.addptr %p, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_IntLike:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_IntToPtrOp : Tile_Op<"int_to_ptr", [Pure, Tile_Elementwise]> {
  let summary = "an i64 address as a pointer";
  let description = [{
    - (int_to_ptr_c1) both are scalars or tiles of one shape, and the integer has 64 bits.

    ```mlir
    %p = tt.int_to_ptr %i : i64 -> !tt.ptr<f32>
    ```
  }];
  let arguments = (ins Tile_IntLike:$src);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_PtrToIntOp : Tile_Op<"ptr_to_int", [Pure, Tile_Elementwise]> {
  let summary = "the address of a pointer as i64";
  let description = [{
    - (ptr_to_int_c1) both are scalars or tiles of one shape, and the integer has 64 bits.

    ```mlir
    %i = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
    ```
  }];
  let arguments = (ins Tile_PtrLike:$src);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BitcastOp : Tile_Op<"bitcast", [Pure, Tile_Elementwise]> {
  let summary = "the same bits under another type";
  let description = [{
    - (bitcast_c1) shapes agree;
    - (bitcast_c2) element widths agree, or both are pointers.

    ```mlir
    %i = tt.bitcast %x : tensor<64xf32> -> tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_Any:$src);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments, Tile_MemoryAccess,
                                   DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                   DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "reads through a pointer or a tile of pointers";
  let description = [{
    Reads one element for each pointer whose mask is true. Where the mask is false
    no access happens and the element is `other`, or undefined if there is none.

    - (load_c1) the result has the pointer's shape and its pointee as element;
    - (load_c2) the mask has the pointer's shape and i1 elements;
    - (load_c3) `other` needs a mask and has the result's type.

    ```mlir
    %v = tt.load %p, %m, %z : tensor<128x!tt.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Optional<Tile_BoolLike>:$mask, Optional<Tile_Any>:$other,
      DefaultValuedAttr<Tile_CacheModifier, "::tritium::tt::CacheModifier::NONE">:$cache,
      DefaultValuedAttr<Tile_EvictionPolicy, "::tritium::tt::EvictionPolicy::NORMAL">:$evict,
      DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs Tile_Any:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$ptr, CArg<"::mlir::Value", "{}">:$mask,
      CArg<"::mlir::Value", "{}">:$other,
      CArg<"::tritium::tt::CacheModifier", "::tritium::tt::CacheModifier::NONE">:$cache,
      CArg<"::tritium::tt::EvictionPolicy", "::tritium::tt::EvictionPolicy::NORMAL">:$evict,
      CArg<"bool", "false">:$isVolatile)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_StoreOp : Tile_Op<"store", [Tile_MemoryAccess]> {
  let summary = "writes through a pointer or a tile of pointers";
  let description = [{
    Writes one element for each pointer whose mask is true. Which of two elements
    with one address is left in memory is unspecified.

    - (store_c1) the value has the pointer's shape and its pointee as element;
    - (store_c2) the mask has the pointer's shape and i1 elements.

    ```mlir
    tt.store %p, %v, %m : tensor<64x!tt.ptr<f32>>
    ```
  }];
  let arguments = (ins Arg<Tile_PtrLike, "", [MemWrite]>:$ptr, Tile_Any:$value, Optional<Tile_BoolLike>:$mask,
      DefaultValuedAttr<Tile_CacheModifier, "::tritium::tt::CacheModifier::NONE">:$cache,
      DefaultValuedAttr<Tile_EvictionPolicy, "::tritium::tt::EvictionPolicy::NORMAL">:$evict);
  let builders = [OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value,
      CArg<"::mlir::Value", "{}">:$mask), [{
    build($_builder, $_state, ptr, value, mask, CacheModifier::NONE, EvictionPolicy::NORMAL);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_AtomicRMWOp : Tile_Op<"atomic_rmw", [
    DeclareOpInterfaceMethods<Tile_MemoryAccess, ["getAtomicOrder"]>]> {
  let summary = "atomic read-modify-write; returns the old value";
  let description = [{
    - (atomic_rmw_c1) value and result have the pointer's shape and its pointee;
    - (atomic_rmw_c2) the mask has the pointer's shape and i1 elements;
    - (atomic_rmw_c3) `fadd` needs floats; `and or xor add umax umin` need integers;
      `max min` take signed integers; `exch` takes both.
    Elements of one tile that share an address are all applied, in no defined order.
    Where the mask is false the result is undefined.

    ```mlir
    %old = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v, %m : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_RMWOp:$rmw_op, Arg<Tile_PtrLike, "", [MemRead, MemWrite]>:$ptr, Tile_Any:$value,
                       Optional<Tile_BoolLike>:$mask, Tile_MemSemantic:$sem, Tile_MemScope:$scope);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = [{
    $rmw_op `,` $sem `,` $scope `,` $ptr `,` $value (`,` $mask^)? attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def Tile_AtomicCASOp : Tile_Op<"atomic_cas", [
    DeclareOpInterfaceMethods<Tile_MemoryAccess, ["getAtomicOrder"]>]> {
  let summary = "atomic compare-and-swap; returns the old value";
  let description = [{
    - (atomic_cas_c1) cmp, value and result have the pointer's shape and its pointee;
    - (atomic_cas_c2) the element has 8, 16, 32 or 64 bits.
    Floats compare by their bits.

    ```mlir
    %old = tt.atomic_cas acquire, gpu, %lock, %free, %taken : (!tt.ptr<i32>, i32, i32) -> i32
    ```
  }];
  let arguments = (ins Arg<Tile_PtrLike, "", [MemRead, MemWrite]>:$ptr, Tile_Any:$cmp, Tile_Any:$value,
                       Tile_MemSemantic:$sem, Tile_MemScope:$scope);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $value attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

#endif
