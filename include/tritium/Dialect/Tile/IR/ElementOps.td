//===- ElementOps.td - code for single elements, and the machine's own -*- tablegen -*-===//

#ifndef TRITIUM_TILE_ELEMENT_OPS_TD
#define TRITIUM_TILE_ELEMENT_OPS_TD

def Tile_MapElementwiseOp : Tile_Op<"map_elementwise", [Tile_InPlace, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"MapReturnOp">, RecursiveMemoryEffects,
    RecursivelySpeculatable]> {
  let summary = "a function of scalars, applied to each element";
  let description = [{
    The region takes the elements at one place, one of each operand, and returns those of the results
    there. It may branch and loop: an element takes its own way through it. With `pack` = n it takes n
    elements of the first operand, then n of the second, and so on, and returns n of each result.
    Which n those are is unspecified, so a result may depend on the operands at its own place only;
    where there are not enough, one is passed more than once.

    - (map_elementwise_c1) there is an operand and a result; all have one shape, and hold numbers;
    - (map_elementwise_c2) pack is positive;
    - (map_elementwise_c3) the region takes and returns pack scalars for each operand and result;
    - (map_elementwise_c4) it only computes, and on scalars.

    ```mlir
    %y = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
    ^bb0(%a: f32):
      %zero = arith.constant 0.0 : f32
      %isLess = arith.cmpf olt, %a, %zero : f32
      %b = scf.if %isLess -> f32 {
        %e = math.exp %a : f32
        scf.yield %e : f32
      } else {
        scf.yield %a : f32
      }
      tt.map_elementwise.return %b : f32
    }) : (tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<Tile_Tensor>:$result);
  let regions = (region SizedRegion<1>:$function);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_MapReturnOp : Tile_Op<"map_elementwise.return", [Pure, Terminator, ReturnLike]> {
  let summary = "the elements that a function of scalars makes";
  let description = [{
    The terminator of the region of `tt.map_elementwise`: `pack` values for the first result, then
    those for the second.

    ```mlir
    %q, %r = "tt.map_elementwise"(%x, %y) <{pack = 1 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %d = arith.divsi %a, %b : i32
      %m = arith.remsi %a, %b : i32
      tt.map_elementwise.return %d, %m : i32, i32
    }) : (tensor<64xi32>, tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>)
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

def Tile_InlineAsmOp : Tile_Op<"inline_asm", [Tile_InPlace,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "assembly of the target, applied to each element";
  let description = [{
    The text is LLVM's: `$0` is the first register of the constraints, `$$` a dollar sign. Results
    come first, then operands, a register each for `pack` elements: elements of less than 32 bits
    share registers of 32, the first in the lowest bits. Where there are not enough elements, one is
    passed more than once. Targets without this assembly refuse it.

    Without `pure`, it has effects besides its results: it stays where it is, as often as it is there,
    and runs in every thread that holds a copy of the element.

    - (inline_asm_c1) there is a result, and all operands and results have one shape;
    - (inline_asm_c2) pack is a power of two;
    - (inline_asm_c3) the constraints name a register for each that results and operands take, of
      `r` (32 bits), `h`, `c` (16), `l` (64), `f` (float32), `d` (float64), `b` (a predicate), or of an
      input the number of the output that it shares a register with;
    - (inline_asm_c4) a register is wide enough for its elements, and the text names those there are.

    ```mlir
    %y = tt.inline_asm "prmt.b32 $0, $1, $2, 0x5140;", "=r,r,r" pure %a, %b {pack = 4 : i32} : (tensor<64xi8>, tensor<64xi8>) -> tensor<64xi8>
    ```
  }];
  let arguments = (ins StrAttr:$text, StrAttr:$constraints, UnitAttr:$pure,
      Variadic<Tile_Any>:$args, DefaultValuedAttr<I32Attr, "1">:$pack);
  let results = (outs Variadic<Tile_Any>:$result);
  let assemblyFormat = [{
    $text `,` $constraints (`pure` $pure^)? ($args^)? attr-dict `:` functional-type($args, $result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How so many elements of `type` lie in registers: elements in each, and registers.
    struct Packing {
      unsigned perRegister, registers;
    };
    static Packing packingOf(::mlir::Type element, unsigned pack);
    Packing packingOf(::mlir::Value value) {
      return packingOf(elementType(value.getType()), getPack());
    }
    /// The letter of each register, outputs first; an input that shares one has its letter.
    ::llvm::SmallVector<char> getLetters();
    /// Bits of a register of that letter; 0 for one that is unknown.
    static unsigned bitsOf(char letter);
  }];
}

def Tile_ReadRegisterOp : Tile_Op<"read_register", [MemoryEffects<[MemWrite, MemRead]>]> {
  let summary = "a register of the machine";
  let description = [{
    `globaltimer` is a clock in nanoseconds that never goes back; threads of one program read it one
    by one, and may find different times. `smid` is the number of the multiprocessor that the program
    runs on, 0 where there are none.

    - (read_register_c1) globaltimer is i64, smid is i32.

    ```mlir
    %now = tt.read_register globaltimer : i64
    ```
  }];
  let arguments = (ins Tile_MachineRegister:$which);
  let results = (outs AnyTypeOf<[I32, I64]>:$result);
  let assemblyFormat = "$which attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_GridDependencyOp : Tile_Op<"grid_dependency", [MemoryEffects<[MemWrite, MemRead]>]> {
  let summary = "what a program has to do with launches that overlap with its own";
  let description = [{
    `wait`: until the launches before, with which this one may overlap, are over and what they have
    written can be read. `launch_dependents`: those behind may begin. Nothing where launches do not
    overlap.

    ```mlir
    tt.grid_dependency wait
    ```
  }];
  let arguments = (ins Tile_GridDependency:$kind);
  let assemblyFormat = "$kind attr-dict";
}

#endif
