//===- WarpSpecializer.cpp - a kernel in two groups of warps --------------===//

#include "WarpSpecializer.h"

#include "BarrierRing.h"

#include "tritium/Dialect/TileNVGPU/IR/Boxes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

using namespace mlir;

namespace tritium::ttg {

//===----------------------------------------------------------------------===//
// What the group that loads computes
//===----------------------------------------------------------------------===//

std::string LoadersPart::add(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return "";
    unsigned number = argument.getArgNumber() - 1;
    if (!carried.insert({loop, number}))
      return "";
    std::string reason = add(loop.getInitArgs()[number]);
    return reason.empty() ? add(loop.getYieldedValues()[number]) : reason;
  }
  Operation *op = value.getDefiningOp();
  if (common.contains(op) || operations.contains(op))
    return "";
  if (op->getNumRegions() || !isMemoryEffectFree(op))
    return "what it copies depends on '" + op->getName().getStringRef().str() +
           "', which only one group of warps can do";
  operations.insert(op);
  for (Value operand : op->getOperands())
    if (std::string reason = add(operand); !reason.empty())
      return reason;
  return "";
}

std::string LoadersPart::addAround(Operation *op) {
  SmallVector<Value> values;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    values = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  else if (auto branch = dyn_cast<scf::IfOp>(op))
    values = {branch.getCondition()};
  else
    return "it stands in '" + op->getName().getStringRef().str() + "'";
  for (Value value : values)
    if (std::string reason = add(value); !reason.empty())
      return reason;
  return "";
}

SmallVector<unsigned> LoadersPart::carriedOf(scf::ForOp loop) const {
  SmallVector<unsigned> numbers;
  for (auto [op, number] : carried)
    if (op == loop)
      numbers.push_back(number);
  llvm::sort(numbers);
  return numbers;
}

//===----------------------------------------------------------------------===//
// Loops and rings
//===----------------------------------------------------------------------===//

WarpSpecializer::Copies::Copies(ttng::LoadBoxOp box)
    : place(box), schedule(scf::ForOp()), isOfLoop(false) {
  auto type = cast<RankedTensorType>(box.getType());
  SmallVector<int64_t> shape{1};
  llvm::append_range(shape, type.getShape());
  auto ring = MemDescType::get(box.getContext(), shape, type.getElementType(),
                               box->getAttr(kAsyncCopy), MemorySpace::Shared, /*isMutable=*/true);
  schedule.copies.push_back({box, ring});
}

WarpSpecializer::WarpSpecializer(tt::FuncOp kernel, ArrayRef<scf::ForOp> loops)
    : kernel(kernel), loc(kernel.getLoc()) {
  for (scf::ForOp loop : loops)
    all.push_back(std::make_unique<Copies>(loop));
}

LogicalResult WarpSpecializer::read() {
  return success(
      llvm::all_of(all, [](auto &copies) { return succeeded(copies->schedule.read()); }));
}

int32_t WarpSpecializer::warps() { return numWarps(kernel); }

WarpSpecializer::Copies *WarpSpecializer::find(Operation *op) {
  for (auto &copies : all)
    if (copies->place == op)
      return copies.get();
  return nullptr;
}

/// Of loops that copies are started for, or of branches.
bool WarpSpecializer::isAround(Operation *op) {
  return op->getNumRegions() &&
         llvm::any_of(all, [&](auto &copies) { return op->isAncestor(copies->place); });
}

/// The dots of the loop that `load` is an operand of, whatever becomes of it before.
static SmallVector<Operation *> dotsOf(Operation *load) {
  llvm::SmallSetVector<Operation *, 8> seen;
  seen.insert(load);
  SmallVector<Operation *> dots;
  for (size_t i = 0; i < seen.size(); ++i)
    if (isa<tt::DotOp>(seen[i]))
      dots.push_back(seen[i]);
    else
      for (Operation *user : seen[i]->getUsers())
        if (user->getBlock() == load->getBlock())
          seen.insert(user);
  llvm::sort(dots);
  return dots;
}

/// Copies for the same dots are one part.
void WarpSpecializer::findParts(Copies &copies) {
  SmallVector<SmallVector<Operation *>> dots;
  for (const LoopSchedule::Copy &copy : copies.schedule.copies) {
    SmallVector<Operation *> own = dotsOf(copy.load);
    auto *found = llvm::find(dots, own);
    copies.parts.push_back(found - dots.begin());
    if (found == dots.end())
      dots.push_back(std::move(own));
  }
}

/// Loops that copy the same kinds of tiles take the same buffers in turn. What is copied by itself
/// is read while other such tiles are.
void WarpSpecializer::findRings() {
  for (auto &copies : all) {
    auto isLike = [&](const Rings &other) {
      auto typeOf = [](const LoopSchedule::Copy &copy) { return copy.ring; };
      return copies->isOfLoop && other.copies->isOfLoop && other.parts == copies->parts &&
             llvm::equal(llvm::map_range(other.copies->schedule.copies, typeOf),
                         llvm::map_range(copies->schedule.copies, typeOf));
    };
    auto found = llvm::find_if(rings, isLike);
    copies->rings = found - rings.begin();
    if (found == rings.end())
      rings.push_back({copies.get(), copies->parts, {}, {}, {}});
  }
}

//===----------------------------------------------------------------------===//
// Whether a kernel can be split
//===----------------------------------------------------------------------===//

/// What orders the memory that other programs see, or waits for them: copies by the other group are
/// not behind it.
static bool ordersMemory(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return load.getIsVolatile();
  return !isMemoryEffectFree(op) && !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
         !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<tt::StoreOp, tt::AssumeOp, tt::PrintOp, ttng::LoadBoxOp>(op);
}

std::string WarpSpecializer::reasonAgainst(Copies &copies) {
  for (Operation *op = copies.isOfLoop ? copies.place : copies.place->getParentOp(); op != kernel;
       op = op->getParentOp())
    if (std::string reason = loader.addAround(op); !reason.empty())
      return reason;
  for (const LoopSchedule::Copy &copy : copies.schedule.copies)
    for (Value operand : copy.load->getOperands())
      if (std::string reason = loader.add(operand); !reason.empty())
        return reason;
  // In front of the loop, or around again. Programs are in no order.
  std::string reason;
  kernel.getBody().walk([&](Operation *op) {
    if (!ordersMemory(op))
      return WalkResult::advance();
    bool mayComeBefore = false;
    for (Operation *here = op; here != kernel && !mayComeBefore; here = here->getParentOp()) {
      bool isAroundBoth = here->isAncestor(copies.place) && !here->hasAttr(kPrograms);
      Operation *there = here->getBlock()->findAncestorOpInBlock(*copies.place);
      mayComeBefore = (isAroundBoth && isa<LoopLikeOpInterface>(here)) ||
                      (there && there != here && here->isBeforeInBlock(there));
    }
    if (!mayComeBefore)
      return WalkResult::advance();
    reason = "'" + op->getName().getStringRef().str() +
             "' may order what it copies after what others write";
    return WalkResult::interrupt();
  });
  return reason;
}

std::string WarpSpecializer::reasonAgainst() {
  constexpr int32_t mostWarps = 32;
  if (warps() % 4 || warps() + 1 > mostWarps)
    return "a program needs a multiple of four warps, and one more for its copies, of 32 at most";
  // What stands in front of a scalar's load must not be in order with it.
  bool isOrdered = false;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    auto load = dyn_cast<tt::LoadOp>(op);
    auto isScalar = [](Type type) { return !tt::isTile(type) && !isa<MemDescType>(type); };
    bool isReady = llvm::all_of(op.getOperands(), [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      return !def || loader.common.contains(def);
    });
    if (!op.getNumRegions() && isReady && llvm::all_of(op.getOperandTypes(), isScalar) &&
        llvm::all_of(op.getResultTypes(), isScalar) && op.getNumResults() &&
        (isMemoryEffectFree(&op) || (load && !load.getIsVolatile() && !isOrdered)))
      loader.common.insert(&op);
    else
      isOrdered |= !isMemoryEffectFree(&op) && !(load && !load.getIsVolatile());
  }
  for (auto &loop : all)
    if (std::string reason = reasonAgainst(*loop); !reason.empty())
      return reason;
  addCopiesByThemselves();
  return "";
}

/// Those that the group that loads can start; the others wait for their copies themselves.
void WarpSpecializer::addCopiesByThemselves() {
  kernel.walk([&](ttng::LoadBoxOp box) {
    if (!box->hasAttr(kAsyncCopy) || box->hasAttr(kSchedule))
      return;
    auto copies = std::make_unique<Copies>(box);
    LoadersPart before = loader;
    if (reasonAgainst(*copies).empty())
      all.push_back(std::move(copies));
    else
      loader = before;
  });
}

//===----------------------------------------------------------------------===//
// Buffers and barriers
//===----------------------------------------------------------------------===//

Value WarpSpecializer::at(OpBuilder &b, Value ring, Value slot) {
  return ringAt(b, loc, ring, slot);
}

void WarpSpecializer::allocate(OpBuilder &b) {
  for (Rings &own : rings) {
    for (const LoopSchedule::Copy &copy : own.copies->schedule.copies) {
      auto ring = b.create<LocalAllocOp>(copy.load->getLoc(), copy.ring);
      ring.setAlignment(ttng::boxesOf(copy.ring.getBuffer())->alignment);
      own.buffers.push_back(ring);
    }
    unsigned parts = *llvm::max_element(own.parts) + 1;
    for (unsigned part = 0; part < parts; ++part) {
      own.full.push_back(makeBarrierRing(b, loc, own.copies->buffers(), 1));
      own.empty.push_back(makeBarrierRing(b, loc, own.copies->buffers(), warps()));
    }
  }
}

void WarpSpecializer::release(OpBuilder &b) {
  for (Rings &own : rings)
    for (Value barriers : llvm::concat<Value>(own.full, own.empty))
      endBarrierRing(b, loc, barriers);
}

/// The next buffer; of the first one the next phase.
void WarpSpecializer::advance(OpBuilder &b, const Copies &copies, State &state) {
  Value &slot = state[2 * copies.rings], &phase = state[2 * copies.rings + 1];
  advanceInRing(b, loc, copies.buffers(), slot, phase);
}

//===----------------------------------------------------------------------===//
// The two groups
//===----------------------------------------------------------------------===//

/// Warps are spread over four parts of a multiprocessor, each with a quarter of its registers, so
/// that the one that loads costs as many in each part: it gives back what it does not need, where
/// the others can have it. A launch gives all threads as many, of which `setmaxnreg` moves some.
std::array<int32_t, 2> WarpSpecializer::registers(Operation *of) {
  constexpr int32_t parts = 4, most = 255, step = 8, ofLoader = 24;
  int32_t all = gpuModel(of).registers / parts / kLanesPerWarp, each = numWarps(of) / parts;
  int32_t launched = all / (each + 1);
  if (launched >= most)
    return {0, 0};
  int32_t ofOthers = launched / step * step * (each + 1) - ofLoader;
  return {ofOthers / each / step * step, ofLoader};
}

void WarpSpecializer::run() {
  for (auto &copies : all)
    findParts(*copies);
  findRings();
  Block &body = kernel.getBody().front();
  OpBuilder b(body.getTerminator());
  SmallVector<Operation *> own;
  for (Operation &op : body.without_terminator())
    if (!loader.common.contains(&op))
      own.push_back(&op);
  allocate(b);
  auto groups = b.create<WarpGroupsOp>(loc, b.getStrArrayAttr({"compute", "load"}),
                                       b.getDenseI32ArrayAttr({warps(), 1}),
                                       b.getDenseI32ArrayAttr(registers(kernel)), 2);
  release(b);
  auto begin = [&](Region &region) {
    b.createBlock(&region);
    b.create<WarpGroupEndOp>(loc);
    b.setInsertionPointToStart(&region.front());
    State state;
    for (size_t i = 0; i < 2 * rings.size(); ++i)
      state.push_back(b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(0)));
    return state;
  };
  Region &loads = groups.getGroups()[1], &rest = groups.getGroups()[0];
  State state = begin(loads);
  IRMapping mapping;
  load(body, b, mapping, state);
  state = begin(rest);
  Operation *end = rest.front().getTerminator();
  for (Operation *op : own)
    op->moveBefore(end);
  compute(rest.front(), state);
}

} // namespace tritium::ttg
