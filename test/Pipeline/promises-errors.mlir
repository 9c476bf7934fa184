// RUN: sed 's/GIVEN/tt.conditions = [1 : i32]/' %s > %t.ttgir
// RUN: not tritium compile --from %t.ttgir --target cuda:90 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: sed 's/GIVEN/tt.conditions = [array<i64: 8193, 0, 8196, 0>]/' %s > %t.ttgir
// RUN: not tritium compile --from %t.ttgir --target cuda:90 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: sed 's/GIVEN/tt.conditions = [array<i64: 8193, 1>]/' %s > %t.ttgir
// RUN: not tritium compile --from %t.ttgir --target cuda:90 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: sed 's/GIVEN/tt.copy_conditions = {"a.py:1:2" = 5 : i32}/' %s > %t.ttgir
// RUN: not tritium compile --from %t.ttgir --target cuda:90 2>&1 | FileCheck %s --check-prefix=PLACES
// RUN: sed 's/GIVEN/tt.refused_copies = [1 : i32]/' %s > %t.ttir
// RUN: not tritium compile --from %t.ttir --target cuda:90 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: sed 's/GIVEN/tt.conditions = [array<i64: 8193, 0, 8192, 1, 8196, 0>]/' %s > %t.ttgir
// RUN: tritium compile --from %t.ttgir --target cuda:90 2>&1 | FileCheck %s --check-prefix=RIGHT

// What a kernel says of its launches is read when they are made. A sum (kind 4, of 32 bits) takes two
// numbers; there is one argument, number 0.
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @k(%x: i32) attributes {GIVEN} {
    tt.return
  }
}
// NUMBER: kernel 'k': tt.conditions must be a list of launch conditions, array<i64: ...> with a kind and bits, and a value, for each step, found [1 : i32]
// LIST: kernel 'k': tt.conditions must be a list of launch conditions
// PLACES: kernel 'k': tt.copy_conditions must be by places lists of launch conditions, {{.*}}, found {"a.py:1:2" = 5 : i32}
// REFUSED: kernel 'k': tt.refused_copies must be a list of places, which are strings, found [1 : i32]
// RIGHT: .entry k(
