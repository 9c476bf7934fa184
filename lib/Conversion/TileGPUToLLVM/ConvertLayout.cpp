//===- ConvertLayout.cpp - tiles from one layout to another ---------------===//
//
// If every lane already holds the elements that it needs, registers are renamed. If every warp
// does, lanes shuffle them (Shuffle.cpp), unless that is more work than to write and read them.
// Otherwise the tile goes through shared memory: where the extents are powers of two, at offsets
// that make both sides free of bank conflicts, or from where ldmatrix can read; else in row-major
// order. Neighbours that lie in registers together move in one access.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include <map>

using namespace mlir;

namespace tritium::ttg {

/// The registers of `tile` that hold a panel, in the order of the panel's own.
static SmallVector<unsigned> registersOf(const TileLayout &tile, const TileLayout &panel,
                                         const Coordinates &start) {
  SmallVector<unsigned> registers;
  if (tile.registers() == panel.registers()) {
    llvm::append_range(registers, llvm::seq(0u, tile.registers()));
    return registers;
  }
  std::map<Coordinates, unsigned> registerAt = byPlace(tile);
  for (unsigned r = 0; r < panel.registers(); ++r) {
    Coordinates at = panel.offset(r);
    for (auto [x, begin] : llvm::zip(at, start))
      x += begin;
    registers.push_back(registerAt.find(at)->second);
  }
  return registers;
}

Value Lowering::sharedAddress(Operation *op, uint64_t bytes) {
  return gep(sharedBase, b.getI8Type(), int32_t(shared.offsetOf(op) + bytes));
}

Value Lowering::loadShared(Value address, Type type) {
  return b.create<LLVM::LoadOp>(loc, type, address);
}

/// Without a branch: `@p st.shared`.
void Lowering::storeShared(Value predicate, Value address, Value x) {
  if (!predicate) {
    b.create<LLVM::StoreOp>(loc, x, address);
    return;
  }
  Type type = x.getType();
  if (isa<LLVM::LLVMPointerType>(type))
    x = b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), x);
  unsigned bits = x.getType().getIntOrFloatBitWidth();
  if (bits == 1) {
    x = zext(x, 8);
    bits = 8;
  }
  x = bitcast(x, intType(bits));
  StringRef letter = bits == 64 ? "l" : bits == 32 ? "r" : "h";
  if (bits == 8)
    x = zext(x, 16);
  Value where = b.create<LLVM::PtrToIntOp>(loc, b.getI32Type(), address);
  assembly({}, ("@$0 st.shared.b" + Twine(bits) + " [$1], $2;").str(), ("b,r," + letter).str(),
           {predicate, where, x});
}

Registers Lowering::exchange(Operation *op, Type element, ArrayRef<Value> registers,
                             const TileLayout &from, const TileLayout &to) {
  bool isBool = element.isInteger(1);
  Type stored = isBool ? intType(8) : element;
  unsigned bytes = isa<LLVM::LLVMPointerType>(element)
                       ? 8
                       : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  Value base = sharedAddress(op);
  // Row-major over the true extents: operand and result may have different shapes.
  auto access = [&](const TileLayout &layout, auto visit) {
    SmallVector<Value, 4> thread = coordinatesOfThread(layout);
    unsigned dim = layout.rank() - 1;
    unsigned width = std::min<unsigned>(layout.contiguous(dim), 16 / bytes);
    for (ArrayRef<unsigned> group : layout.vectors(dim, width)) {
      Value index = i32(0);
      for (unsigned d = 0; d < layout.rank(); ++d)
        index = add(mul(index, i32(layout.extents()[d])), coordinate(layout, thread, group[0], d));
      Value inside = isInside(layout, thread, group[0]);
      // What lies in padding is read anywhere.
      if (inside)
        index = select(inside, index, i32(0));
      visit(gep(base, stored, index), inside, group);
    }
  };
  Value first = isFirstCopy(from);
  access(from, [&](Value address, Value inside, ArrayRef<unsigned> group) {
    Value predicate = both(first, inside);
    auto stored = [&](unsigned r) { return isBool ? zext(registers[r], 8) : registers[r]; };
    if (predicate || group.size() == 1) {
      for (auto [i, r] : llvm::enumerate(group))
        storeShared(predicate, gep(address, stored(r).getType(), int32_t(i)), stored(r));
      return;
    }
    auto type = VectorType::get(group.size(), stored(group[0]).getType());
    if (isa<LLVM::LLVMPointerType>(element)) {
      for (auto [i, r] : llvm::enumerate(group))
        storeShared({}, gep(address, element, int32_t(i)), registers[r]);
      return;
    }
    Value vector = undef(type);
    for (auto [i, r] : llvm::enumerate(group))
      vector = b.create<LLVM::InsertElementOp>(loc, vector, stored(r), i32(i));
    b.create<LLVM::StoreOp>(loc, vector, address, group.size() * bytes);
  });
  barrier();
  Registers result(to.registers());
  access(to, [&](Value address, Value, ArrayRef<unsigned> group) {
    auto restored = [&](Value x) { return isBool ? trunc(x, 1) : x; };
    if (group.size() == 1 || isa<LLVM::LLVMPointerType>(element)) {
      for (auto [i, r] : llvm::enumerate(group))
        result[r] = restored(loadShared(gep(address, stored, int32_t(i)), stored));
      return;
    }
    Value vector = b.create<LLVM::LoadOp>(loc, VectorType::get(group.size(), stored), address,
                                          group.size() * bytes);
    for (auto [i, r] : llvm::enumerate(group))
      result[r] = restored(b.create<LLVM::ExtractElementOp>(loc, vector, i32(i)));
  });
  return result;
}

LogicalResult Lowering::lowerConvert(ConvertLayoutOp op) {
  set(op, converted(op, tt::elementType(op.getType()), get(op.getSrc()), layout(op.getSrc()),
                    layout(op)));
  return success();
}

Registers Lowering::converted(Operation *op, Type element, ArrayRef<Value> src,
                              const TileLayout &from, const TileLayout &to) {
  unsigned bytes = tt::scalarBytes(element);
  Conversion conversion = planConversion(from, to, 8 * bytes);
  if (conversion.kind == Conversion::Registers) {
    std::map<Coordinates, unsigned> registerAt = byPlace(from);
    Registers result;
    for (unsigned r = 0; r < to.registers(); ++r)
      result.push_back(src[registerAt.find(to.offset(r))->second]);
    return result;
  }
  if (!conversion.panels)
    return exchange(op, lowered(element), src, from, to);
  const Panels &panels = *conversion.panels;
  Registers result(to.registers());
  auto panelOf = [&](const Coordinates &start) {
    Registers panel;
    for (unsigned r : registersOf(from, panels.from, start))
      panel.push_back(src[r]);
    return panel;
  };
  auto setPanel = [&](const Coordinates &start, ArrayRef<Value> panel) {
    for (auto [r, value] : llvm::zip(registersOf(to, panels.to, start), panel))
      result[r] = value;
  };
  if (conversion.kind == Conversion::Shuffles) {
    for (const Coordinates &start : panels.starts)
      setPanel(start, shuffleTile(conversion.shuffles, element, panelOf(start)));
    return result;
  }
  LinearLayout offsets = conflictFreeOffsets(panels.from.core(), panels.to.core(), bytes,
                                             storesMatrices(panels.from), options.capability >= 75);
  for (auto [i, start] : llvm::enumerate(panels.starts))
    storeTile(sharedAddress(op, i * panels.bytes), offsets, panels.from, element, panelOf(start));
  barrier();
  LinearLayout places = offsets.compose(panels.to.core().flattenOutputs());
  for (auto [i, start] : llvm::enumerate(panels.starts))
    setPanel(start, loadTile(sharedAddress(op, i * panels.bytes), places, panels.to, element));
  return result;
}

} // namespace tritium::ttg
