//===- TileNVGPUDialect.cpp - the ttng dialect itself ---------------------===//

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

using namespace mlir;
using namespace tritium;
using namespace tritium::ttng;

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPUDialect.cpp.inc"

void TileNVGPUDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPUOps.cpp.inc"
      >();
}
