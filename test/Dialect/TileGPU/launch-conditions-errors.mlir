// RUN: tritium-opt %S/../Tile/Inputs/odd.mlir > %t.before
// RUN: tritium-opt %S/../Tile/Inputs/odd.mlir -tritongpu-launch-conditions > %t.after
// RUN: diff %t.before %t.after

// No argument decides anything here that accesses rely on.
