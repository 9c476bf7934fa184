// RUN: tritium-opt %S/../Tile/Inputs/odd.mlir > %t.before
// RUN: tritium-opt %S/../Tile/Inputs/odd.mlir -tritongpu-reorder-instructions > %t.after
// RUN: diff %t.before %t.after

// Loads and what they load from stay in front of the loops that may store there.
