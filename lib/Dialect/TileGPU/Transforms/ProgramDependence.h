//===- ProgramDependence.h - whether the order of programs matters --*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_PROGRAMDEPENDENCE_H
#define TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_PROGRAMDEPENDENCE_H

#include "tritium/Dialect/Tile/IR/Tile.h"

namespace tritium::ttg {

/// What may wait for another program, ask what others have done, or tell on which CTA it runs;
/// null: programs of `kernel` may run in any order, also one after the other. Of what stands
/// between ttg-schedule-loops and ttg-expand-pipeline.
mlir::Operation *findDependence(tt::FuncOp kernel);

} // namespace tritium::ttg

#endif // TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_PROGRAMDEPENDENCE_H
