//===- CombineOps.td - reductions and scans among warps --------*- tablegen -*-===//

#ifndef TRITIUM_TILEGPU_COMBINE_OPS_TD
#define TRITIUM_TILEGPU_COMBINE_OPS_TD

def TileGPU_WarpReduceOp : TileGPU_Op<"warp_reduce", [
    Pure, Tile_Combining, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "what each warp has of a reduction";
  let description = [{
    As `tt.reduce`, but each warp combines only what its own lanes hold. In the results the axis
    counts the warps along it: element p of it is what the warps with number p there have found.
    Their layout has all lanes that lie along the axis hold copies. A `tt.reduce` over that axis,
    after an exchange, is the whole reduction.

    - (warp_reduce_c1) operands have one shape and layout, results likewise, their ranks are
      equal, and element types are those of the operands;
    - (warp_reduce_c2) the region takes and yields the element types, as that of `tt.reduce`.

    ```mlir
    %p = "ttg.warp_reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<128xf32, #blocked>) -> tensor<4xf32, #blocked1>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$srcs, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

/// Of a scan along an axis that is cut into parts of `part` elements; the last may be shorter.
class TileGPU_PartScanOp<string mnemonic, list<Trait> traits>
    : TileGPU_Op<mnemonic, [Pure, Tile_Combining,
          SingleBlockImplicitTerminator<"::tritium::tt::ScanReturnOp">, RecursiveMemoryEffects] #
          traits> {
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TileGPU_WarpScanOp : TileGPU_PartScanOp<"warp_scan", [SameVariadicResultSize]> {
  let summary = "scans of the parts of an axis, each of which one warp holds";
  let description = [{
    As `tt.scan`, but anew at each part of the axis. What each part combines to stands in `totals`,
    whose axis counts parts, and whose layout has all lanes that lie along it hold copies. A
    `tt.scan` of those, after an exchange, and `ttg.join_scans` make it the whole scan.

    - (warp_scan_c1) operands have one shape and layout, and results their types;
    - (warp_scan_c2) a part is a power of two, totals have as many elements along the axis as there
      are parts, one layout, and else the operands' extents and element types;
    - (warp_scan_c3) the region takes and returns the element types, as that of `tt.scan`.

    ```mlir
    %y, %t = "ttg.warp_scan"(%x) <{axis = 0 : i32, part = 32 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.scan.return %s : f32
    }) : (tensor<128xf32, #blocked>) -> (tensor<128xf32, #blocked>, tensor<4xf32, #blocked1>)
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$srcs, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis,
                       ConfinedAttr<I32Attr, [IntPositive]>:$part, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tensor>:$scanned, Variadic<Tile_Tensor>:$totals);
}

def TileGPU_JoinScansOp : TileGPU_PartScanOp<"join_scans", [SameVariadicOperandSize]> {
  let summary = "one scan of those of its parts";
  let description = [{
    Each element of a part is combined with what stands in front of its part: `prefixes`, the scan
    of the totals, has at each part what all up to its end combine to. All that a thread asks for
    of it must lie in its own registers.

    - (join_scans_c1) operands have one shape and layout, and results their types;
    - (join_scans_c2) a part is a power of two, prefixes have as many elements along the axis as
      there are parts, one layout, and else the operands' extents and element types;
    - (join_scans_c3) the region takes and returns the element types, as that of `tt.scan`.

    ```mlir
    %z = "ttg.join_scans"(%y, %p) <{axis = 0 : i32, part = 32 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.scan.return %s : f32
    }) : (tensor<128xf32, #blocked>, tensor<4xf32, #blocked2>) -> tensor<128xf32, #blocked>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$srcs, Variadic<Tile_Tensor>:$prefixes,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$axis,
                       ConfinedAttr<I32Attr, [IntPositive]>:$part, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tensor>:$results);
}

#endif
