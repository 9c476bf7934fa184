//===- Debug.cpp - device_print and device_assert -------------------------===//

#include "Families.h"

#include "tritium/Kernel/LaunchABI.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
class DebugLowering : public LoweringContext {
public:
  DebugLowering(const LoweringContext &context, std::vector<AssertSite> &asserts)
      : LoweringContext(context), asserts(asserts) {}

  Value stringConstant(StringRef text);
  void callPrintf(Value predicate, StringRef format, ArrayRef<Value> arguments);
  LogicalResult lowerPrint(tt::PrintOp op);
  LogicalResult lowerAssert(tt::AssertOp op);

private:
  std::vector<AssertSite> &asserts;
};
} // namespace

/// A constant string in global memory, as a generic pointer.
Value DebugLowering::stringConstant(StringRef text) {
  std::string bytes = text.str() + '\0';
  std::string name = "tritium_str_" + std::to_string(static_cast<uint64_t>(llvm::hash_value(text)));
  if (!module.lookupSymbol<LLVM::GlobalOp>(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    b.create<LLVM::GlobalOp>(loc, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
                             /*isConstant=*/true, LLVM::Linkage::Internal, name,
                             b.getStringAttr(bytes), /*alignment=*/1, /*addrSpace=*/1);
  }
  Value address = b.create<LLVM::AddressOfOp>(loc, pointerType(1), name);
  return b.create<LLVM::AddrSpaceCastOp>(loc, pointerType(0), address);
}

//===----------------------------------------------------------------------===//
// device_print
//===----------------------------------------------------------------------===//

namespace {
/// How C's printf shows a value, and the value as printf takes it.
struct Shown {
  std::string format;
  Value value;
};

Shown show(Emitter &e, Value x, Type element, bool isSigned, bool hex) {
  unsigned bits = tt::scalarBits(element);
  if (isa<tt::PointerType>(element))
    return {"0x%016llx", e.b.create<LLVM::PtrToIntOp>(e.loc, e.b.getI64Type(), x)};
  if (tt::isTileFloat(element) && !hex) {
    Type f64 = e.b.getF64Type();
    return {"%f", bits == 64 ? x : e.fpext(x, f64)};
  }
  if (tt::isTileFloat(element))
    x = e.bitcast(x, e.intType(bits));
  if (hex)
    return {"0x%0" + std::to_string(std::max(bits / 4, 2u)) + "llx", e.zext(x, 64)};
  if (!isSigned || bits == 1)
    return {"%llu", e.zext(x, 64)};
  return {"%lld", bits == 64 ? x : e.b.create<LLVM::SExtOp>(e.loc, e.b.getI64Type(), x)};
}

std::string escaped(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '%' ? "%%" : std::string(1, c);
  return result;
}
} // namespace

/// vprintf(format, arguments) of the driver, for the lanes where `predicate` holds.
void DebugLowering::callPrintf(Value predicate, StringRef format, ArrayRef<Value> arguments) {
  constexpr StringLiteral callee = "vprintf";
  Type ptr = pointerType(0);
  if (!module.lookupSymbol(callee)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    b.create<LLVM::LLVMFuncOp>(loc, callee,
                               LLVM::LLVMFunctionType::get(b.getI32Type(), {ptr, ptr}));
  }
  Block *print = newBlock(), *next = newBlock();
  if (predicate)
    b.create<LLVM::CondBrOp>(loc, predicate, print, next);
  else
    b.create<LLVM::BrOp>(loc, print);
  b.setInsertionPointToStart(print);
  // Arguments lie as in a struct, each aligned to its size.
  SmallVector<Type> types;
  for (Value x : arguments)
    types.push_back(x.getType());
  Type record = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value buffer;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    buffer = b.create<LLVM::AllocaOp>(loc, ptr, record, i32(1), /*alignment=*/8);
  }
  for (auto [i, x] : llvm::enumerate(arguments)) {
    Value place = b.create<LLVM::GEPOp>(loc, ptr, record, buffer,
                                        ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
    b.create<LLVM::StoreOp>(loc, x, place);
  }
  b.create<LLVM::CallOp>(loc, TypeRange(b.getI32Type()), callee,
                         ValueRange{stringConstant(format), buffer});
  b.create<LLVM::BrOp>(loc, next);
  b.setInsertionPointToStart(next);
}

LogicalResult DebugLowering::lowerPrint(tt::PrintOp op) {
  Type i32Type = b.getI32Type();
  Value pid[] = {b.create<NVVM::BlockIdXOp>(loc, i32Type), b.create<NVVM::BlockIdYOp>(loc, i32Type),
                 b.create<NVVM::BlockIdZOp>(loc, i32Type)};
  std::string where = "pid (%u, %u, %u) idx (";
  if (op.getArgs().empty())
    callPrintf(isThreadZero(), where + ") " + escaped(op.getPrefix()) + "\n", pid);
  for (auto [i, value] : llvm::enumerate(op.getArgs())) {
    Type element = tt::elementType(value.getType());
    if (tt::isTileFloat(element) && tt::scalarBits(element) == 8 && !op.getHex())
      return unsupported(op, "printing of 8-bit floats; convert them to float32");
    bool isTile = tt::isTile(value.getType());
    for (auto [r, x] : llvm::enumerate(Registers(get(value)))) {
      Value predicate = isTile ? isFirstCopy(layout(value)) : isThreadZero();
      std::string format = where;
      SmallVector<Value> arguments{pid[0], pid[1], pid[2]};
      if (isTile) {
        const TileLayout &tile = layout(value);
        SmallVector<Value, 4> thread(threadCoordinates(value));
        predicate = both(predicate, isInside(tile, thread, r));
        for (unsigned d = 0; d < tile.rank(); ++d) {
          format += d ? ", %d" : "%d";
          arguments.push_back(coordinate(tile, thread, r, d));
        }
      }
      Shown shown = show(*this, x, element, op.getIsSigned()[i], op.getHex());
      arguments.push_back(shown.value);
      StringRef prefix = op.getPrefix();
      format += prefix.empty() ? ")" : ") " + escaped(prefix);
      format += prefix.ends_with(":") ? " " : ": ";
      callPrintf(predicate, format + shown.format + "\n", arguments);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// device_assert
//===----------------------------------------------------------------------===//

/// All threads learn whether a condition is false in one of them, and end if so. The first
/// failure of the grid fills in the record; see kAssertRecordSymbol.
LogicalResult DebugLowering::lowerAssert(tt::AssertOp op) {
  Value holds;
  bool isTile = tt::isTile(op.getCondition().getType());
  for (auto [r, condition] : llvm::enumerate(Registers(get(op.getCondition())))) {
    Value each = condition;
    if (isTile) {
      const TileLayout &tile = layout(op.getCondition());
      SmallVector<Value, 4> thread(threadCoordinates(op.getCondition()));
      if (Value inside = isInside(tile, thread, r))
        each = ior(each, ixor(inside, boolean(true)));
    }
    holds = both(holds, each);
  }
  AssertSite site;
  site.message = op.getMessage();
  site.shape = op.getShape().vec();
  if (auto place = op.getLoc()->findInstanceOf<FileLineColLoc>()) {
    site.file = place.getFilename().str();
    site.line = static_cast<int>(place.getLine());
  }
  Type i64Type = b.getI64Type(), i32Type = b.getI32Type();
  Value element = i32(0), value = i64(0);
  if (OperandRange report = op.getReport(); !report.empty()) {
    site.kind = static_cast<int>(op.getKind());
    value = scalar(report.back());
    if (!site.shape.empty())
      element = b.create<LLVM::TruncOp>(loc, i32Type, scalar(report.front()));
  }
  int64_t number = asserts.size();
  asserts.push_back(std::move(site));

  if (!module.lookupSymbol(kAssertRecordSymbol)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    b.create<LLVM::GlobalOp>(loc, i64Type, /*isConstant=*/false, LLVM::Linkage::External,
                             kAssertRecordSymbol, b.getI64IntegerAttr(0), /*alignment=*/8,
                             /*addrSpace=*/1);
  }
  Value fails = zext(ixor(holds, boolean(true)), 32);
  Value failures = intrinsic("llvm.nvvm.barrier0.or", i32Type, {fails});
  Block *failed = newBlock(), *record = newBlock(), *end = newBlock(), *next = newBlock();
  b.create<LLVM::CondBrOp>(loc, equals(failures, 0), next, failed);
  b.setInsertionPointToStart(failed);
  Value variable = b.create<LLVM::AddressOfOp>(loc, pointerType(1), kAssertRecordSymbol);
  Value address = b.create<LLVM::LoadOp>(loc, i64Type, variable);
  Value isKnown = cmp(LLVM::ICmpPredicate::ne, address, i64(0));
  Value reports = both(isKnown, isThreadZero());
  b.create<LLVM::CondBrOp>(loc, reports, record, end);
  b.setInsertionPointToStart(record);
  Value pointer = b.create<LLVM::IntToPtrOp>(loc, pointerType(1), address);
  // Programs compete for the record; the host reads it after the launch.
  Value before = assembly(i32Type, "atom.global.gpu.cas.b32 $0, [$1], 0, 1;", "=r,l", {pointer});
  Value isFirst = equals(before, 0);
  Value fields[] = {i32(number), b.create<NVVM::BlockIdXOp>(loc, i32Type),
                    b.create<NVVM::BlockIdYOp>(loc, i32Type),
                    b.create<NVVM::BlockIdZOp>(loc, i32Type), element};
  for (auto [i, field] : llvm::enumerate(fields))
    assembly({}, "@$2 st.global.u32 [$0], $1;", "l,r,b",
             {gep(pointer, i32Type, static_cast<int32_t>(i + 1)), field, isFirst});
  assembly({}, "@$2 st.global.u64 [$0], $1;", "l,l,b", {gep(pointer, i64Type, 3), value, isFirst});
  b.create<LLVM::BrOp>(loc, end);
  b.setInsertionPointToStart(end);
  if (options.assertsTrap)
    assembly({}, "membar.sys; trap;", "", {});
  b.create<LLVM::ReturnOp>(loc, ValueRange());
  b.setInsertionPointToStart(next);
  return success();
}

void populateDebugPatterns(LoweringPatterns &patterns, const LoweringContext &context,
                           std::vector<AssertSite> &asserts) {
  auto family = std::make_shared<DebugLowering>(context, asserts);
  patterns.add<tt::PrintOp>([=](tt::PrintOp op) { return family->lowerPrint(op); });
  patterns.add<tt::AssertOp>([=](tt::AssertOp op) { return family->lowerAssert(op); });
  // What it promises has been read from it.
  patterns.add<tt::AssumeOp>([](Operation *) { return success(); });
}

} // namespace tritium::ttg
