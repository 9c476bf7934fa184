//===- WarpGroups.cpp - groups of warps, barriers between them ------------===//
//
// Each group takes the next warps of the program, and its code is lowered as that of a program of
// so many warps would be: threads count from 0 on in it, and its barriers are for them.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
class WarpGroupsLowering : public LoweringContext {
public:
  WarpGroupsLowering(const LoweringContext &context, const PopulatePatterns &populate)
      : LoweringContext(context), populate(populate) {}

  LogicalResult lowerGroups(WarpGroupsOp op);

private:
  LogicalResult findBarriers(WarpGroupsOp op, SmallVectorImpl<int32_t> &numbers);
  ThreadOfGroup enter(WarpGroupsOp op, unsigned group, int32_t firstWarp, int32_t number);
  bool hasOwnRegisters(WarpGroupsOp op) const;
  int32_t registersOfLaunch(WarpGroupsOp op) const;
  LogicalResult checkRegisters(WarpGroupsOp op);
  LogicalResult setRegisters(WarpGroupsOp op, unsigned group, int32_t firstWarp);

  PopulatePatterns populate;
};
} // namespace

/// Numbers that no barrier between groups has. A group of one warp needs none.
LogicalResult WarpGroupsLowering::findBarriers(WarpGroupsOp op, SmallVectorImpl<int32_t> &numbers) {
  constexpr int32_t mostBarriers = kNoBarrier;
  llvm::SmallDenseSet<int32_t> used;
  op.walk([&](Operation *inside) {
    if (auto arrive = dyn_cast<NamedBarrierArriveOp>(inside))
      used.insert(arrive.getId());
    if (auto sync = dyn_cast<NamedBarrierSyncOp>(inside))
      used.insert(sync.getId());
  });
  int32_t next = mostBarriers - 1;
  for (int32_t own : op.getWarps()) {
    while (own > 1 && next > 0 && used.contains(next))
      --next;
    if (next == 0)
      return op.emitError() << "the groups and what is between them need more than the "
                            << mostBarriers << " barriers of a program; use fewer groups, or fewer "
                            << "named barriers";
    numbers.push_back(own > 1 ? next-- : mostBarriers);
  }
  return success();
}

ThreadOfGroup WarpGroupsLowering::enter(WarpGroupsOp op, unsigned group, int32_t firstWarp,
                                        int32_t number) {
  ThreadOfGroup own(*this);
  own.warps = op.getWarps()[group];
  own.barrierNumber = number;
  own.thread = firstWarp ? sub(thread, i32(firstWarp * kLanesPerWarp)) : thread;
  own.warp = own.warps == 1 ? i32(0) : firstWarp ? sub(warp, i32(firstWarp)) : warp;
  Block *body = newBlock();
  own.entryEnd = b.create<LLVM::BrOp>(loc, body);
  b.setInsertionPointToStart(body);
  return own;
}

/// A limit of the user's holds for all groups, and so does one by which programs run side by side.
bool WarpGroupsLowering::hasOwnRegisters(WarpGroupsOp op) const {
  return !options.maxRegisters && !op->getParentOfType<tt::FuncOp>()->hasAttr(kProgramsAtOnce);
}

/// With which all threads begin.
int32_t WarpGroupsLowering::registersOfLaunch(WarpGroupsOp op) const {
  int32_t threads = launchedWarps(op->getParentOfType<tt::FuncOp>()) * kLanesPerWarp;
  return std::min<int32_t>(gpu.registers / threads / 8 * 8, 255);
}

/// A group waits for registers that others give back: those that nobody has it waits for in vain.
LogicalResult WarpGroupsLowering::checkRegisters(WarpGroupsOp op) {
  ArrayRef<int32_t> registers = op.getRegisters();
  if (!hasOwnRegisters(op) || llvm::none_of(registers, [](int32_t n) { return n != 0; }))
    return success();
  int32_t given = registersOfLaunch(op), wanted = 0, fours = 0;
  for (auto [warps, each] : llvm::zip(op.getWarps(), registers)) {
    int32_t own = llvm::divideCeil(warps, kWarpsWithRegisters);
    fours += own;
    wanted += own * (each ? each : given);
  }
  if (wanted > fours * given)
    return op.emitError() << "the groups want " << wanted * kWarpsWithRegisters * kLanesPerWarp
                          << " registers, and have "
                          << fours * given * kWarpsWithRegisters * kLanesPerWarp << ", " << given
                          << " a thread; lower the numbers of registers";
  return success();
}

LogicalResult WarpGroupsLowering::setRegisters(WarpGroupsOp op, unsigned group, int32_t firstWarp) {
  int32_t registers = op.getRegisters()[group];
  if (registers == 0 || !hasOwnRegisters(op))
    return success();
  bool isLast = group + 1 == op.getGroups().size();
  if (firstWarp % kWarpsWithRegisters || (op.getWarps()[group] % kWarpsWithRegisters && !isLast))
    return op.emitError() << "registers are given to four warps at once, and group "
                          << op.getNames()[group] << " has " << op.getWarps()[group]
                          << " from warp " << firstWarp
                          << " on; leave the number out, or change the groups";
  if (int32_t given = registersOfLaunch(op); registers != given)
    assembly({},
             std::string("setmaxnreg.") + (registers < given ? "dec" : "inc") +
                 ".sync.aligned.u32 " + std::to_string(registers) + ";",
             "", {});
  return success();
}

LogicalResult WarpGroupsLowering::lowerGroups(WarpGroupsOp op) {
  SmallVector<int32_t> numbers;
  if (failed(findBarriers(op, numbers)) || failed(checkRegisters(op)))
    return failure();
  barrier();
  // The same for all lanes, as the assembler sees then.
  Value number = shuffleIndex(warp, i32(0));
  Block *end = newBlock();
  int32_t firstWarp = 0;
  auto branchBefore = [&](int32_t behind) {
    Block *own = newBlock(), *others = newBlock();
    b.create<LLVM::CondBrOp>(loc, cmp(LLVM::ICmpPredicate::slt, number, i32(behind)), own, others);
    b.setInsertionPointToStart(own);
    return others;
  };
  for (auto [i, region] : llvm::enumerate(op.getGroups())) {
    int32_t behind = firstWarp + op.getWarps()[i];
    // Idle warps change their number of registers with those that they stand beside.
    int32_t together = op.getRegisters()[i] ? llvm::alignTo(behind, kWarpsWithRegisters) : behind;
    Block *others = branchBefore(together);
    if (failed(setRegisters(op, i, firstWarp)))
      return failure();
    if (together != behind) {
      Block *idle = branchBefore(behind);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(idle);
      b.create<LLVM::BrOp>(loc, end);
    }
    ThreadOfGroup thread = enter(op, i, firstWarp, numbers[i]);
    if (failed(lowerAs(thread, region.front(), populate)))
      return failure();
    loc = op.getLoc();
    b.create<LLVM::BrOp>(loc, end);
    b.setInsertionPointToStart(others);
    firstWarp = behind;
  }
  b.create<LLVM::BrOp>(loc, end);
  end->moveBefore(end->getParent(), end->getParent()->end());
  b.setInsertionPointToStart(end);
  barrier();
  return success();
}

void populateWarpGroupsPatterns(LoweringPatterns &patterns, const LoweringContext &context,
                                const PopulatePatterns &populate) {
  auto family = std::make_shared<WarpGroupsLowering>(context, populate);
  patterns.add<WarpGroupsOp>([=](WarpGroupsOp op) { return family->lowerGroups(op); });
  patterns.add<WarpGroupEndOp>([](Operation *) { return success(); });
  patterns.add<NamedBarrierArriveOp>([=](NamedBarrierArriveOp op) {
    family->b.create<NVVM::BarrierArriveOp>(family->loc, family->i32(op.getId()),
                                            family->i32(op.getWarps() * kLanesPerWarp));
    return success();
  });
  patterns.add<NamedBarrierSyncOp>([=](NamedBarrierSyncOp op) {
    family->b.create<NVVM::BarrierOp>(family->loc, family->i32(op.getId()),
                                      family->i32(op.getWarps() * kLanesPerWarp));
    return success();
  });
}

} // namespace tritium::ttg
