//===- FuncOps.td - functions and the launch grid --------------*- tablegen -*-===//

#ifndef TRITIUM_TILE_FUNC_OPS_TD
#define TRITIUM_TILE_FUNC_OPS_TD

include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Tile_FuncOp : Tile_Op<"func", [AffineScope, AutomaticAllocationScope, CallableOpInterface,
                                   FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "a kernel or a function that kernels call";
  let description = [{
    A public function is a kernel: it returns nothing and its arguments are
    scalars. A private function is called by `tt.call` and inlined.

    Argument attributes: `tt.divisibility = n : i32` (the value, or the address in
    bytes, is a multiple of n), `tt.name = "x_ptr"`, `tt.const` (a pointer that is
    not stored through).

    Example:

    ```mlir
    tt.func @copy(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32>) {
      %v = tt.load %x : !tt.ptr<f32>
      tt.store %y, %v : !tt.ptr<f32>
      tt.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region MaxSizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
                                 CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>", "{}">:$attrs,
                                 CArg<"::llvm::ArrayRef<::mlir::DictionaryAttr>", "{}">:$argAttrs)>];
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    /// A kernel is a public function.
    bool isKernel() { return isPublic(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_ReturnOp : Tile_Op<"return", [Pure, HasParent<"FuncOp">, ReturnLike, Terminator]> {
  let summary = "returns from a function";
  let description = [{
    - (return_c1) what it returns is what the type of the function says.

    ```mlir
    tt.func private @twice(%x: f32) -> f32 {
      %y = arith.addf %x, %x : f32
      tt.return %y : f32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

def Tile_CallOp : Tile_Op<"call", [CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "calls a private function";
  let description = [{
    The callee is inlined before anything else happens; so it may not call itself, be it through others.

    ```mlir
    tt.func private @id(%x: f32) -> f32 {
      tt.return %x : f32
    }
    tt.func @kernel(%p: !tt.ptr<f32>, %x: f32) {
      %y = tt.call @id(%x) : (f32) -> f32
      tt.store %p, %y : !tt.ptr<f32>
      tt.return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>);
  let extraClassDeclaration = [{
    ::mlir::CallInterfaceCallable getCallableForCallee() { return getCalleeAttr(); }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(
          ::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
    operand_range getArgOperands() { return getOperands(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() { return getOperandsMutable(); }
  }];
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)";
}

def Tile_GetProgramIdOp : Tile_Op<"get_program_id", [Pure]> {
  let summary = "index of this program along an axis of the grid";
  let description = [{
    From 0 to the extent of the grid, which is `tt.get_num_programs`, less one.

    ```mlir
    %id = tt.get_program_id 0 : i32
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def Tile_GetNumProgramsOp : Tile_Op<"get_num_programs", [Pure]> {
  let summary = "extent of the grid along an axis";
  let description = [{
    The same for all programs of a launch, and at least 1.

    ```mlir
    %n = tt.get_num_programs 2 : i32
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def Tile_ProgramShareOp : Tile_Op<"program_share", [Pure]> {
  let summary = "which of a program's rounds are to be done here";
  let description = [{
    A program that adds up over a loop of $rounds rounds may have several parts. This one has the
    rounds $from up to, and without, $to; all $parts together have each round once. What they leave
    in memory stands in places one behind the other, in their order: the first part's in $first,
    this one's in $place. Where there is one part, it has all rounds.

    $rounds is at least 0, and the same for all programs of a launch. `ttg-persist-programs` says
    which CTA has which part.

    ```mlir
    %from, %to, %place, %first, %parts = tt.program_share %rounds
    ```
  }];
  let arguments = (ins I32:$rounds);
  let results = (outs I32:$from, I32:$to, I32:$place, I32:$first, I32:$parts);
  let assemblyFormat = "$rounds attr-dict";
}

#endif
