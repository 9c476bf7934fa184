//===- LayoutPlan.cpp - homes and demands of the tiles of a kernel --------===//

#include "LayoutPlan.h"

#include "tritium/Dialect/Tile/IR/DotUse.h"
#include "tritium/Dialect/TileGPU/IR/Mma.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::ttg {

bool isAnchor(Operation *op) {
  auto access = dyn_cast<tt::MemoryAccess>(op);
  return isa<tt::DotOp>(op) || (access && access.isOfTile());
}

bool isSource(Operation *op) { return isa<tt::MakeRangeOp, tt::SplatOp, arith::ConstantOp>(op); }

namespace {
int64_t elementsOf(Type type) {
  int64_t count = 1;
  for (int64_t extent : tt::shapeOf(type))
    count *= extent;
  return count;
}

/// The source has as many elements as the result, so that neither side of the operation is the
/// cheaper one to convert. An inserted dimension is there to be repeated.
bool keepsElements(Operation *op) { return isa<tt::TransOp, tt::ReshapeOp>(op); }

/// An element of the result needs the one at its own place of some operand.
bool isInPlace(Operation *op) {
  return llvm::any_of(op->getOpOperands(), [](OpOperand &x) { return tt::isReadInPlace(x); });
}

/// The layout of the results of tiles in `layout`.
Attribute combinedIn(tt::Combining op, Attribute layout) {
  if (isa<tt::ReduceOp>(op))
    return SliceEncodingAttr::get(op->getContext(), op.getAxis(), layout);
  return layout;
}

bool widens(Operation *op) {
  return isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp, arith::UIToFPOp>(op) &&
         tt::scalarBits(tt::elementType(op->getOperand(0).getType())) <
             tt::scalarBits(tt::elementType(op->getResult(0).getType()));
}

/// Of operands that warp groups read in shared memory: what is computed for them need not be in the
/// registers of all warps that multiply it.
bool isPutInMemory(Attribute layout) {
  auto operand = dyn_cast<DotOperandEncodingAttr>(layout);
  return operand && isOfWarpGroups(operand.getParent());
}

/// In which such an operand is computed where nothing else decides: each element once, by a thread
/// the 16 bytes along k that it writes to memory together, by lanes side by side across k, so that
/// they need few elements of what is repeated along k, as words of several weights and factors are.
Attribute layoutToStoreFrom(Type tile, DotOperandEncodingAttr operand, int warps) {
  constexpr int64_t storedBytes = 16;
  unsigned depth = operand.getOpIdx() == 0 ? 1 : 0, across = 1 - depth;
  ArrayRef<int64_t> shape = tt::shapeOf(tile);
  auto within = [&](int64_t count, unsigned dim) {
    return static_cast<int32_t>(std::min<int64_t>(count, llvm::bit_floor(uint64_t(shape[dim]))));
  };
  SmallVector<int32_t> own(2, 1), lanes(2), groups(2);
  own[depth] = within(storedBytes / tt::scalarBytes(tt::elementType(tile)), depth);
  lanes[across] = within(kLanesPerWarp, across);
  lanes[depth] = kLanesPerWarp / lanes[across];
  groups[across] = static_cast<int32_t>(
      llvm::bit_floor(uint64_t(std::clamp<int64_t>(shape[across] / lanes[across], 1, warps))));
  groups[depth] = warps / groups[across];
  return BlockedEncodingAttr::get(tile.getContext(), own, lanes, groups,
                                  {int32_t(depth), int32_t(across)});
}
} // namespace

/// Whether a tile is, or is computed from, what places in memory are: numbers of pages or rows.
static bool reachesAddress(Value tile) {
  llvm::SetVector<Value> reached;
  reached.insert(tile);
  for (size_t i = 0; i < reached.size(); ++i)
    for (Operation *user : reached[i].getUsers()) {
      if (isa<tt::AddPtrOp>(user))
        return true;
      if (isMemoryEffectFree(user) && user->getNumRegions() == 0)
        for (Value result : user->getResults())
          if (tt::isTile(result.getType()))
            reached.insert(result);
    }
  return false;
}

/// A load of no more elements than there are threads: whichever layout it has, a thread has to load
/// something, and what several load comes once from memory. So it takes that of its users, who need
/// no exchange then. Copies that run ahead have a layout of their own; and what other loads wait
/// for comes first by one load a thread.
static bool isOfFewElements(Operation *op, int warps) {
  auto load = dyn_cast<tt::LoadOp>(op);
  if (!load || load.getIsVolatile() || elementsOf(load.getType()) > warps * kLanesPerWarp ||
      tt::reachesDot(load) || reachesAddress(load))
    return false;
  auto loop = load->getParentOfType<scf::ForOp>();
  return !loop || !loop->hasAttr("tt.num_stages");
}

/// Whether a thread that holds `tile` in `layout` loads it by a few instructions, which is less
/// than an exchange takes.
static bool takesFewLoads(Type tile, Attribute layout) {
  constexpr unsigned mostLoads = 4, mostRegisters = 8;
  TileLayout held =
      layoutOf(RankedTensorType::get(tt::shapeOf(tile), tt::elementType(tile), layout));
  unsigned longest = 1;
  for (unsigned d = 0; d < held.rank(); ++d)
    longest = std::max(longest, held.contiguous(d));
  return held.registers() <= mostRegisters && held.registers() / longest <= mostLoads;
}

LayoutPlan::LayoutPlan(tt::FuncOp func, int warps, AnchorRule anchors)
    : context(func.getContext()), warps(warps) {
  func.walk([&](Operation *op) {
    if (isOfFewElements(op, warps))
      smallLoads.insert(op);
    else if (isAnchor(op))
      anchorLayouts[op] = anchors(op);
  });
  Block &body = func.getBody().front();
  do {
    changed = false;
    settleBlock(body);
  } while (changed);
  auto askAll = [&] {
    do {
      changed = false;
      askBlock(body);
    } while (changed);
  };
  askAll();
  // Carried tiles that nothing uses.
  unusedTakeDefault = true;
  askAll();
}

Attribute LayoutPlan::defaultFor(Type tile) const {
  return defaultLayout(context, tt::shapeOf(tile), warps);
}

//===----------------------------------------------------------------------===//
// Forward: homes
//===----------------------------------------------------------------------===//

LayoutPlan::Home LayoutPlan::homeOf(Value value) const { return homes.lookup(value); }

bool LayoutPlan::isAtHome(Value value) const {
  return homeOf(value).strength >= elementsOf(value.getType());
}

bool LayoutPlan::raise(Value value, Home home) {
  Home &known = homes[value];
  if (!home.layout || home.strength <= known.strength)
    return false;
  known = home;
  return changed = true;
}

LayoutPlan::Home LayoutPlan::transfer(Operation *op) const {
  if (auto it = anchorLayouts.find(op); it != anchorLayouts.end())
    return {it->second.result, elementsOf(op->getResult(0).getType())};
  if (auto convert = dyn_cast<ConvertLayoutOp>(op))
    return homeOf(convert.getSrc());
  if (isInPlace(op)) {
    Home best;
    for (OpOperand &operand : op->getOpOperands())
      if (Home home = homeOf(operand.get());
          tt::isReadInPlace(operand) && home.strength > best.strength)
        best = home;
    return best;
  }
  if (auto movement = dyn_cast<tt::DataMovement>(op)) {
    Home home = homeOf(movement.getSource());
    if (!home.layout)
      return {};
    Attribute layout = resultLayout(movement, home.layout);
    if (!layout && keepsElements(op))
      layout = defaultFor(op->getResult(0).getType());
    return {layout, home.strength};
  }
  if (auto combining = dyn_cast<tt::Combining>(op);
      combining && tt::isTile(op->getResult(0).getType()))
    return {combinedIn(combining, layoutOfSources(combining)),
            elementsOf(combining.getSrcs()[0].getType())};
  return {};
}

/// That of the first that is at home.
Attribute LayoutPlan::layoutOfSources(tt::Combining op) const {
  for (Value source : op.getSrcs())
    if (isAtHome(source))
      return homeOf(source).layout;
  return defaultFor(op.getSrcs()[0].getType());
}

void LayoutPlan::settleBlock(Block &block) {
  for (Operation &op : block)
    settle(&op);
}

void LayoutPlan::settle(Operation *op) {
  // Carried tiles take homes only from what is as large as they are: a vector that is
  // broadcast does not decide for a whole tile.
  auto carry = [&](Value from, Value to) {
    if (isAtHome(from))
      raise(to, homeOf(from));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp loop) {
        for (auto [init, arg] : llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs()))
          carry(init, arg);
        settleBlock(*loop.getBody());
        for (auto [yielded, arg, result] :
             llvm::zip(loop.getYieldedValues(), loop.getRegionIterArgs(), loop.getResults())) {
          carry(yielded, arg);
          carry(arg, result);
        }
      })
      .Case([&](scf::WhileOp loop) {
        for (auto [init, arg] : llvm::zip(loop.getInits(), loop.getBeforeArguments()))
          carry(init, arg);
        settleBlock(*loop.getBeforeBody());
        for (auto [passed, arg, result] : llvm::zip(loop.getConditionOp().getArgs(),
                                                    loop.getAfterArguments(), loop.getResults())) {
          carry(passed, arg);
          carry(arg, result);
        }
        settleBlock(*loop.getAfterBody());
        for (auto [yielded, arg] :
             llvm::zip(loop.getYieldOp().getOperands(), loop.getBeforeArguments()))
          carry(yielded, arg);
      })
      .Case([&](scf::IfOp branch) {
        for (Region *region : branch.getRegions()) {
          if (region->empty())
            continue;
          settleBlock(region->front());
          for (auto [yielded, result] :
               llvm::zip(region->front().getTerminator()->getOperands(), branch.getResults()))
            carry(yielded, result);
        }
      })
      .Default([&](Operation *) {
        if (op->getNumResults() == 0)
          return;
        Home home = transfer(op);
        for (Value result : op->getResults())
          if (tt::isTile(result.getType()))
            raise(result, home);
      });
}

//===----------------------------------------------------------------------===//
// Backward: demands
//===----------------------------------------------------------------------===//

ArrayRef<Attribute> LayoutPlan::demandsOf(Value value) const {
  auto it = demands.find(value);
  return it == demands.end() ? ArrayRef<Attribute>() : ArrayRef<Attribute>(it->second);
}

Attribute LayoutPlan::carriedIn(Value value) const {
  Home home = homeOf(value);
  return home.layout ? home.layout : defaultFor(value.getType());
}

void LayoutPlan::demand(Value value, Attribute layout) {
  if (!layout || !tt::isTile(value.getType()))
    return;
  auto &list = demands[value];
  if (llvm::is_contained(list, layout))
    return;
  list.push_back(layout);
  changed = true;
}

void LayoutPlan::demandLike(Value value, Value representative) {
  if (tt::isTile(value.getType()) && (homeOf(representative).layout || unusedTakeDefault))
    demand(value, carriedIn(representative));
}

/// Where results go together, or an operation must run once, it is computed in one layout.
Attribute LayoutPlan::settledLayout(Operation *op) const {
  if (isAtHome(op->getResult(0)))
    return homeOf(op->getResult(0)).layout;
  for (Value result : op->getResults())
    if (ArrayRef<Attribute> asked = demandsOf(result); !asked.empty())
      return asked.front();
  return defaultFor(op->getResult(0).getType());
}

SmallVector<Attribute, 2> LayoutPlan::computedIn(Operation *op) const {
  Value result = op->getResult(0);
  if (auto it = anchorLayouts.find(op); it != anchorLayouts.end())
    return {it->second.result};
  if (smallLoads.contains(op)) {
    Attribute settled = settledLayout(op);
    return {takesFewLoads(result.getType(), settled) ? settled : defaultFor(result.getType())};
  }
  // Not the home: that keeps what the operand's was when it was found, and the operand may have
  // moved since to another as strong.
  if (auto combining = dyn_cast<tt::Combining>(op))
    return {combinedIn(combining, operandLayout(op, 0, {}))};
  SmallVector<Attribute, 2> asked(demandsOf(result));
  if (isSource(op) || isa<ConvertLayoutOp>(op))
    return asked;
  Home home = homeOf(result);
  // Counted once, whoever asks.
  if (op->hasTrait<tt::InPlace>() || isa<tt::HistogramOp>(op))
    return {settledLayout(op)};
  if (isInPlace(op)) {
    bool convertsBefore = widens(op) && asked.size() == 1 && !isPutInMemory(asked.front());
    if (isAtHome(result) && !convertsBefore)
      return {home.layout};
    for (Attribute &layout : asked)
      if (isPutInMemory(layout))
        layout = layoutToStoreFrom(result.getType(), cast<DotOperandEncodingAttr>(layout), warps);
    return asked;
  }
  if (auto movement = dyn_cast<tt::DataMovement>(op)) {
    if (keepsElements(op) && isAtHome(result))
      return {home.layout};
    SmallVector<Attribute, 2> possible;
    for (Attribute layout : asked)
      if (sourceLayout(movement, layout))
        possible.push_back(layout);
    if (possible.empty() && !asked.empty())
      possible.push_back(defaultFor(result.getType()));
    return possible;
  }
  return asked;
}

Attribute LayoutPlan::operandLayout(Operation *op, unsigned index, Attribute layout) const {
  Value operand = op->getOperand(index);
  if (!tt::isTile(operand.getType()))
    return {};
  if (auto it = anchorLayouts.find(op); it != anchorLayouts.end())
    return it->second.operands[index];
  if (tt::isReadInPlace(op->getOpOperand(index)) || isa<ConvertLayoutOp>(op) ||
      smallLoads.contains(op))
    return layout;
  if (auto movement = dyn_cast<tt::DataMovement>(op)) {
    Attribute source = sourceLayout(movement, layout);
    return source ? source : carriedIn(operand);
  }
  if (auto combining = dyn_cast<tt::Combining>(op))
    return layoutOfSources(combining);
  return carriedIn(operand);
}

void LayoutPlan::askBlock(Block &block) {
  for (Operation &op : llvm::reverse(block))
    ask(&op);
}

void LayoutPlan::ask(Operation *op) {
  // The first to ask for a carried tile without a home decides where it lives.
  auto settleCarried = [&](Value representative, ValueRange users) {
    if (!tt::isTile(representative.getType()) || homeOf(representative).layout)
      return;
    for (Value user : users)
      if (ArrayRef<Attribute> asked = demandsOf(user); !asked.empty()) {
        homes[representative] = {asked.front(), elementsOf(representative.getType())};
        changed = true;
        return;
      }
  };
  auto sameHome = [&](Value from, Value to) {
    if (homeOf(from) == homeOf(to))
      return;
    homes[to] = homeOf(from);
    changed = true;
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp loop) {
        for (auto [init, yielded, arg, result] :
             llvm::zip(loop.getInitArgs(), loop.getYieldedValues(), loop.getRegionIterArgs(),
                       loop.getResults())) {
          settleCarried(arg, {arg, result});
          sameHome(arg, result);
          demandLike(init, arg);
          demandLike(yielded, arg);
        }
        askBlock(*loop.getBody());
      })
      .Case([&](scf::WhileOp loop) {
        for (auto [passed, arg, result] : llvm::zip(loop.getConditionOp().getArgs(),
                                                    loop.getAfterArguments(), loop.getResults())) {
          settleCarried(arg, {arg, result});
          sameHome(arg, result);
          demandLike(passed, arg);
        }
        for (auto [init, yielded, arg] : llvm::zip(loop.getInits(), loop.getYieldOp().getOperands(),
                                                   loop.getBeforeArguments())) {
          settleCarried(arg, {arg});
          demandLike(init, arg);
          demandLike(yielded, arg);
        }
        askBlock(*loop.getAfterBody());
        askBlock(*loop.getBeforeBody());
      })
      .Case([&](scf::IfOp branch) {
        for (Value result : branch.getResults())
          settleCarried(result, {result});
        for (Region *region : branch.getRegions()) {
          if (region->empty())
            continue;
          for (auto [yielded, result] :
               llvm::zip(region->front().getTerminator()->getOperands(), branch.getResults()))
            demandLike(yielded, result);
          askBlock(region->front());
        }
      })
      .Case<scf::YieldOp, scf::ConditionOp>([](auto) {})
      .Default([&](Operation *) {
        bool hasTile = op->getNumResults() && tt::isTile(op->getResult(0).getType());
        SmallVector<Attribute, 2> layouts{Attribute()};
        if (hasTile)
          layouts = computedIn(op);
        for (Attribute layout : layouts)
          for (auto [i, operand] : llvm::enumerate(op->getOperands()))
            demand(operand, operandLayout(op, i, layout));
      });
}

} // namespace tritium::ttg
