// RUN: not tritium compile --from %s --target cuda:80 2>&1 | FileCheck %s -DFILE=%s

// An error in tile IR stands in the file that was named.
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @k(%x: i32) {
    // CHECK: [[FILE]]:[[#@LINE + 1]]:25: error: use of undeclared SSA value name
    %y = arith.addi %x, %z : i32
    tt.return
  }
}
