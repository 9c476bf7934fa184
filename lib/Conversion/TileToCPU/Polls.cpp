//===- Polls.cpp - leaving a kernel in the middle -------------------------===//

#include "Polls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace tritium::cpu {

constexpr llvm::StringLiteral kPoll = "tritium.poll", kWait = "tritium.wait";
constexpr llvm::StringLiteral kAttendFunction = "tritium.attend_host";
constexpr llvm::StringLiteral kWaitFunction = "tritium.wait_for_host";
constexpr int64_t kRoundsBetweenWaits = 64;

/// Fields of TritiumHostCalls.
enum HostField : int32_t { User = 0, Attend = 4, Wait = 5 };

static void createMarker(OpBuilder &b, Location loc, ModuleOp module, StringRef name,
                         ValueRange operands) {
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    b.create<func::FuncOp>(loc, name, b.getFunctionType(operands.getTypes(), {})).setPrivate();
  }
  b.create<func::CallOp>(loc, name, TypeRange(), operands);
}

void createPoll(OpBuilder &b, Location loc, ModuleOp module, Value attention, Value host) {
  createMarker(b, loc, module, kPoll, {attention, host});
}

void createWait(OpBuilder &b, Location loc, ModuleOp module, Value host, ValueRange arguments) {
  SmallVector<Value> all{host};
  llvm::append_range(all, arguments);
  createMarker(b, loc, module, kWait, all);
}

//===-- The calls ---------------------------------------------------------===//

static Value loadField(ImplicitLocOpBuilder &b, Value host, HostField field) {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value address =
      b.create<LLVM::GEPOp>(ptr, b.getI8Type(), host, ArrayRef<LLVM::GEPArg>{8 * field});
  return b.create<LLVM::LoadOp>(ptr, address, 8);
}

/// `i32 name(ptr host, rest...)`: calls the host's function `field` with its user and the rest.
/// With `mayLack`, host and function may be null: 0.
static LLVM::LLVMFuncOp hostFunction(ModuleOp module, Location loc, StringRef name,
                                     TypeRange operands, HostField field, bool mayLack) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  ImplicitLocOpBuilder b(loc, module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  Type ptr = LLVM::LLVMPointerType::get(b.getContext()), i32 = b.getI32Type();
  SmallVector<Type> types(operands);
  auto type = LLVM::LLVMFunctionType::get(i32, types);
  auto function = b.create<LLVM::LLVMFuncOp>(name, type, LLVM::Linkage::Internal);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToEnd(entry);
  Value host = entry->getArgument(0), null = b.create<LLVM::ZeroOp>(ptr);
  Block *lacking = nullptr;
  auto require = [&](Value pointer) {
    if (!lacking) {
      lacking = &function.getBody().emplaceBlock();
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(lacking);
      b.create<LLVM::ReturnOp>(Value(b.create<LLVM::ConstantOp>(i32, 0)));
    }
    Block *next = &function.getBody().emplaceBlock();
    Value isNull = b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::eq, pointer, null);
    b.create<LLVM::CondBrOp>(isNull, lacking, next);
    b.setInsertionPointToEnd(next);
  };
  if (mayLack)
    require(host);
  Value callee = loadField(b, host, field);
  if (mayLack)
    require(callee);
  types[0] = ptr;
  SmallVector<Value> arguments{callee, loadField(b, host, User)};
  llvm::append_range(arguments, entry->getArguments().drop_front());
  auto call = b.create<LLVM::CallOp>(LLVM::LLVMFunctionType::get(i32, types), arguments);
  b.create<LLVM::ReturnOp>(call.getResult());
  return function;
}

//===-- Branches ----------------------------------------------------------===//

namespace {
/// The polls of one function.
class Expansion {
public:
  Expansion(ModuleOp module, func::FuncOp function) : module(module), function(function) {}

  void expand(func::CallOp marker) {
    ImplicitLocOpBuilder b(marker.getLoc(), module.getContext());
    Block *block = marker->getBlock();
    Block *rest = block->splitBlock(marker->getNextNode());
    b.setInsertionPoint(marker);
    bool isPoll = marker.getCallee() == kPoll;
    Block *called = b.createBlock(rest);
    callHost(b, marker, isPoll, rest);
    b.setInsertionPoint(marker);
    Value isDue = isPoll ? needsAttention(b, marker.getOperand(0))
                         : isWaitDue(b, marker.getOperands().back());
    std::pair<uint32_t, uint32_t> weights{1, isPoll ? 1u << 20 : kRoundsBetweenWaits};
    b.create<LLVM::CondBrOp>(isDue, called, ValueRange(), rest, ValueRange(), weights);
    marker.erase();
  }

private:
  Value needsAttention(ImplicitLocOpBuilder &b, Value address) {
    Value word = b.create<LLVM::LoadOp>(b.getI32Type(), address, 4, /*isVolatile=*/false,
                                        /*isNonTemporal=*/false, /*isInvariant=*/false,
                                        LLVM::AtomicOrdering::monotonic);
    return b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, word, number(b, 0));
  }
  Value isWaitDue(ImplicitLocOpBuilder &b, Value rounds) {
    Value part = b.create<LLVM::AndOp>(rounds, number(b, kRoundsBetweenWaits - 1));
    return b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::eq, part, number(b, 0));
  }
  void callHost(ImplicitLocOpBuilder &b, func::CallOp marker, bool isPoll, Block *rest) {
    ValueRange arguments = marker.getOperands();
    if (isPoll)
      arguments = arguments.drop_front();
    auto callee = hostFunction(module, marker.getLoc(), isPoll ? kAttendFunction : kWaitFunction,
                               arguments.getTypes(), isPoll ? Attend : Wait, !isPoll);
    if (isPoll) {
      callee.setPassthroughAttr(b.getStrArrayAttr({"willreturn", "cold"}));
      callee.setMemoryAttr(LLVM::MemoryEffectsAttr::get(
          b.getContext(),
          {LLVM::ModRefInfo::NoModRef, LLVM::ModRefInfo::Ref, LLVM::ModRefInfo::ModRef}));
    }
    Value answer = b.create<LLVM::CallOp>(callee, arguments).getResult();
    Value isLast = b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, answer, number(b, 0));
    b.create<LLVM::CondBrOp>(isLast, exitBlock(), ValueRange(), rest, ValueRange());
  }
  Block *exitBlock() {
    if (!exit) {
      exit = &function.getBody().emplaceBlock();
      OpBuilder::atBlockEnd(exit).create<func::ReturnOp>(function.getLoc());
    }
    return exit;
  }
  static Value number(ImplicitLocOpBuilder &b, int64_t value) {
    return b.create<LLVM::ConstantOp>(b.getI32Type(), value);
  }

  ModuleOp module;
  func::FuncOp function;
  Block *exit = nullptr;
};
} // namespace

void expandPolls(ModuleOp module) {
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    SmallVector<func::CallOp> markers;
    function.walk([&](func::CallOp call) {
      if (call.getCallee() == kPoll || call.getCallee() == kWait)
        markers.push_back(call);
    });
    Expansion expansion(module, function);
    for (func::CallOp marker : markers)
      expansion.expand(marker);
  }
  for (StringRef name : {kPoll, kWait})
    if (Operation *declaration = module.lookupSymbol(name))
      declaration->erase();
}

} // namespace tritium::cpu
