// One case for each numbered constraint of the dialect.
// RUN: tritium-opt %s -split-input-file -verify-diagnostics

tt.func @line_c1(%x: i32) {
  // expected-error @+1 {{has 1 names, 0 types and 1 masks for 1 values; each name has one of each (line_c1)}}
  dbg.line "f" 0 ["x"] [] [-1] {} : %x : i32
  tt.return
}

// -----

tt.func @line_c2(%x: i32) {
  // expected-error @+1 {{has the mask 0, which is none of the operands 1 to 0 behind the named ones (line_c2)}}
  dbg.line "f" 0 ["x"] ["int32"] [0] {} : %x : i32
  tt.return
}

// -----

tt.func @line_c3() {
  // expected-error @+1 {{knows 'B' as 64 : i32, which must be a text (line_c3)}}
  dbg.line "f" 0 [] [] [] {B = 64 : i32}
  tt.return
}

// -----

tt.func @breakpoint_c1() {
  // expected-error @+1 {{has 4 numbers for the program, which has three at most (breakpoint_c1)}}
  dbg.breakpoint [0, 1, 2, 3]
  tt.return
}
