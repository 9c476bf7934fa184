//===- DebugOps.td - where a program may stop ------------------*- tablegen -*-===//

#ifndef TRITIUM_DEBUG_OPS_TD
#define TRITIUM_DEBUG_OPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Debug_Dialect : Dialect {
  let name = "dbg";
  let cppNamespace = "::tritium::dbg";
  let summary = "Lines and variables of a kernel that is being debugged";
  let description = [{
    Tile IR of the front ends has these operations only where it is made for a debugger. Only the
    interpreter runs them; for every other target they are taken out before the first pass.
  }];
}

class Debug_Op<string mnemonic> : Op<Debug_Dialect, mnemonic, [MemoryEffects<[MemRead, MemWrite]>]>;

def Debug_LineOp : Debug_Op<"line"> {
  let summary = "a statement begins, and this is what the names of its function stand for";
  let description = [{
    Its location is the statement's. `depth` counts the calls that lead to it, which are built into
    the kernel: the lines of less depth that were reached last are where its callers are. A name may
    be a part of a variable, as `pair[0]`. `masks`: the operand that says which elements of another
    one were loaded, or -1; such operands follow the named ones. `known` has what is known at
    compile time, as Python writes it.
    - (line_c1) a name, a type and a mask for each value that is no mask;
    - (line_c2) a mask is one of the operands behind the named ones;
    - (line_c3) `known` holds texts.

    ```mlir
    dbg.line "add" 0 ["x"] ["float32"] [-1] {BLOCK = "64"} : %x : tensor<64xf32>
    ```
  }];
  let arguments = (ins StrAttr:$function, I32Attr:$depth, StrArrayAttr:$names, StrArrayAttr:$types,
      DenseI32ArrayAttr:$masks, DictionaryAttr:$known, Variadic<AnyType>:$values);
  let assemblyFormat = [{
    $function $depth $names $types $masks $known attr-dict (`:` $values^ `:` type($values))?
  }];
  let hasVerifier = 1;
}

def Debug_BreakpointOp : Debug_Op<"breakpoint"> {
  let summary = "the program stops at the line that was reached last";
  let description = [{
    Only the program `pid` stops, as far as it is said.
    - (breakpoint_c1) at most three numbers.

    ```mlir
    dbg.breakpoint [3, 0]
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$pid);
  let assemblyFormat = "$pid attr-dict";
  let hasVerifier = 1;
}

#endif
