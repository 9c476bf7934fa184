//===- Debug.cpp - device_print and device_assert -------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

Value Lowering::stringConstant(StringRef text) {
  std::string name = "tritium.str." + std::to_string(llvm::hash_value(text));
  std::string bytes = text.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  if (!module.lookupSymbol<LLVM::GlobalOp>(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    b.create<LLVM::GlobalOp>(loc, type, /*isConstant=*/true, LLVM::Linkage::Private, name,
                             b.getStringAttr(bytes));
  }
  return b.create<LLVM::AddressOfOp>(loc, LLVM::LLVMPointerType::get(b.getContext()), name);
}

namespace {
/// Builds calls of the function pointers in TritiumHostCalls.
struct HostCall {
  OpBuilder &b;
  Location loc;
  Value host;

  Type ptr() { return LLVM::LLVMPointerType::get(b.getContext()); }
  Value field(unsigned number) {
    Value address = b.create<LLVM::GEPOp>(loc, ptr(), b.getI8Type(), host,
                                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(8 * number)});
    return b.create<LLVM::LoadOp>(loc, ptr(), address, 8);
  }
  void operator()(unsigned number, ArrayRef<Value> args) {
    SmallVector<Type> types{ptr()};
    SmallVector<Value> operands{field(number), field(0)};
    for (Value v : args) {
      types.push_back(v.getType());
      operands.push_back(v);
    }
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types);
    b.create<LLVM::CallOp>(loc, type, operands);
  }
};
} // namespace

void Lowering::emitPrint(const Step &step, tt::PrintOp op) {
  loc = op.getLoc();
  Type ptrType = LLVM::LLVMPointerType::get(b.getContext());
  HostCall call{b, loc, host};
  emitSteps(step.before);
  loc = op.getLoc();
  ArrayRef<Buffer *> scratch = step.scratch;
  Buffer *ids = scratch.front();
  for (int i = 0; i < 3; ++i)
    b.create<LLVM::StoreOp>(loc, programIds[i], gep(bufferBase(*ids), i64(4 * i)), 4);
  Value prefix = stringConstant(op.getPrefix());
  Value hex = constant(b.getI32Type(), op.getHex());
  auto emit = [&](Type element, bool isSigned, Value data, ArrayRef<int64_t> shape, Buffer *dims) {
    int kind = isa<tt::PointerType>(element) ? 3 : tt::isTileFloat(element) ? 2 : isSigned ? 0 : 1;
    Type stored = evalType(element);
    int bits = std::max(8u, tt::scalarBits(stored));
    for (auto [d, extent] : llvm::enumerate(shape))
      b.create<LLVM::StoreOp>(loc, i64(extent), gep(bufferBase(*dims), i64(8 * d)), 8);
    call(1, {prefix, hex, constant(b.getI32Type(), kind), constant(b.getI32Type(), bits), data,
             bufferBase(*dims), constant(b.getI32Type(), shape.size()), bufferBase(*ids)});
  };
  if (op.getArgs().empty())
    emit(b.getI32Type(), true, b.create<LLVM::ZeroOp>(loc, ptrType), {}, scratch[1]);
  for (auto [i, arg] : llvm::enumerate(op.getArgs())) {
    bool isSigned = i >= op.getIsSigned().size() || op.getIsSigned()[i];
    Type element = tt::elementType(arg.getType());
    Buffer *data = scratch[1 + 2 * i], *dims = scratch[2 + 2 * i];
    if (auto type = dyn_cast<RankedTensorType>(arg.getType())) {
      emit(element, isSigned, bufferBase(*data), type.getShape(), dims);
      continue;
    }
    Value v = scalar(arg);
    if (isa<tt::PointerType>(element))
      v = b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), v);
    writeBuffer(*data, Index{{{DimIndex::Scalar, i64(0)}}, 1, 1}, Chunk::uniform(v));
    emit(element, isSigned, bufferBase(*data), {}, dims);
  }
}

void Lowering::emitAssert(const Step &step, tt::AssertOp op, const Index &index) {
  if (!options.keepsAsserts())
    return;
  Chunk condition = evaluate(op.getCondition(), index);
  Value failed;
  Value one = constant(b.getI1Type(), 1);
  if (index.hasLanes() && condition.kind != Chunk::Uniform) {
    Value v = asVector(condition, b.getI1Type(), index.width);
    Value outside = b.create<arith::XOrIOp>(loc, v, splat(one, index.width));
    if (index.valid != index.width)
      outside = b.create<arith::AndIOp>(loc, outside, firstLanes(index.valid, index.width));
    failed = b.create<vector::ReductionOp>(loc, vector::CombiningKind::OR, outside);
  } else {
    failed = b.create<arith::XOrIOp>(loc, asValue(condition, b.getI1Type(), {}), one);
  }
  Buffer *ids = step.scratch[0], *dims = step.scratch[1];
  int64_t rank = op.getShape().size();
  auto branch = b.create<scf::IfOp>(loc, failed, /*else=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Type i32Type = b.getI32Type();
  for (int i = 0; i < 3; ++i)
    b.create<LLVM::StoreOp>(loc, programIds[i], gep(bufferBase(*ids), i64(4 * i)), 4);
  for (auto [d, extent] : llvm::enumerate(op.getShape()))
    b.create<LLVM::StoreOp>(loc, i64(extent), gep(bufferBase(*dims), i64(8 * d)), 8);
  FileLineColLoc where = userLocation(op.getLoc());
  OperandRange report = op.getReport();
  int kind = report.empty() ? AssertSite::NoValue : static_cast<int>(op.getKind());
  Value element = rank ? b.create<arith::TruncIOp>(loc, i32Type, scalar(report.front())).getResult()
                       : constant(i32Type, 0);
  HostCall call{b, loc, host};
  call(2, {stringConstant(op.getMessage()),
           stringConstant(where ? where.getFilename().getValue() : StringRef()),
           constant(i32Type, where ? where.getLine() : 0), bufferBase(*ids),
           constant(i32Type, kind), bufferBase(*dims), constant(i32Type, rank), element,
           report.empty() ? i64(0) : scalar(report.back())});
}

} // namespace tritium::cpu
