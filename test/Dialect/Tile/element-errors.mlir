// One case for each numbered constraint of the operations with code for elements.
// RUN: tritium-opt %s -split-input-file -verify-diagnostics

tt.func @map_elementwise_c1_nothing() {
  // expected-error @+1 {{(map_elementwise_c1) needs an operand and a result}}
  "tt.map_elementwise"() <{pack = 1 : i32}> ({
    tt.map_elementwise.return
  }) : () -> ()
  tt.return
}

// -----

tt.func @map_elementwise_c1_shapes(%x: f32) {
  %a = tt.splat %x : f32 -> tensor<4xf32>
  // expected-error @+1 {{numbers in one shape, found 'tensor<4xf32>' and 'tensor<8xf32>'}}
  %b = "tt.map_elementwise"(%a) <{pack = 1 : i32}> ({
  ^bb0(%e: f32):
    tt.map_elementwise.return %e : f32
  }) : (tensor<4xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @map_elementwise_c1_pointers(%x: !tt.ptr<f32>) {
  %a = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  // expected-error @+1 {{(map_elementwise_c1) operands and results must hold numbers}}
  %b = "tt.map_elementwise"(%a) <{pack = 1 : i32}> ({
  ^bb0(%e: !tt.ptr<f32>):
    tt.map_elementwise.return %e : !tt.ptr<f32>
  }) : (tensor<4x!tt.ptr<f32>>) -> tensor<4x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @map_elementwise_c2(%x: f32) {
  %a = tt.splat %x : f32 -> tensor<4xf32>
  // expected-error @+1 {{(map_elementwise_c2) pack must be positive, found 0}}
  %b = "tt.map_elementwise"(%a) <{pack = 0 : i32}> ({
  ^bb0(%e: f32):
    tt.map_elementwise.return %e : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @map_elementwise_c3(%x: f32) {
  %a = tt.splat %x : f32 -> tensor<4xf32>
  // expected-error @+1 {{(map_elementwise_c3) the region must take ('f32', 'f32') and return ('f32', 'f32')}}
  %b = "tt.map_elementwise"(%a) <{pack = 2 : i32}> ({
  ^bb0(%e: f32):
    tt.map_elementwise.return %e : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @map_elementwise_c4_effect(%x: f32) {
  %a = tt.splat %x : f32 -> tensor<4xf32>
  %b = "tt.map_elementwise"(%a) <{pack = 1 : i32}> ({
  ^bb0(%e: f32):
    // expected-error @+1 {{(map_elementwise_c4) cannot stand here: what is applied to each element only computes}}
    tt.print "e" {hex = false, isSigned = array<i1: true>} : %e : f32
    tt.map_elementwise.return %e : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @map_elementwise_c4_tile(%x: f32) {
  %a = tt.splat %x : f32 -> tensor<4xf32>
  %b = "tt.map_elementwise"(%a) <{pack = 1 : i32}> ({
  ^bb0(%e: f32):
    // expected-error @+1 {{(map_elementwise_c4) cannot stand here}}
    %t = tt.splat %e : f32 -> tensor<4xf32>
    tt.map_elementwise.return %e : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @map_elementwise_captures(%x: f32) {
  %a = tt.splat %x : f32 -> tensor<4xf32>
  // expected-note @+1 {{required by region isolation constraints}}
  %b = "tt.map_elementwise"(%a) <{pack = 1 : i32}> ({
  ^bb0(%e: f32):
    // expected-error @+1 {{using value defined outside the region}}
    tt.map_elementwise.return %x : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @inline_asm_c1_nothing(%x: f32) {
  // expected-error @+1 {{(inline_asm_c1) needs a result}}
  tt.inline_asm "trap;", "" : () -> ()
  tt.return
}

// -----

tt.func @inline_asm_c1_shapes(%x: f32) {
  // expected-error @+1 {{(inline_asm_c1) operands and results must have one shape, found 'tensor<4xf32>' and 'f32'}}
  %a = tt.inline_asm "mov.b32 $0, $1;", "=f,f" pure %x : (f32) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @inline_asm_c2(%x: f32) {
  // expected-error @+1 {{(inline_asm_c2) pack must be a power of two, at most 64, found 3}}
  %a = tt.inline_asm "mov.b32 $0, $1;", "=f,f" pure %x {pack = 3 : i32} : (f32) -> f32
  tt.return
}

// -----

tt.func @inline_asm_c3_letter(%x: f32) {
  // expected-error @+1 {{(inline_asm_c3) the constraint '=z' is no register; there are r (32 bits)}}
  %a = tt.inline_asm "mov.b32 $0, $1;", "=z,f" pure %x : (f32) -> f32
  tt.return
}

// -----

tt.func @inline_asm_c3_empty(%x: f32) {
  // expected-error @+1 {{(inline_asm_c3) the constraint '' names no register}}
  %a = tt.inline_asm "mov.b32 $0, $1;", "=r,,f" pure %x : (f32) -> f32
  tt.return
}

// -----

tt.func @inline_asm_c3_read_and_written(%x: f32) {
  // expected-error @+1 {{(inline_asm_c3) the constraint '+r' is not LLVM's: write '=r' for what is written}}
  %a = tt.inline_asm "add.f32 $0, $0, $0;", "+r" pure %x : (f32) -> f32
  tt.return
}

// -----

tt.func @inline_asm_c3_order(%x: f32) {
  // expected-error @+1 {{(inline_asm_c3) the output '=f' stands behind an input; outputs come first}}
  %a = tt.inline_asm "mov.b32 $0, $1;", "f,=f" pure %x : (f32) -> f32
  tt.return
}

// -----

tt.func @inline_asm_c3_shared(%x: f32) {
  // expected-error @+1 {{(inline_asm_c3) the constraint '1' names an output, and there are 1}}
  %a = tt.inline_asm "add.f32 $0, $0, $0;", "=f,1" pure %x : (f32) -> f32
  tt.return
}

// -----

tt.func @inline_asm_c3_no_number(%x: f32) {
  // expected-error @+1 {{(inline_asm_c3) the constraint '0f' is no number of an output}}
  %a = tt.inline_asm "add.f32 $0, $0, $0;", "=f,0f" pure %x : (f32) -> f32
  tt.return
}

// -----

tt.func @inline_asm_c3_no_output(%x: f32) {
  // expected-error @+1 {{have 0 outputs and 2 inputs, but with pack=1 1 result and 1 argument take 1 and 1}}
  %a = tt.inline_asm "mov.b32 $0, $1;", "f,f" pure %x : (f32) -> f32
  tt.return
}

// -----

// Four bytes share a register of 32 bits; four words do not.
tt.func @inline_asm_c3_packed(%x: i8, %y: i32) {
  // expected-error @+1 {{have 1 output and 2 inputs, but with pack=4 1 result and 2 arguments take 1 and 5}}
  %a = tt.inline_asm "mov.b32 $0, $1;", "=r,r,r" pure %x, %y {pack = 4 : i32} : (i8, i32) -> i8
  tt.return
}

// -----

tt.func @inline_asm_c4_result(%x: f32) {
  // expected-error @+1 {{(inline_asm_c4) the constraint 'h' is for 16 bits, and result 0 has 32 in a register (1 of 'i32')}}
  %a = tt.inline_asm "mov.b32 $0, $1;", "=h,f" pure %x : (f32) -> i32
  tt.return
}

// -----

tt.func @inline_asm_c4_argument(%x: i8) {
  // expected-error @+1 {{(inline_asm_c4) the constraint 'h' is for 16 bits, and argument 0 has 32 in a register (4 of 'i8')}}
  %a = tt.inline_asm "mov.b32 $0, $1;", "=r,h" pure %x {pack = 4 : i32} : (i8) -> i8
  tt.return
}

// -----

tt.func @inline_asm_c4_float(%x: f16) {
  // expected-error @+1 {{(inline_asm_c4) the constraint 'f' is for 32 bits, and argument 0 has 16}}
  %a = tt.inline_asm "mov.b32 $0, $1;", "=r,f" pure %x : (f16) -> i32
  tt.return
}

// -----

tt.func @inline_asm_c4_register(%x: f32) {
  // expected-error @+1 {{(inline_asm_c4) the text names $2, and the constraints have the registers $0 to $1}}
  %a = tt.inline_asm "add.f32 $0, $1, $2;", "=f,f" pure %x : (f32) -> f32
  tt.return
}

// -----

tt.func @inline_asm_c4_one_register() {
  // expected-error @+1 {{(inline_asm_c4) the text names $1, and the constraints have one register, $0}}
  %a = tt.inline_asm "mov.u32 $0, ${1};", "=r" pure : () -> i32
  tt.return
}

// -----

tt.func @inline_asm_c4_dollar() {
  // expected-error @+1 {{(inline_asm_c4) a '$' in the text must stand before the number of a register ('$0'), or be '$$'}}
  %a = tt.inline_asm "mov.u32 $0, 1; $(", "=r" pure : () -> i32
  tt.return
}

// -----

tt.func @inline_asm_c3_clobber() {
  // expected-error @+1 {{(inline_asm_c3) the constraint '~{}' is none of what is overwritten: '~{memory}'}}
  %a = tt.inline_asm "mov.u32 $0, 1;", "=r,~{}" pure : () -> i32
  tt.return
}

// -----

tt.func @inline_asm_c4_character() {
  // expected-error @+1 {{(inline_asm_c4) the text has a character that is not ASCII}}
  %a = tt.inline_asm "mov.u32 $0, 1;\00", "=r" pure : () -> i32
  tt.return
}

// -----

tt.func @inline_asm_c4_modifier() {
  // expected-error @+1 {{(inline_asm_c4) a '$' in the text}}
  %a = tt.inline_asm "mov.u32 ${0:q}, 1;", "=r" pure : () -> i32
  tt.return
}

// -----

tt.func @read_register_c1() {
  // expected-error @+1 {{(read_register_c1) globaltimer has type i64, found 'i32'}}
  %a = tt.read_register globaltimer : i32
  tt.return
}
