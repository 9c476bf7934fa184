// RUN: tritium-opt %S/Inputs/odd.mlir > %t.before
// RUN: tritium-opt %S/Inputs/odd.mlir -tt-scalarize-loop-offsets > %t.after
// RUN: diff %t.before %t.after

// Tiles of pointers that differ by more than a scalar are carried as they are.
