// RUN: tritium-opt %s -split-input-file -verify-diagnostics -convert-ttg-to-llvm

// What is asked of a CTA and of a program.
tt.func @no_loop(%p: !tt.ptr<i32>) {
  // expected-error @+1 {{'ttg.cta_id' is for kernels with ttg.persistent, whose CTAs loop over programs}}
  %i = ttg.cta_id : i32
  tt.store %p, %i : !tt.ptr<i32>
  tt.return
}

// -----

tt.func @program(%p: !tt.ptr<i32>) attributes {ttg.persistent} {
  // expected-error @+1 {{'tt.get_program_id' is for kernels without ttg.persistent, whose CTAs are no programs; take 'ttg.program_id' for the program's id, and leave out what reports it}}
  %i = tt.get_program_id 0 : i32
  tt.store %p, %i : !tt.ptr<i32>
  tt.return
}

// -----

tt.func @print(%v: i32) attributes {ttg.persistent} {
  // expected-error @+1 {{'tt.print' is for kernels without ttg.persistent}}
  tt.print "v" {hex = false, isSigned = array<i1: true>} : %v : i32
  tt.return
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @next(%p: i32, %n: i32) attributes {ttg.persistent} {
  // expected-error @+1 {{'ttg.next_program' is for one warp of a kernel with ttg.program_counter, found 4 of a kernel without it}}
  %q = ttg.next_program %p of %n : i32
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @four_warps(%p: i32, %n: i32) attributes {ttg.persistent, ttg.program_counter} {
  // expected-error @+1 {{'ttg.next_program' is for one warp of a kernel with ttg.program_counter, found 4 of a kernel with it}}
  %q = ttg.next_program %p of %n : i32
  tt.return
}
}
