//===- Atomics.cpp - atomic read-modify-write and compare-and-swap --------===//
//
// One instruction an element, for one of the threads that hold copies of it, which alone has the
// result (ttg.result_of_one). What PTX has no instruction for on 8 and 16 bits, and the addition of
// bf16 before 9.0, is a loop around a compare-and-swap.
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
  /// What was at the address, as `bits`, before it became what `update` makes of it. `prefix`:
  /// "atom" with its order and scope.
  Value updateByCompareAndSwap(Value address, Type bits, StringRef scope, const std::string &prefix,
                               llvm::function_ref<Value(Value)> update);
  /// What an operation leaves of an element's bits, for those of its operands.
  Value updated(Operation *op, Value old, ArrayRef<Value> operands);
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

/// "add.u32": the operation and the type of a read-modify-write; empty if the GPU has none.
std::string operationOf(tt::RMWOp operation, Type element, const GPUModel &gpu) {
  unsigned bits = tt::scalarBits(element);
  std::string width = std::to_string(bits);
  bool isHalf = element.isF16() || (element.isBF16() && gpu.addsBFloat16);
  if (bits < 32 && !(operation == tt::RMWOp::FADD && isHalf))
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

Value AtomicLowering::updateByCompareAndSwap(Value address, Type bits, StringRef scope,
                                             const std::string &prefix,
                                             llvm::function_ref<Value(Value)> update) {
  // A byte is swapped as a part of the aligned word that it is in: no other word of memory is
  // touched, and the other bytes stay as they are found.
  bool isByte = bits.isInteger(8);
  Type word = isByte ? intType(32) : bits;
  Value shift, kept;
  if (isByte) {
    Value number = b.create<LLVM::PtrToIntOp>(loc, intType(64), address);
    shift = trunc(shl(iand(number, constant(intType(64), 3)), 3), 32);
    kept = ixor(binary<LLVM::ShlOp>(i32(0xff), shift), i32(-1));
    address = b.create<LLVM::IntToPtrOp>(loc, address.getType(),
                                         iand(number, constant(intType(64), ~int64_t(3))));
  }
  auto elementOf = [&](Value whole) {
    return isByte ? trunc(binary<LLVM::LShrOp>(whole, shift), 8) : whole;
  };
  auto withElement = [&](Value whole, Value x) {
    return isByte ? ior(iand(whole, kept), binary<LLVM::ShlOp>(zext(x, 32), shift)) : x;
  };
  std::string width = isByte ? "b32" : "b16", letter = isByte ? "r" : "h";
  Value first = assembly(word, ("ld.relaxed." + scope + ".global." + width + " $0, [$1];").str(),
                         "=" + letter + ",l", {address});
  Block *loop = newBlock();
  Value expected = loop->addArgument(word, loc);
  b.create<LLVM::BrOp>(loc, first, loop);
  b.setInsertionPointToStart(loop);
  Value desired = withElement(expected, update(elementOf(expected)));
  Value found =
      assembly(word, prefix + ".cas." + width + " $0, [$1], $2, $3;",
               "=&" + letter + ",l," + letter + "," + letter, {address, expected, desired});
  Block *exit = newBlock();
  b.create<LLVM::CondBrOp>(loc, cmp(LLVM::ICmpPredicate::eq, found, expected), exit, ValueRange(),
                           loop, ValueRange(found));
  b.setInsertionPointToStart(exit);
  return elementOf(found);
}

Value AtomicLowering::updated(Operation *op, Value old, ArrayRef<Value> operands) {
  if (isa<tt::AtomicCASOp>(op))
    return select(cmp(LLVM::ICmpPredicate::eq, old, operands[0]), operands[1], old);
  Value x = operands[0];
  auto chosen = [&](LLVM::ICmpPredicate predicate) {
    return select(cmp(predicate, old, x), old, x);
  };
  switch (cast<tt::AtomicRMWOp>(op).getRmwOp()) {
  case tt::RMWOp::AND:
    return iand(old, x);
  case tt::RMWOp::OR:
    return ior(old, x);
  case tt::RMWOp::XOR:
    return ixor(old, x);
  case tt::RMWOp::ADD:
    return add(old, x);
  case tt::RMWOp::FADD: {
    // Rounding to f32 first changes nothing: it has more than twice the bits of bf16, and two.
    Type element = b.getBF16Type(), wide = b.getF32Type();
    Value sum = b.create<LLVM::FAddOp>(loc, fpext(fromMemory(old, element), wide),
                                       fpext(fromMemory(x, element), wide));
    return toMemory(fptrunc(sum, element), element);
  }
  case tt::RMWOp::MAX:
    return chosen(LLVM::ICmpPredicate::sgt);
  case tt::RMWOp::MIN:
    return chosen(LLVM::ICmpPredicate::slt);
  case tt::RMWOp::UMAX:
    return chosen(LLVM::ICmpPredicate::ugt);
  case tt::RMWOp::UMIN:
    return chosen(LLVM::ICmpPredicate::ult);
  case tt::RMWOp::XCHG:
    return x;
  }
  llvm_unreachable("unknown operation");
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
  std::string operation = rmw          ? operationOf(rmw.getRmwOp(), element, gpu)
                          : bits >= 16 ? "cas.b" + std::to_string(bits)
                                       : "";
  bool loops = operation.empty();
  // Of floats only the addition of bf16 has to be computed.
  bool adds = rmw && rmw.getRmwOp() == tt::RMWOp::FADD;
  if (loops && (bits < 8 || bits > 16 || (adds && !element.isBF16())))
    return unsupported(op,
                       Twine("this atomic operation on ") + std::to_string(bits) + "-bit elements");
  tt::MemSemantic sem = rmw ? rmw.getSem() : cas.getSem();
  tt::MemScope scope = rmw ? rmw.getScope() : cas.getScope();
  bool isTile = tt::isTile(ptr.getType());
  Value mask = rmw ? rmw.getMask() : Value();
  Value executes = isTile ? isFirstCopy(layout(ptr)) : isThreadZero();
  std::string letter = bits == 64 ? "l" : bits == 32 ? "r" : "h";
  std::string prefix = ("atom." + nameOf(sem) + "." + nameOf(scope) + ".global").str();

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
    SmallVector<Value> operands{get(ptr)[r]};
    for (Value operand : inputs)
      operands.push_back(toMemory(get(operand)[r], element));
    if (loops) {
      auto emit = [&]() -> SmallVector<Value> {
        return {updateByCompareAndSwap(
            operands[0], intType(bits), nameOf(scope), prefix,
            [&](Value old) { return updated(op, old, ArrayRef(operands).drop_front()); })};
      };
      Value nothing = constant(intType(bits), 0);
      results.push_back(predicate ? branchAround(predicate, nothing, emit)[0] : emit()[0]);
      continue;
    }
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
    text += prefix + "." + operation + " $0, [$1], " + values + ";";
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
