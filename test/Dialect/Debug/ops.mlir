// The operations print as they are read, and nothing removes or moves them.
// RUN: tritium-opt %s -cse -canonicalize | tritium-opt | FileCheck %s

// CHECK-LABEL: @stops
tt.func @stops(%n: i32, %x: !tt.ptr<f32>) {
  // CHECK: dbg.line "stops" 0 ["n", "pair[0]"] ["int32", "pointer<float32>"] [-1, -1] {BLOCK = "64"} : %{{.*}}, %{{.*}} : i32, !tt.ptr<f32>
  dbg.line "stops" 0 ["n", "pair[0]"] ["int32", "pointer<float32>"] [-1, -1] {BLOCK = "64"} : %n, %x : i32, !tt.ptr<f32>
  // CHECK-NEXT: dbg.breakpoint [3, 0]
  dbg.breakpoint [3, 0]
  // CHECK-NEXT: dbg.breakpoint []
  dbg.breakpoint []
  tt.return
}
