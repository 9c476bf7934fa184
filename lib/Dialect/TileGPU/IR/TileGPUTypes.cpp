//===- TileGPUTypes.cpp - types of the ttg dialect ------------------------===//

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tritium::ttg;

namespace {
/// 128x64xf16
ParseResult parseShape(AsmParser &parser, SmallVector<int64_t> &shape, Type &element) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
                 parser.parseType(element));
}

void printShape(AsmPrinter &printer, ArrayRef<int64_t> shape, Type element) {
  for (int64_t extent : shape)
    printer << extent << 'x';
  printer << element;
}
} // namespace

#define GET_TYPEDEF_CLASSES
#include "tritium/Dialect/TileGPU/IR/TileGPUTypes.cpp.inc"

void TileGPUDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tritium/Dialect/TileGPU/IR/TileGPUTypes.cpp.inc"
      >();
}

LogicalResult MemDescType::verify(llvm::function_ref<InFlightDiagnostic()> emit,
                                  ArrayRef<int64_t> shape, Type element,
                                  SharedEncodingAttr encoding) {
  size_t rank = encoding.getOrder().size();
  if (shape.size() != rank && shape.size() != rank + 1)
    return emit() << "(memdesc_c2) the layout's rank must be the shape's, or one less, found "
                  << rank << " for " << shape.size() << " dimensions";
  if (!llvm::all_of(shape.take_back(rank), [](int64_t n) { return llvm::isPowerOf2_64(n); }))
    return emit() << "(memdesc_c1) extents must be powers of two";
  return success();
}

int64_t MemDescType::getTileBytes() const {
  int64_t bytes = tritium::tt::scalarBytes(getElementType());
  for (int64_t extent : getTileShape())
    bytes *= extent;
  return bytes;
}
