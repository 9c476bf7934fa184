//===- BoxOfLoad.cpp - a load of a tile as one of a box -------------------===//

#include "BoxOfLoad.h"

#include "BoxOfTile.h"

#include "tritium/Analysis/PointerBases.h"
#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileNVGPU/IR/Boxes.h"
#include "tritium/Support/EmitRemark.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::ttng {

Writes::Writes(tt::FuncOp func, bool mayAlias) : mayAlias(mayAlias) {
  func.getBody().walk([&](Operation *op) {
    auto access = dyn_cast<tt::MemoryAccess>(op);
    if (isa<tt::LoadOp, LoadBoxOp>(op) || isMemoryEffectFree(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || op->hasTrait<OpTrait::IsTerminator>())
      return;
    if (access)
      pointers.push_back(op->getOperand(0));
    else if (!isa<tt::AssumeOp, tt::PrintOp, ttg::BarrierOp>(op))
      isUnknown = true;
  });
}

bool Writes::mayReach(Value pointer) const {
  return isUnknown || (mayAlias && !pointers.empty()) ||
         llvm::any_of(pointers, [&](Value x) { return mayShareBase(x, pointer); });
}

/// Empty, or why it is no plain load that is zero outside of its mask.
static std::string reasonAgainst(tt::LoadOp load) {
  if (load.getIsVolatile() || load.getCache() != tt::CacheModifier::NONE)
    return "it is volatile, or says how it is cached";
  Value other = load.getOther();
  if (other && !matchPattern(other, m_Zero()) && !matchPattern(other, m_PosZeroFloat()))
    return "what lies outside of its mask is not zero";
  return "";
}

static bool isLaidOut(tt::LoadOp load, Attribute layout, bool isTransposed) {
  auto type = cast<RankedTensorType>(load.getType());
  auto memory =
      ttg::MemDescType::get(load.getContext(), type.getShape(), type.getElementType(), layout);
  if (isTransposed)
    memory = ttg::MemDescTransOp::transposed(memory, {1, 0});
  auto boxes = boxesOf(memory);
  return boxes && memory.getTileBytes() % boxes->alignment == 0;
}

/// Whether dots of warp groups multiply `tile`, and nothing else is done with it.
static bool isForDotsAlone(Value tile) {
  return llvm::all_of(tile.getUsers(), [&](Operation *user) {
    if (isa<ttg::ConvertLayoutOp, tt::TransOp>(user))
      return isForDotsAlone(user->getResult(0));
    auto dot = dyn_cast<tt::DotOp>(user);
    return dot && dot.getC() != tile && ttg::isOfWarpGroups(dot);
  });
}

static BoxOfLoad replace(tt::LoadOp load, Attribute layout, BoxOfTile &box) {
  BoxOfTile::Operands operands = box.build();
  auto type = cast<RankedTensorType>(load.getType());
  if (box.isTransposed())
    type = RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType(),
                                 ttg::transposedLayout(type.getEncoding(), {1, 0}));
  OpBuilder b(load);
  BoxOfLoad made;
  made.copy = b.create<LoadBoxOp>(
      load.getLoc(), type, operands.base, operands.shape, operands.strides, operands.offsets,
      /*roundsToTF32=*/type.getElementType().isF32() && isForDotsAlone(load));
  Value tile = made.copy;
  if (box.isTransposed()) {
    layout = cast<ttg::MemoryLayout>(layout).transposed({1, 0});
    made.trans =
        b.create<tt::TransOp>(load.getLoc(), load.getType(), tile, b.getDenseI32ArrayAttr({1, 0}));
    tile = made.trans;
  }
  made.copy->setAttr(ttg::kAsyncCopy, layout);
  load.replaceAllUsesWith(tile);
  load.erase();
  return made;
}

/// Of what was built in vain in the block.
static void eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (!op.hasAttr(ttg::kSchedule) && isOpTriviallyDead(&op))
      op.erase();
}

/// Empty and `made`, or why not.
static std::string tryBox(tt::LoadOp load, Attribute layout, Remainders remainders,
                          const AxisInfoAnalysis &info, BoxOfLoad &made) {
  AffineReader reader(load->getParentOfType<tt::FuncOp>(), remainders);
  BoxOfTile box(load, reader);
  Block &block = *load->getBlock();
  std::string reason = box.find();
  if (reason.empty() && !isLaidOut(load, layout, box.isTransposed()))
    reason = "its layout in shared memory is none that TMA has";
  if (reason.empty() && !box.beginsAtChunk(info))
    reason = "where its rows begin is not known to be a multiple of 16 bytes";
  Location loc = load.getLoc();
  if (reason.empty()) {
    made = replace(load, layout, box);
    reader.addConditions(loc);
  }
  eraseUnused(block);
  return reason;
}

BoxOfLoad makeBox(tt::LoadOp load, Attribute layout, const Writes &writes) {
  BoxOfLoad made;
  auto refuse = [&](const std::string &reason) {
    remarkMissed(load.getLoc(), "tensor-copies", "threads copy this tile, not TMA: " + reason);
    return made;
  };
  if (writes.mayReach(load.getPtr()))
    return refuse("the kernel may write what it loads");
  // Of the operations that there are now: what is erased later must not be asked for.
  AxisInfoAnalysis info(load->getParentOfType<tt::FuncOp>());
  std::string reason = reasonAgainst(load);
  // Ends that cut boxes leave nothing for launches to see to.
  if (reason.empty() && !tryBox(load, layout, Remainders::Cut, info, made).empty())
    reason = tryBox(load, layout, Remainders::Whole, info, made);
  return reason.empty() ? made : refuse(reason);
}

} // namespace tritium::ttng
