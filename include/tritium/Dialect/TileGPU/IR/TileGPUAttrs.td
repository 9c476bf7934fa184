//===- TileGPUAttrs.td - layouts as attributes -----------------*- tablegen -*-===//

#ifndef TRITIUM_TILEGPU_ATTRS_TD
#define TRITIUM_TILEGPU_ATTRS_TD

include "tritium/Dialect/TileGPU/IR/TileGPUDialect.td"
include "tritium/Dialect/TileGPU/IR/TileGPUInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class TileGPU_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<TileGPU_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}
class TileGPU_ThreadLayoutMethods<list<string> more = []>
    : DeclareAttrInterfaceMethods<TileGPU_ThreadLayout, more>;
class TileGPU_Ints<string description = ""> : ArrayRefParameter<"int32_t", description>;

def TileGPU_BlockedAttr : TileGPU_Attr<"BlockedEncoding", "blocked",
                   [TileGPU_ThreadLayoutMethods<["transposed", "expanded"]>,
                    DeclareAttrInterfaceMethods<TileGPU_DotLayout>]> {
  let summary = "each lane holds a small block of neighbours";
  let description = [{
    Along dimension d a lane holds `sizePerThread[d]` neighbours, a warp has
    `threadsPerWarp[d]` lanes and the block `warpsPerCTA[d]` warps. Lanes and warps count
    along the dimensions in `order`, the fastest first. A longer dimension repeats that in
    registers, along a shorter one lanes hold copies.

    - (blocked_c1) the four lists have one length, >= 1;
    - (blocked_c2) sizes are powers of two, and threadsPerWarp has 32 lanes;
    - (blocked_c3) order is a permutation.

    ```mlir
    #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    ```
  }];
  let parameters = (ins TileGPU_Ints<>:$sizePerThread, TileGPU_Ints<>:$threadsPerWarp,
                        TileGPU_Ints<>:$warpsPerCTA, TileGPU_Ints<>:$order);
  let assemblyFormat = [{
    `<` `{` `sizePerThread` `=` custom<IntList>($sizePerThread) `,`
    `threadsPerWarp` `=` custom<IntList>($threadsPerWarp) `,`
    `warpsPerCTA` `=` custom<IntList>($warpsPerCTA) `,` `order` `=` custom<IntList>($order) `}` `>`
  }];
}

def TileGPU_SliceAttr : TileGPU_Attr<"SliceEncoding", "slice", [TileGPU_ThreadLayoutMethods<["expanded"]>]> {
  let summary = "what is left of a layout when one dimension has been reduced";
  let description = [{
    The layout of `parent` for a tile with a dimension of extent 1 inserted at `dim`.
    - (slice_c1) parent is a layout of registers whose rank is greater than dim, and >= 2.
  }];
  let parameters = (ins "uint32_t":$dim, "::mlir::Attribute":$parent);
  let assemblyFormat = "`<` `{` `dim` `=` $dim `,` `parent` `=` $parent `}` `>`";
}

def TileGPU_MmaAttr : TileGPU_Attr<"MmaEncoding", "mma",
                   [TileGPU_ThreadLayoutMethods<>, DeclareAttrInterfaceMethods<TileGPU_DotLayout>]> {
  let summary = "accumulators of tensor cores";
  let description = [{
    Fragments of 16x8 in the last two dimensions, `warpsPerCTA[d]` warps along dimension d,
    repeated in registers. Version 2 (mma.sync): warps count along the last dimension first.
    Version 3 (wgmma): along the one before, so that four warps, a warp group, have 64 rows.

    - (mma_c1) version is 2 or 3;
    - (mma_c2) warpsPerCTA has two or three powers of two; of version 3 two, the first of at
      least 4.
  }];
  let parameters = (ins "uint32_t":$version, TileGPU_Ints<>:$warpsPerCTA);
  let assemblyFormat = [{
    `<` `{` `version` `=` $version `,` `warpsPerCTA` `=` custom<IntList>($warpsPerCTA) `}` `>`
  }];
}

def TileGPU_DotOperandAttr : TileGPU_Attr<"DotOperandEncoding", "dot_op", [TileGPU_ThreadLayoutMethods<>]> {
  let summary = "an operand of a dot whose result has the layout `parent`";
  let description = [{
    Under an mma parent the fragments of its instruction with `kWidth` neighbours along K
    in a register; under a blocked parent every lane holds all of K for its rows
    (opIdx = 0) or columns (opIdx = 1).

    - (dot_op_c1) opIdx is 0 or 1, and parent is a layout of results of dots, of rank >= 2;
    - (dot_op_c2) kWidth is 1, 2 or 4; under a blocked parent 1.
  }];
  let parameters = (ins "uint32_t":$opIdx, "::mlir::Attribute":$parent, "uint32_t":$kWidth);
  let assemblyFormat = [{
    `<` `{` `opIdx` `=` $opIdx `,` `parent` `=` $parent `,` `kWidth` `=` $kWidth `}` `>`
  }];
}

def TileGPU_SharedAttr
    : TileGPU_Attr<"SharedEncoding", "shared", [DeclareAttrInterfaceMethods<TileGPU_MemoryLayout>]> {
  let summary = "a tile in shared memory, swizzled";
  let description = [{
    Row-major in `order`, the fastest dimension first. Along it, chunks of `vec` elements
    are exchanged: chunk c of row r lies at c XOR (r / perPhase) % maxPhase. Extents are powers
    of two; without exchanges (maxPhase = 1) they may be any.

    - (shared_c1) vec, perPhase and maxPhase are powers of two;
    - (shared_c2) order is a permutation.
  }];
  let parameters = (ins "uint32_t":$vec, "uint32_t":$perPhase, "uint32_t":$maxPhase,
                        TileGPU_Ints<>:$order);
  let assemblyFormat = [{
    `<` `{` `vec` `=` $vec `,` `perPhase` `=` $perPhase `,` `maxPhase` `=` $maxPhase `,`
    `order` `=` custom<IntList>($order) `}` `>`
  }];
}

def TileGPU_SharedLinearAttr
    : TileGPU_Attr<"SharedLinearEncoding", "shared_linear",
                   [DeclareAttrInterfaceMethods<TileGPU_MemoryLayout>]> {
  let summary = "a tile in memory at any linear offsets, in panels";
  let description = [{
    A panel of `shape` has its elements at `offsets`: for each bit of a coordinate, dimension 0
    first and the lowest bit first, the offset in elements that it leads to. A tile is as many
    panels as it takes, one after another: the dimension with the least offset, along which
    neighbours in memory lie, slowest, of the others the last fastest. What they have beyond
    its extents is not used.

    ```mlir
    // Two rows of four: the second is written with its halves exchanged.
    #ttg.shared_linear<{offsets = [6, 1, 2], shape = [2, 4]}>
    ```

    - (shared_linear_c1) extents of the panel are powers of two;
    - (shared_linear_c2) there is an offset for each bit, and no two elements share one.
  }];
  let parameters = (ins TileGPU_Ints<>:$offsets, TileGPU_Ints<>:$shape);
  let assemblyFormat = [{
    `<` `{` `offsets` `=` custom<IntList>($offsets) `,` `shape` `=` custom<IntList>($shape) `}` `>`
  }];
}

def TileGPU_LinearAttr : TileGPU_Attr<"LinearEncoding", "linear", [TileGPU_ThreadLayoutMethods<["transposed"]>]> {
  let summary = "any linear layout, by its bases";
  let description = [{
    For each bit of register, lane and warp the element that it leads to, one coordinate
    a dimension. `shape` is the extent of the core, powers of two.

    - (linear_c1) coordinates lie inside of shape;
    - (linear_c2) there are 5 lane bits.
  }];
  let parameters = (ins TileGPU_Ints<"coordinates, one basis after another">:$registers,
                        TileGPU_Ints<>:$lanes, TileGPU_Ints<>:$warps, TileGPU_Ints<>:$shape);
  let assemblyFormat = [{
    `<` `{` `register` `=` custom<IntList>($registers) `,` `lane` `=` custom<IntList>($lanes) `,`
    `warp` `=` custom<IntList>($warps) `,` `shape` `=` custom<IntList>($shape) `}` `>`
  }];
}

//===----------------------------------------------------------------------===//
// Memory, and decisions
//===----------------------------------------------------------------------===//

def TileGPU_MemorySpace : I32EnumAttr<"MemorySpace", "where a tile in memory lies", [
    I32EnumAttrCase<"Shared", 0, "shared">,
    I32EnumAttrCase<"Cluster", 1, "cluster">]> {
  let description = [{
    `shared`: the CTA's own. `cluster`: a window to the shared memory of another CTA of the
    cluster.
  }];
  let cppNamespace = "::tritium::ttg";
}

def TileGPU_Mechanism : I32EnumAttr<"Mechanism", "how a conversion moves elements", [
    I32EnumAttrCase<"Registers", 0, "registers">,
    I32EnumAttrCase<"Shuffles", 1, "shuffles">]> {
  let description = [{
    `registers`: each lane has what it needs. `shuffles`: lanes of a warp exchange words.
    Through shared memory a tile goes by `local_store` and `local_load`.
  }];
  let cppNamespace = "::tritium::ttg";
}

def TileGPU_TargetAttr : TileGPU_Attr<"Target", "target"> {
  let summary = "the architecture that a module is for";
  let description = [{
    `ttg.target` of a module: the compute capability whose instructions, registers and shared
    memory (GPUModel.h) its passes count with, 80 for 8.0. Code of it runs on newer ones, too, if
    it is not `specific` to the architecture (sm_90a).

    ```mlir
    module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {}
    ```

    - (target_c1) compute is at least 75.
  }];
  let parameters = (ins "uint32_t":$compute, DefaultValuedParameter<"bool", "false">:$specific);
  let assemblyFormat = "`<` struct(params) `>`";
  let builders = [AttrBuilder<(ins "uint32_t":$compute), [{
    return $_get($_ctxt, compute, false);
  }]>];
}

def TileGPU_ScheduleAttr : TileGPU_Attr<"Schedule", "schedule"> {
  let summary = "which iteration an operation of a pipelined loop runs for, and when";
  let description = [{
    `ttg.schedule` of the operations of a loop that has `ttg.stages`. In a turn of the loop, those
    of the last stage run for its own iteration, those of `stage` s for the one that is as many
    later as there are stages behind s. The least `order` of a turn comes first, and of equal
    ones the earlier stage.

    ```mlir
    // With three stages, two iterations ahead of what is in stage 2.
    %a = tt.load %p {ttg.async_copy = #shared, ttg.schedule = #ttg.schedule<stage = 0, order = 1>}
    ```

    - (schedule_c1) neither is negative.
  }];
  let parameters = (ins "int32_t":$stage, "int32_t":$order);
  let assemblyFormat = "`<` struct(params) `>`";
}

def TileGPU_Overlap : I32EnumAttr<"Overlap", "when what stands in front of a dot happens", [
    I32EnumAttrCase<"Steps", 0, "steps">,
    I32EnumAttrCase<"Products", 1, "products">]> {
  let cppNamespace = "::tritium::ttg";
  let genSpecializedAttr = 0;
}

def TileGPU_OverlapAttr : EnumAttr<TileGPU_Dialect, TileGPU_Overlap, "overlap"> {
  let summary = "an operation in front of a dot that happens while it multiplies";
  let description = [{
    `ttg.overlap` of a load from shared memory that the dot behind it reads: the dot loads it
    by `steps` of k. Of any other: it happens among the `products` of the next dot, in order, as
    that dot's `ttg.interleave` says.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def TileGPU_InterleaveAttr : TileGPU_Attr<"Interleave", "interleave"> {
  let summary = "how a dot interleaves its products with what happens among them";
  let description = [{
    Asynchronous copies start one by one over all products of this dot and the `dots` - 1 that
    follow. The rest, loads for later and the barrier that they wait for, begins after one in
    `from` of the products (0: at once) and is spread over one in `within`.

    - (interleave_c1) dots and within are positive.
  }];
  let parameters = (ins "uint32_t":$dots, "uint32_t":$from, "uint32_t":$within);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif
