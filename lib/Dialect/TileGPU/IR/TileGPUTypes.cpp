//===- TileGPUTypes.cpp - types of the ttg dialect ------------------------===//

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tritium;
using namespace tritium::ttg;

#define GET_TYPEDEF_CLASSES
#include "tritium/Dialect/TileGPU/IR/TileGPUTypes.cpp.inc"

void TileGPUDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tritium/Dialect/TileGPU/IR/TileGPUTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// memdesc
//===----------------------------------------------------------------------===//

/// `<128x64xf16, #shared, cluster, mutable>`
Type MemDescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  Attribute encoding;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() || parser.parseAttribute(encoding))
    return {};
  auto space = MemorySpace::Shared;
  bool isMutable = false;
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword(stringifyMemorySpace(MemorySpace::Cluster))))
      space = MemorySpace::Cluster;
    else if (succeeded(parser.parseKeyword("mutable")))
      isMutable = true;
    else
      return {};
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); }, parser.getContext(),
                    shape, element, encoding, space, isMutable);
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getShape())
    printer << extent << 'x';
  printer << getElementType() << ", " << getEncoding();
  if (getSpace() != MemorySpace::Shared)
    printer << ", " << stringifyMemorySpace(getSpace());
  if (getIsMutable())
    printer << ", mutable";
  printer << '>';
}

LogicalResult MemDescType::verify(llvm::function_ref<InFlightDiagnostic()> emit,
                                  ArrayRef<int64_t> shape, Type element, Attribute encoding,
                                  MemorySpace, bool) {
  auto layout = llvm::dyn_cast_or_null<MemoryLayout>(encoding);
  if (!layout)
    return emit() << "(memdesc_c3) the layout must be one of memory, found " << encoding;
  size_t rank = layout.getMemoryRank();
  if (shape.size() != rank && shape.size() != rank + 1)
    return emit() << "(memdesc_c2) the layout's rank must be the shape's, or one less, found "
                  << rank << " for " << shape.size() << " dimensions";
  if (!tt::isScalar(element))
    return emit() << "a tile in memory has scalars, found " << element;
  return layout.checkExtents(emit, shape.take_back(rank));
}

MemoryLayout MemDescType::getLayout() const { return llvm::cast<MemoryLayout>(getEncoding()); }

ArrayRef<int64_t> MemDescType::getTileShape() const {
  return getShape().take_back(getLayout().getMemoryRank());
}

bool MemDescType::isOnePanel() const {
  return llvm::equal(getLayout().getPanel(getTileShape()), getTileShape());
}

int64_t MemDescType::getTileBytes() const {
  int64_t bytes = tt::scalarBytes(getElementType());
  SmallVector<int64_t, 4> panel = getLayout().getPanel(getTileShape());
  for (auto [d, extent] : llvm::enumerate(getTileShape()))
    bytes *= panel.empty() ? extent : int64_t(llvm::alignTo(extent, panel[d]));
  return bytes;
}
