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

LogicalResult TensorDescType::verify(function_ref<InFlightDiagnostic()> emitError,
                                     ArrayRef<int64_t> blockShape, Type element, bool padsWithNaN) {
  auto rank = static_cast<int64_t>(blockShape.size());
  if (rank < 1 || rank > kMaxDescriptorRank ||
      llvm::any_of(blockShape, [](int64_t extent) { return extent < 1; }))
    return emitError() << "(tensordesc_c1) a block has 1 to " << kMaxDescriptorRank
                       << " dimensions with positive extents";
  if (!isScalar(element) || element.isInteger(1))
    return emitError() << "(tensordesc_c2) elements are integers of a byte or more, floats or "
                          "pointers, not "
                       << element;
  if (padsWithNaN && !isTileFloat(element))
    return emitError() << "(tensordesc_c3) " << element << " has no NaN";
  return success();
}

Type TensorDescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element))
    return {};
  bool padsWithNaN = succeeded(parser.parseOptionalComma());
  if ((padsWithNaN && parser.parseKeyword("nan")) || parser.parseGreater())
    return {};
  return parser.getChecked<TensorDescType>(parser.getContext(), shape, element, padsWithNaN);
}

void TensorDescType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getBlockShape());
  printer << 'x' << getElementType() << (getPadsWithNaN() ? ", nan>" : ">");
}

namespace tritium::tt {

Type blockMovedBy(Type desc) {
  auto type = dyn_cast<TensorDescType>(desc);
  return type ? Type(type.getBlockType()) : NoneType::get(desc.getContext());
}

Type baseOf(Type desc) {
  auto type = dyn_cast<TensorDescType>(desc);
  return type ? Type(PointerType::get(type.getElementType())) : NoneType::get(desc.getContext());
}

Type rowNumbersOf(Type type) {
  if (!isTile(type))
    return NoneType::get(type.getContext());
  return RankedTensorType::get(shapeOf(type).take_front(), IntegerType::get(type.getContext(), 64));
}

bool isTileInt(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isSignless() &&
         llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

bool isTileFloat(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() || type.isFloat8E5M2() ||
         type.isFloat8E4M3FN() || type.isFloat8E4M3FNUZ() || type.isFloat8E5M2FNUZ();
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
