//===- Atomics.cpp - atomic read-modify-write and compare-and-swap --------===//
//
// One instruction an element, for one of the threads that hold copies of it, which alone has the
// result (ttg.result_of_one). What PTX has no instruction for on 8 and 16 bits, and the addition of
// bf16 before 9.0, is a loop around a compare-and-swap. From 9.0 on neighbours in memory that
// floats are added to, whose results nobody uses, take one instruction together, as far as layout,
// alignment and mask allow.
//
// An instruction that releases waits for all before it, so that a thread with several would have
// one on its way at a time. Elements of one operation have no order among themselves: fences
// around all of them order what comes before and after.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "tritium/Analysis/AccessWidth.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
class AtomicLowering : public LoweringContext {
public:
  explicit AtomicLowering(const LoweringContext &context) : LoweringContext(context) {}

  LogicalResult lowerAtomic(Operation *op);

private:
  /// The instructions of an operation, with the order that each keeps by itself.
  LogicalResult lowerElements(Operation *op, tt::MemSemantic sem, tt::MemScope scope);
  /// Registers that one reduction may take, if that is more than one.
  SmallVector<SmallVector<unsigned, 8>> vectorsOf(Operation *op);
  void lowerVectors(tt::AtomicRMWOp op, ArrayRef<SmallVector<unsigned, 8>> vectors);
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

SmallVector<SmallVector<unsigned, 8>> AtomicLowering::vectorsOf(Operation *op) {
  auto rmw = dyn_cast<tt::AtomicRMWOp>(op);
  if (gpu.capability < 90 || !rmw || rmw.getRmwOp() != tt::RMWOp::FADD || !rmw.use_empty())
    return {};
  Type element = tt::elementType(rmw.getType());
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return {};
  const TileLayout &tile = layout(rmw.getPtr());
  AccessRuns found = accessRuns(rmw.getPtr(), rmw.getMask(), tile, axes, Crossing::Never);
  if (found.runs.width == 1)
    return {};
  return tile.vectors(found.dim, found.runs.width);
}

void AtomicLowering::lowerVectors(tt::AtomicRMWOp op, ArrayRef<SmallVector<unsigned, 8>> vectors) {
  Value ptr = op.getPtr(), mask = op.getMask();
  const TileLayout &tile = layout(ptr);
  Type element = tt::elementType(op.getType());
  StringRef type = element.isF32() ? "f32" : element.isBF16() ? "bf16" : "f16";
  std::string letter = element.isF32() ? "r" : "h";
  for (ArrayRef<unsigned> vector : vectors) {
    std::string constraints = "l", list;
    SmallVector<Value> operands{get(ptr)[vector[0]]};
    for (unsigned r : vector) {
      list += (list.empty() ? "$" : ", $") + std::to_string(operands.size());
      operands.push_back(toMemory(get(op.getValue())[r], element));
      constraints += "," + letter;
    }
    Value predicate = both(isFirstCopy(tile), mask ? get(mask)[vector[0]] : Value());
    predicate = both(predicate, isInside(tile, threadCoordinates(ptr), vector[0]));
    std::string guard;
    if (predicate) {
      guard = "@$" + std::to_string(operands.size()) + " ";
      operands.push_back(predicate);
      constraints += ",b";
    }
    assembly({},
             (guard + "red.relaxed." + nameOf(op.getScope()) + ".global.add" +
              (element.isF32() ? "" : ".noftz") + ".v" + Twine(vector.size()) + "." + type +
              " [$0], {" + list + "};")
                 .str(),
             constraints, operands);
  }
}

/// Whether the program accesses no memory after `op`, so that there is nothing to acquire for.
static bool isLastAccess(Operation *op) {
  for (; !isa<tt::FuncOp>(op); op = op->getParentOp()) {
    if (isa<LoopLikeOpInterface>(op))
      return false;
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (!next->hasTrait<OpTrait::IsTerminator>() && !isMemoryEffectFree(next))
        return false;
  }
  return cast<tt::FuncOp>(op).isPublic();
}

LogicalResult AtomicLowering::lowerAtomic(Operation *op) {
  if (isRunForOthers(op) && !op->hasAttr(kResultOfOne))
    return op->emitError() << "one thread runs this atomic for others, which have to get its "
                              "result through shared memory; run ttg-plan-exchanges first";
  auto rmw = dyn_cast<tt::AtomicRMWOp>(op);
  tt::MemSemantic sem = *cast<tt::MemoryAccess>(op).getAtomicOrder();
  tt::MemScope scope = rmw ? rmw.getScope() : cast<tt::AtomicCASOp>(op).getScope();
  size_t count = get(op->getOperand(0)).size();
  if (count == 1)
    return lowerElements(op, sem, scope);
  auto fence = [&] {
    assembly({}, ("fence.acq_rel." + nameOf(scope) + ";").str(), "~{memory}", {});
  };
  if (sem == tt::MemSemantic::RELEASE || sem == tt::MemSemantic::ACQUIRE_RELEASE)
    fence();
  SmallVector<SmallVector<unsigned, 8>> vectors = vectorsOf(op);
  if (vectors.empty()) {
    if (failed(lowerElements(op, tt::MemSemantic::RELAXED, scope)))
      return failure();
  } else {
    lowerVectors(rmw, vectors);
    set(rmw, Registers(count, undef(lowered(tt::elementType(rmw.getType())))));
  }
  bool acquires = sem == tt::MemSemantic::ACQUIRE || sem == tt::MemSemantic::ACQUIRE_RELEASE;
  if (acquires && !isLastAccess(op))
    fence();
  return success();
}

LogicalResult AtomicLowering::lowerElements(Operation *op, tt::MemSemantic sem,
                                            tt::MemScope scope) {
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
