//===- TileTypes.cpp - types of the tt dialect ----------------------------===//

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tritium::tt;

#define GET_TYPEDEF_CLASSES
#include "tritium/Dialect/Tile/IR/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tritium/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
}

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee,
                                  unsigned) {
  if (!isScalar(pointee))
    return emitError() << "(ptr_c1) a pointer points to an integer, a float or a "
                          "pointer, not to "
                       << pointee;
  return success();
}

namespace tritium::tt {

bool isTileInt(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isSignless() &&
         llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

bool isTileFloat(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() || type.isFloat8E5M2() ||
         type.isFloat8E4M3FN();
}

bool isScalar(Type type) { return isTileInt(type) || isTileFloat(type) || isa<PointerType>(type); }

bool isTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() >= 1 && tensor.hasStaticShape() &&
         llvm::all_of(tensor.getShape(), [](int64_t d) { return d > 0; }) &&
         isScalar(tensor.getElementType());
}

unsigned scalarBits(Type type) {
  return isa<PointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
}

unsigned scalarBytes(Type type) { return llvm::divideCeil(scalarBits(type), 8); }

} // namespace tritium::tt
