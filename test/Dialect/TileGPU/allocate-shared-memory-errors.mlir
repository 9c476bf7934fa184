// RUN: tritium-opt %s -verify-diagnostics -ttg-allocate-shared-memory

// Places are counted in 32 bits.
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func private @far(%x: i32) {
    // expected-error @+1 {{the program would need 2147483648 bytes of shared memory at once; use smaller tiles or fewer stages}}
    %m = ttg.local_alloc : !ttg.memdesc<536870912xf32, #s, mutable>
    tt.return
  }
}
