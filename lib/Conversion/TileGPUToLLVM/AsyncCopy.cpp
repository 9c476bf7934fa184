//===- AsyncCopy.cpp - copies from global to shared memory ----------------===//
//
// cp.async of up to 16 bytes a lane. A copy can end early, where a mask is a bound, and fills the
// rest with zeros; it cannot begin late.
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"
#include "Distance.h"
#include "LocalMemory.h"
#include "Memory.h"

#include <memory>

using namespace mlir;

namespace tritium::ttg {

/// An address as inline assembly has it.
static std::string address(unsigned operand, int32_t offset) {
  return "[$" + std::to_string(operand) + (offset ? "+" + std::to_string(offset) : "") + "]";
}

/// Of neighbours along `dim` whose mask is true up to somewhere and false behind.
Value LocalMemoryLowering::bytesInside(Value mask, unsigned dim, ArrayRef<unsigned> group,
                                       unsigned bytes) {
  auto isConstant = [&](Value mask) {
    return axes.get(mask).constancy[dim] % int64_t(group.size()) == 0;
  };
  if (isConstant(mask))
    return select(get(mask)[group[0]], i32(bytes * group.size()), i32(0));
  if (auto both = mask.getDefiningOp<arith::AndIOp>())
    for (unsigned i : {0u, 1u})
      if (Value one = both->getOperand(i); isConstant(one))
        return select(get(one)[group[0]], bytesInside(both->getOperand(1 - i), dim, group, bytes),
                      i32(0));
  Value count = i32(0);
  for (auto [i, r] : llvm::enumerate(group))
    count = select(get(mask)[r], i32(bytes * (i + 1)), count);
  return count;
}

/// Element by element, where nothing tells any more that neighbours make up 4 bytes. What it
/// writes is seen behind the barrier that follows the wait.
void LocalMemoryLowering::copyNow(AsyncCopyGlobalToLocalOp op) {
  MemDescType memory = op.getDst().getType();
  Type element = memory.getElementType();
  const Registers &pointers = get(op.getPtr());
  Registers loaded;
  for (auto [r, pointer] : llvm::enumerate(pointers)) {
    Value mask = op.getMask() ? get(op.getMask())[r] : boolean(true);
    Value bits = MemoryLowering(*this)
                     .loadWords(pointer, mask, {}, 1, 8 * tt::scalarBytes(element), "ld.global")
                     .front();
    loaded.push_back(fromMemory(bits, element));
  }
  storeLocal(scalar(op.getDst()), memory, op.getPtr().getType(), loaded);
}

/// Runs of 2^`run` neighbours along `dim`, from the panel that begins at `start`.
void LocalMemoryLowering::copyPanel(AsyncCopyGlobalToLocalOp op, const Panels &panels,
                                    const Coordinates &start, unsigned run, unsigned dim) {
  MemDescType memory = op.getDst().getType();
  unsigned bytes = tt::scalarBytes(memory.getElementType()), size = bytes << run;
  LinearLayout places = offsetsOf(memory).compose(panels.to.core().flattenOutputs());
  const TileLayout &layout = this->layout(op.getPtr());
  auto addresses = std::make_shared<Addresses>(*this, addressOf(scalar(op.getDst()), memory, start),
                                               inBytes(places, bytes), lane, warp);
  Value first = isFirstCopy(layout);
  const Registers &pointers = get(op.getPtr());
  SmallVector<unsigned> ofTile = registersOfPanel(layout, panels.to, start);
  for (ArrayRef<unsigned> inPanel : runsOf(places, run)) {
    auto group = llvm::map_to_vector(inPanel, [&](unsigned r) { return ofTile[r]; });
    unsigned reg = inPanel[0];
    Value source = pointers[group[0]];
    auto copy = [this, mask = op.getMask(), addresses, first, size, reg, source, bytes, dim,
                 group] {
      // Bytes beyond the given number are filled with zeros.
      Value valid = mask ? bytesInside(mask, dim, group, bytes) : i32(size);
      auto [to, toOffset] = splitOffset(addresses->of(reg));
      auto [from, fromOffset] = splitOffset(source);
      Value target = b.create<LLVM::PtrToIntOp>(loc, b.getI32Type(), to);
      SmallVector<Value> operands{target, from, valid};
      std::string constraints = "r,l,r", guard;
      if (first) {
        operands.push_back(first);
        constraints += ",b";
        guard = "@$3 ";
      }
      // Only whole 16 bytes can pass by the L1 cache.
      assembly({},
               guard + "cp.async." + (size == 16 ? "cg" : "ca") + ".shared.global " +
                   address(0, toOffset) + ", " + address(1, fromOffset) + ", " +
                   std::to_string(size) + ", $2;",
               constraints, operands);
    };
    emitHereOrInDot(op, copy);
  }
}

LogicalResult LocalMemoryLowering::lowerAsyncCopy(AsyncCopyGlobalToLocalOp op) {
  MemDescType memory = op.getDst().getType();
  const TileLayout &layout = this->layout(op.getPtr());
  Panels panels = panelsIn(memory, layout);
  LinearLayout places = offsetsOf(memory).compose(panels.to.core().flattenOutputs());
  // A copy can end early, but not begin late.
  auto [bound, dim] = accessRuns(op.getPtr(), op.getMask(), layout, axes, Crossing::AtEnd);
  unsigned run = std::min<unsigned>(runBits(places), llvm::Log2_64(bound.width));
  if (unsigned(tt::scalarBytes(memory.getElementType())) << run < 4) {
    copyNow(op);
    return success();
  }
  for (const Coordinates &start : panels.starts)
    copyPanel(op, panels, start, run, dim);
  return success();
}

} // namespace tritium::ttg
