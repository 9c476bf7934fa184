//===- Elements.cpp - functions of elements, and the machine's own --------===//
//
// A function that branches or loops is called for one lane after the other:
//
//   for (lane = 0; lane < valid; lane += pack)
//     results[lane..] = function(x[lane], .., y[lane], ..)
//
// Lanes outside of the tile are not called: on what they hold, a loop might not end.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

SmallVector<Value> Lowering::callFunction(Operation *op, ArrayRef<Value> elements) {
  Block &body = op->getRegion(0).front();
  for (auto [argument, element] : llvm::zip_equal(body.getArguments(), elements))
    scalars[argument] = element;
  emitSteps(plan.functions.find(op)->second);
  loc = op->getLoc();
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return scalar(value); });
}

Chunk Lowering::computeMap(OpResult result, const Index &index) {
  auto op = cast<tt::MapElementwiseOp>(result.getOwner());
  int64_t pack = op.getPack(), valid = index.hasLanes() ? index.valid : 1;
  bool isVector = index.hasLanes() && index.width > 1;
  SmallVector<Value> sources, made;
  for (auto [i, source] : llvm::enumerate(op.getSrcs()))
    sources.push_back(asValue(evaluate(source, operandIndex(op, i, index)),
                              evalType(tt::elementType(source.getType())),
                              isVector ? index : Index()));
  for (Value each : op.getResults())
    made.push_back(zeroOf(evalType(tt::elementType(each.getType())), isVector ? index.width : 1));
  // Behind the last lane it is that one again.
  auto call = [&](Value first, ValueRange before) {
    SmallVector<Value> places, elements, after(before);
    for (int64_t member = 0; member < pack; ++member)
      places.push_back(member ? minSigned(add(first, i64(member)), i64(valid - 1)) : first);
    for (Value source : sources)
      for (Value place : places)
        elements.push_back(isVector ? b.create<vector::ExtractElementOp>(loc, source, place)
                                    : source);
    SmallVector<Value> returned = callFunction(op, elements);
    for (auto [i, value] : llvm::enumerate(returned)) {
      Value &whole = after[i / pack];
      whole =
          isVector ? b.create<vector::InsertElementOp>(loc, value, whole, places[i % pack]) : value;
    }
    return after;
  };
  made = isVector ? loop(i64(0), i64(valid), pack, made, call) : call(i64(0), made);
  for (auto [each, value] : llvm::zip_equal(op.getResults(), made))
    memo.back()[memoKey(each, index)] = isVector ? Chunk::vector(value) : Chunk::uniform(value);
  return memo.back()[memoKey(result, index)];
}

/// clock_gettime(CLOCK_MONOTONIC) of C's library.
Value Lowering::emitClock() {
  constexpr llvm::StringLiteral callee = "clock_gettime";
  constexpr int64_t kMonotonic = 1, kNanoseconds = 1000000000;
  Type ptr = LLVM::LLVMPointerType::get(b.getContext()), i64Type = b.getI64Type();
  Type time = LLVM::LLVMStructType::getLiteral(b.getContext(), {i64Type, i64Type});
  Value place;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    if (!module.lookupSymbol(callee))
      b.create<func::FuncOp>(loc, callee, b.getFunctionType({b.getI32Type(), ptr}, b.getI32Type()))
          .setPrivate();
    b.setInsertionPointToStart(&attention.getParentRegion()->front());
    Value one = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(1));
    place = b.create<LLVM::AllocaOp>(loc, ptr, time, one, /*alignment=*/8);
  }
  b.create<func::CallOp>(loc, callee, b.getI32Type(),
                         ValueRange{constant(b.getI32Type(), kMonotonic), place});
  auto field = [&](int32_t number) -> Value {
    Value address = b.create<LLVM::GEPOp>(loc, ptr, i64Type, place, ArrayRef<LLVM::GEPArg>{number});
    return b.create<LLVM::LoadOp>(loc, i64Type, address, 8);
  };
  Value seconds = field(0), rest = field(1);
  return add(mul(seconds, i64(kNanoseconds)), rest);
}

} // namespace tritium::cpu
