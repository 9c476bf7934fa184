//===- Atomics.cpp - atomic read-modify-write and compare-and-swap --------===//
//
// One instruction an element, for one of the threads that hold copies of it, which alone has the
// result (ttg.result_of_one). GPUs before 9.0 have no addition of bf16: there it is a loop around
// a compare-and-swap.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
class AtomicLowering : public LoweringContext {
public:
  explicit AtomicLowering(const LoweringContext &context) : LoweringContext(context) {}

  LogicalResult lowerAtomic(Operation *op);
  /// What was at the address, which `swap` compares and replaces, before a bf16 was added.
  Value addByCompareAndSwap(Value address, Value term, StringRef scope, StringRef swap);
};
} // namespace

namespace {
StringRef nameOf(tt::MemSemantic sem) {
  switch (sem) {
  case tt::MemSemantic::RELAXED:
    return "relaxed";
  case tt::MemSemantic::ACQUIRE:
    return "acquire";
  case tt::MemSemantic::RELEASE:
    return "release";
  case tt::MemSemantic::ACQUIRE_RELEASE:
    return "acq_rel";
  }
  llvm_unreachable("unknown order");
}

StringRef nameOf(tt::MemScope scope) {
  switch (scope) {
  case tt::MemScope::GPU:
    return "gpu";
  case tt::MemScope::CTA:
    return "cta";
  case tt::MemScope::SYS:
    return "sys";
  }
  llvm_unreachable("unknown scope");
}

/// "add.u32": the operation and the type of a read-modify-write; empty if PTX has none.
std::string operationOf(tt::RMWOp operation, Type element) {
  unsigned bits = tt::scalarBits(element);
  std::string width = std::to_string(bits);
  if (bits < 32 && !(operation == tt::RMWOp::FADD && element.isF16()) &&
      !(operation == tt::RMWOp::FADD && element.isBF16()))
    return "";
  switch (operation) {
  case tt::RMWOp::AND:
    return "and.b" + width;
  case tt::RMWOp::OR:
    return "or.b" + width;
  case tt::RMWOp::XOR:
    return "xor.b" + width;
  case tt::RMWOp::ADD:
    return "add.u" + width;
  case tt::RMWOp::FADD:
    return bits == 16 ? (element.isBF16() ? "add.noftz.bf16" : "add.noftz.f16") : "add.f" + width;
  case tt::RMWOp::MAX:
    return "max.s" + width;
  case tt::RMWOp::MIN:
    return "min.s" + width;
  case tt::RMWOp::UMAX:
    return "max.u" + width;
  case tt::RMWOp::UMIN:
    return "min.u" + width;
  case tt::RMWOp::XCHG:
    return "exch.b" + width;
  }
  llvm_unreachable("unknown operation");
}
} // namespace

Value AtomicLowering::addByCompareAndSwap(Value address, Value term, StringRef scope,
                                          StringRef swap) {
  Type bits = intType(16), wide = b.getF32Type();
  Value addend = fpext(term, wide);
  Value first =
      assembly(bits, ("ld.relaxed." + scope + ".global.b16 $0, [$1];").str(), "=h,l", {address});
  Block *loop = newBlock();
  Value expected = loop->addArgument(bits, loc);
  b.create<LLVM::BrOp>(loc, first, loop);
  b.setInsertionPointToStart(loop);
  // Rounding to f32 first changes nothing: it has more than twice the bits of bf16, and two.
  Value sum =
      b.create<LLVM::FAddOp>(loc, fpext(fromMemory(expected, b.getBF16Type()), wide), addend);
  Value found =
      assembly(bits, (swap + " $0, [$1], $2, $3;").str(), "=&h,l,h,h",
               {address, expected, toMemory(fptrunc(sum, b.getBF16Type()), b.getBF16Type())});
  Block *exit = newBlock();
  b.create<LLVM::CondBrOp>(loc, cmp(LLVM::ICmpPredicate::eq, found, expected), exit, ValueRange(),
                           loop, ValueRange(found));
  b.setInsertionPointToStart(exit);
  return found;
}

LogicalResult AtomicLowering::lowerAtomic(Operation *op) {
  if (isRunForOthers(op) && !op->hasAttr(kResultOfOne))
    return op->emitError() << "one thread runs this atomic for others, which have to get its "
                              "result through shared memory; run ttg-plan-exchanges first";
  auto rmw = dyn_cast<tt::AtomicRMWOp>(op);
  auto cas = dyn_cast<tt::AtomicCASOp>(op);
  Value ptr = op->getOperand(0), result = op->getResult(0);
  Type element = tt::elementType(result.getType());
  unsigned bits = tt::scalarBits(element);
  std::string operation = rmw          ? operationOf(rmw.getRmwOp(), element)
                          : bits >= 16 ? "cas.b" + std::to_string(bits)
                                       : "";
  bool adds = rmw && rmw.getRmwOp() == tt::RMWOp::FADD && element.isBF16() && !gpu.addsBFloat16;
  if (adds)
    operation = "cas.b16";
  if (operation.empty())
    return unsupported(op,
                       Twine("this atomic operation on ") + std::to_string(bits) + "-bit elements");
  tt::MemSemantic sem = rmw ? rmw.getSem() : cas.getSem();
  tt::MemScope scope = rmw ? rmw.getScope() : cas.getScope();
  bool isTile = tt::isTile(ptr.getType());
  Value mask = rmw ? rmw.getMask() : Value();
  Value executes = isTile ? isFirstCopy(layout(ptr)) : isThreadZero();
  std::string letter = bits == 64 ? "l" : bits == 32 ? "r" : "h";
  std::string name = ("atom." + nameOf(sem) + "." + nameOf(scope) + ".global." + operation).str();

  SmallVector<Value, 2> inputs;
  if (cas)
    inputs = {cas.getCmp(), cas.getValue()};
  else
    inputs = {rmw.getValue()};
  Registers results;
  for (unsigned r = 0; r < get(ptr).size(); ++r) {
    Value predicate = both(executes, mask ? get(mask)[r] : Value());
    if (isTile)
      predicate = both(predicate, isInside(layout(ptr), threadCoordinates(ptr), r));
    if (adds) {
      auto emit = [&]() -> SmallVector<Value> {
        return {addByCompareAndSwap(get(ptr)[r], get(rmw.getValue())[r], nameOf(scope), name)};
      };
      Value nothing = constant(intType(16), 0);
      results.push_back(predicate ? branchAround(predicate, nothing, emit)[0] : emit()[0]);
      continue;
    }
    SmallVector<Value> operands{get(ptr)[r]};
    for (Value operand : inputs)
      operands.push_back(toMemory(get(operand)[r], element));
    std::string text, constraints = "=&" + letter + ",l";
    std::string values = cas ? "$2, $3" : "$2";
    for (size_t i = 1; i < operands.size(); ++i)
      constraints += "," + letter;
    if (predicate) {
      text = "mov.b" + std::to_string(bits) + " $0, 0;\n@$" + std::to_string(operands.size() + 1) +
             " ";
      operands.push_back(predicate);
      constraints += ",b";
    }
    text += name + " $0, [$1], " + values + ";";
    results.push_back(assembly(intType(bits), text, constraints, operands));
  }
  if (result.use_empty()) {
    set(result, Registers(results.size(), undef(lowered(element))));
    return success();
  }
  for (Value &x : results)
    x = fromMemory(x, element);
  set(result, std::move(results));
  return success();
}

void populateAtomicPatterns(LoweringPatterns &patterns, const LoweringContext &context) {
  auto family = std::make_shared<AtomicLowering>(context);
  patterns.add<tt::AtomicRMWOp, tt::AtomicCASOp>(
      [=](Operation *op) { return family->lowerAtomic(op); });
}

} // namespace tritium::ttg
