// RUN: tritium-opt %S/Inputs/odd.mlir > %t.before
// RUN: tritium-opt %S/Inputs/odd.mlir -tt-sink-carried-loads > %t.after
// RUN: diff %t.before %t.after

// Loads behind stores to what may be their array stay where they are.
