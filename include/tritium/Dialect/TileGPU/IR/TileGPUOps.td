//===- TileGPUOps.td - operations of the ttg dialect -----------*- tablegen -*-===//

#ifndef TRITIUM_TILEGPU_OPS_TD
#define TRITIUM_TILEGPU_OPS_TD

include "tritium/Dialect/TileGPU/IR/TileGPUDialect.td"
include "tritium/Dialect/TileGPU/IR/TileGPUAttrs.td"
include "tritium/Dialect/TileGPU/IR/TileGPUTypes.td"
include "tritium/Dialect/Tile/IR/TileTypes.td"
include "tritium/Dialect/Tile/IR/TileInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TileGPU_Mask : Type<CPred<"::tritium::tt::isTile($_self) && ::tritium::tt::elementType($_self).isInteger(1)">,
                        "tile of i1", "::mlir::RankedTensorType">;

class TileGPU_Op<string mnemonic, list<Trait> traits = []> : Op<TileGPU_Dialect, mnemonic, traits>;

def TileGPU_ConvertLayoutOp : TileGPU_Op<"convert_layout", [Pure,
    DeclareOpInterfaceMethods<Tile_DataMovement, ["changesThreads"]>]> {
  let summary = "the same tile in another layout";
  let description = [{
    How elements move is decided by `ttg-plan-exchanges`, which makes those that go through
    shared memory a `local_alloc` and a `local_load`.

    - (convert_layout_c1) shape and element type stay, and both sides have a layout.

    ```mlir
    %y = ttg.convert_layout %x : tensor<64xf32, #blocked> -> tensor<64xf32, #blocked1>
    %z = ttg.convert_layout %x by shuffles : tensor<64xf32, #blocked> -> tensor<64xf32, #blocked1>
    ```
  }];
  let arguments = (ins Tile_Tensor:$src, OptionalAttr<TileGPU_Mechanism>:$mechanism);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $src (`by` $mechanism^)? attr-dict `:` type($src) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$src), [{
    build($_builder, $_state, type, src, MechanismAttr());
  }]>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TileGPU_L2Cache : Resource<"::tritium::ttg::L2Cache">;

def TileGPU_PrefetchL2Op
    : TileGPU_Op<"prefetch_l2", [MemoryEffects<[MemWrite<TileGPU_L2Cache>]>]> {
  let summary = "brings what is behind pointers to the second-level cache";
  let description = [{
    Nothing is read: what stands in memory when a later load comes counts. Of as many neighbours
    along `axis` that a lane holds (`one_of`) the first stands for all, with its address and mask.

    - (prefetch_l2_c1) they are tiles of one shape;
    - (prefetch_l2_c2) the axis is one of its dimensions, and `one_of` a power of two.

    ```mlir
    ttg.prefetch_l2 %p, %m one_of 2 along 0 : tensor<64x!tt.ptr<f32>, #blocked1>, tensor<64xi1, #blocked1>
    ```
  }];
  let arguments = (ins Tile_Tensor:$ptr, Tile_Tensor:$mask, I32Attr:$oneOf, I32Attr:$axis);
  let assemblyFormat = [{
    $ptr `,` $mask `one_of` $oneOf `along` $axis attr-dict `:` type($ptr) `,` type($mask)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Kernels that loop over the programs of their grid (`ttg.persistent`)
//===----------------------------------------------------------------------===//

class TileGPU_LaunchedOp<string mnemonic> : TileGPU_Op<mnemonic, [Pure]> {
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TileGPU_CTAIdOp : TileGPU_LaunchedOp<"cta_id"> {
  let summary = "number of this CTA of a kernel that loops over programs";
  let description = [{
    From 0 to `ttg.num_ctas`, less one. The kernel around it has `ttg.persistent`. If it has
    `ttg.programs_per_cta`, too, this is the number of the warp that runs it; those of a CTA follow
    one another.

    ```mlir
    %i = ttg.cta_id : i32
    ```
  }];
}

def TileGPU_NumCTAsOp : TileGPU_LaunchedOp<"num_ctas"> {
  let summary = "CTAs that a launch of a kernel that loops over programs has";
  let description = [{
    At least 1. The kernel around it has `ttg.persistent`. If it has `ttg.programs_per_cta`, too,
    these are the warps of all CTAs, of which some may find no program.

    ```mlir
    %n = ttg.num_ctas : i32
    ```
  }];
}

def TileGPU_ProgramIdOp : TileGPU_Op<"program_id", [Pure]> {
  let summary = "index of a program along an axis of the grid, by its number";
  let description = [{
    Programs are numbered as the hardware starts them, x fastest: the result is `number` % X,
    `number` / X % Y or `number` / (X * Y) of a grid of X, Y and Z programs. There is a program of
    that number.

    ```mlir
    %y = ttg.program_id %p along 1 : i32
    ```
  }];
  let arguments = (ins I32:$number,
                       ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$number `along` $axis attr-dict `:` type($result)";
}

def TileGPU_ProgramCounter : Resource<"::tritium::ttg::ProgramCounter">;

def TileGPU_NextProgramOp : TileGPU_Op<"next_program", [
    MemoryEffects<[MemRead<TileGPU_ProgramCounter>, MemWrite<TileGPU_ProgramCounter>]>]> {
  let summary = "takes the number of the program that a CTA runs next";
  let description = [{
    CTAs begin with the program of their own number. Behind it each takes what follows from a
    counter of the launch, until it takes a number of `count`, of all programs, or above: then none
    is left, and it takes no more. So all CTAs together take as many numbers as there are programs,
    and the last one sets the counter back to where it began. In a launch without a counter the
    result is `number` and `ttg.num_ctas`, the sum. As unsigned numbers, it is above `number`.

    The kernel around it has `ttg.program_counter`, and a group of one warp does it.

    ```mlir
    %next = ttg.next_program %p of %n : i32
    ```
  }];
  let arguments = (ins I32:$number, I32:$count);
  let results = (outs I32:$result);
  let assemblyFormat = "$number `of` $count attr-dict `:` type($result)";
}

include "tritium/Dialect/TileGPU/IR/SharedMemoryOps.td"

//===----------------------------------------------------------------------===//
// Warp groups
//===----------------------------------------------------------------------===//

def TileGPU_WarpGroupsOp : TileGPU_Op<"warp_groups", [
    NoRegionArguments, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"WarpGroupEndOp">]> {
  let summary = "groups of warps that each run code of their own";
  let description = [{
    Each region is run by a group of `warps` warps, all of them at once. Layouts of tiles in it are
    for these warps, and a `ttg.barrier` there is for their threads. `registers` is what a thread of
    the group has, 0 if nothing is said. The operation begins and ends with a barrier of all threads
    of the program: it is over when all groups are.

    A program is launched with as many warps as its groups have together, or as the module says if
    those are more. What stands outside of groups all of them run; if they are more than the module
    says, no tiles stand there. Registers are given to four warps at once: a group with a number of
    them begins at a multiple of four warps, and has such a multiple, or idle warps fill it up
    behind the last group.

    - (warp_groups_c1) each region has a number of warps and of registers and a name of its own;
    - (warp_groups_c2) the number of warps is a power of two, 1 to 32;
    - (warp_groups_c3) registers are 0, or a multiple of 8 from 24 to 256;
    - (warp_groups_c4) no tile in registers comes from outside, whose threads are others;
    - (warp_groups_c5) groups have no groups inside;
    - (warp_groups_c6) all uses of a named barrier say the same number of warps, which is that of
      the groups that use it.

    ```mlir
    ttg.warp_groups "load" warps 4 registers 40 {
      ttg.named_barrier_arrive 1 warps 12
    } "multiply" warps 8 registers 232 {
      ttg.named_barrier_sync 1 warps 12
    }
    ```
  }];
  let arguments = (ins StrArrayAttr:$names, DenseI32ArrayAttr:$warps, DenseI32ArrayAttr:$registers);
  let regions = (region VariadicRegion<SizedRegion<1>>:$groups);
  let extraClassDeclaration = [{
    /// The number of the group that runs `op`.
    unsigned groupOf(::mlir::Operation *op);
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TileGPU_WarpGroupEndOp : TileGPU_Op<"warp_group_end", [
    Pure, Terminator, HasParent<"WarpGroupsOp">]> {
  let summary = "the end of a group's code";
  let description = [{
    It stands at the end of each region of `ttg.warp_groups`, and need not be written.

    ```mlir
    ttg.warp_groups "all" warps 4 {
      ttg.warp_group_end
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

class TileGPU_NamedBarrierOp<string mnemonic>
    : TileGPU_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins I32Attr:$id, I32Attr:$warps);
  let assemblyFormat = "$id `warps` $warps attr-dict";
  let hasVerifier = 1;
}

def TileGPU_NamedBarrierArriveOp : TileGPU_NamedBarrierOp<"named_barrier_arrive"> {
  let summary = "the group comes to a barrier between groups and goes on";
  let description = [{
    What the group has accessed before is done for those who wait at the barrier until `warps`
    warps have come. Then the barrier begins anew. A group comes once to each round.

    - (named_barrier_c1) it stands in a warp group;
    - (named_barrier_c2) the number is 1 to 15: 0 is the program's barrier;
    - (named_barrier_c3) more warps come than the group's own.

    ```mlir
    ttg.warp_groups "a" warps 4 {
      ttg.named_barrier_arrive 3 warps 8
    } "b" warps 4 {
      ttg.named_barrier_sync 3 warps 8
    }
    ```
  }];
}

def TileGPU_NamedBarrierSyncOp : TileGPU_NamedBarrierOp<"named_barrier_sync"> {
  let summary = "the group comes to a barrier between groups and waits there";
  let description = [{
    As `ttg.named_barrier_arrive`, and then the group waits until `warps` warps have come.

    ```mlir
    ttg.warp_groups "a" warps 2 {
      ttg.named_barrier_sync 3 warps 4
    } "b" warps 2 {
      ttg.named_barrier_sync 3 warps 4
    }
    ```
  }];
}

include "tritium/Dialect/TileGPU/IR/CombineOps.td"

//===----------------------------------------------------------------------===//
// Masked registers
//===----------------------------------------------------------------------===//

def TileGPU_SkipMaskedOp : TileGPU_Op<"skip_masked", [
    NoRegionArguments, RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "leaves out registers that a mask rules out";
  let description = [{
    Computes what its body says. The mask is true up to a bound along dimension `axis`. Of a
    thread's registers, those that lie `from` there on or further, and before the next number, are
    a part: a warp of which no lane has an element of it inside of the mask does not compute it.
    What lies before the first number is always computed.

    What such a warp has instead is known without memory: a load under the mask gives its `other`,
    and what is computed of that element by element is one value for all of the part's registers
    that lie in a row along `axis`. So a reduction of n of them combines that value n times, and a
    result has copies of it.

    - (skip_masked_c1) the mask has a layout, `axis` is one of its dimensions, and the numbers are
      ascending, at least one, not negative and below the extent;
    - (skip_masked_c2) the body has element-wise operations on tiles of the mask's shape and layout,
      and at last there may be a reduction of them along `axis`, or a store whose mask implies this
      one;
    - (skip_masked_c3) it yields what it computes, each once, of the types of the results.

    Of the kernel around it is checked, by the lowering, that the mask is such a bound, that registers
    of the layout lie in order along `axis` and each part has some, that no vector of a lane begins
    before a part and ends in it, and that what is reduced, and a result that others than such
    operations of the same mask, axis and parts read, is known where the mask lets nothing in.

    ```mlir
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #blocked>
    %b = tt.splat %n : i32 -> tensor<512xi32, #blocked>
    %m = arith.cmpi slt, %r, %b : tensor<512xi32, #blocked>
    %v = tt.load %p, %m : tensor<512x!tt.ptr<f32>, #blocked>
    %e = ttg.skip_masked %m along 0 from [256] : tensor<512xi1, #blocked> -> tensor<512xf32, #blocked> {
      %x = math.exp %v : tensor<512xf32, #blocked>
      ttg.yield %x : tensor<512xf32, #blocked>
    }
    ttg.skip_masked %m along 0 from [256] : tensor<512xi1, #blocked> {
      %y = arith.addf %e, %e : tensor<512xf32, #blocked>
      tt.store %p, %y, %m : tensor<512x!tt.ptr<f32>, #blocked>
    }
    ```
  }];
  let arguments = (ins TileGPU_Mask:$mask, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis,
                       DenseI64ArrayAttr:$from);
  let results = (outs Variadic<Tile_Any>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $mask `along` $axis `from` $from attr-dict `:` type($mask) (`->` type($results)^)? $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    YieldOp getYield();
    /// The reduction or store that takes what the others compute; null if there is none.
    ::mlir::Operation *getLast();
    /// Both leave out the same registers in the same warps.
    bool skipsAs(SkipMaskedOp other) {
      return getMask() == other.getMask() && getAxis() == other.getAxis() &&
             getFrom() == other.getFrom();
    }
  }];
}

def TileGPU_YieldOp : TileGPU_Op<"yield", [Pure, Terminator, HasParent<"SkipMaskedOp">]> {
  let summary = "what others read of the body that it ends";
  let description = [{
    It stands at the end of `ttg.skip_masked`, and need not be written if it yields nothing.

    ```mlir
    %e = ttg.skip_masked %m along 0 from [256] : tensor<512xi1, #blocked> -> tensor<512xf32, #blocked> {
      %x = math.exp %v : tensor<512xf32, #blocked>
      ttg.yield %x : tensor<512xf32, #blocked>
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Any>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{}]>];
}

#endif
