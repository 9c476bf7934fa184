//===- JitHarness.cpp - runs emitted CPU code in the test -----------------===//

#include "JitHarness.h"

#include "tritium/Conversion/TileToCPU/ToLLVM.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

using namespace mlir;
using namespace tritium::cpu;

namespace {

[[noreturn]] void fail(const std::string &message) {
  llvm::errs() << message << "\n";
  std::abort();
}

} // namespace

JitHarness::JitHarness(const std::string &cpu) {
  std::string error;
  if (!resolveTarget(cpu, info, error))
    fail(error);
}

JitHarness::~JitHarness() = default;

bool JitHarness::canRun() const {
  TargetInfo host;
  std::string error;
  if (!resolveTarget("native", host, error))
    fail(error);
  return host.isX86 == info.isX86 && (host.hasAVX512 || !info.hasAVX512) &&
         (host.hasAVX2 || !info.hasAVX2) && (host.hasFMA || !info.hasFMA) &&
         (host.hasF16C || !info.hasF16C);
}

void JitHarness::emit(unsigned pointers, Body body, bool texts) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context
      .loadDialect<arith::ArithDialect, math::MathDialect, scf::SCFDialect, vector::VectorDialect,
                   func::FuncDialect, cf::ControlFlowDialect, LLVM::LLVMDialect>();
  Location loc = FileLineColLoc::get(&context, "harness.mlir", 1, 1);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder b(&context);
  b.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types(pointers, LLVM::LLVMPointerType::get(&context));
  auto function = b.create<func::FuncOp>(loc, "kern", b.getFunctionType(types, {}));
  for (unsigned i = 0; i < pointers; ++i)
    function.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  SmallVector<Value> arguments(entry->args_begin(), entry->args_end());
  body(b, loc, arguments);
  b.setInsertionPointToEnd(&function.getBody().back());
  b.create<func::ReturnOp>(loc);
  if (failed(verify(*module)))
    fail("emitted IR does not verify");

  if (failed(convertToLLVMDialect(*module)))
    fail("conversion to the LLVM dialect failed");
  std::string error;
  if (!emitObject(*module, info, texts, texts, emitted, error))
    fail(error);
}

const std::string &JitHarness::assemble(unsigned pointers, Body body) {
  emit(pointers, body, true);
  return emitted.assembly;
}

void *JitHarness::compile(unsigned pointers, Body body) {
  emit(pointers, body, false);
  llvm::ExitOnError check("JIT: ");
  auto jit = check(llvm::orc::LLJITBuilder().create());
  jit->getMainJITDylib().addGenerator(
      check(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
          jit->getDataLayout().getGlobalPrefix())));
  check(jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(emitted.object)));
  void *address = check(jit->lookup("kern")).toPtr<void *>();
  jits.push_back(std::move(jit));
  return address;
}

static Value addressAt(OpBuilder &b, Location loc, Value base, Value index, Type element) {
  Value offset = b.create<arith::IndexCastOp>(loc, b.getI64Type(), index);
  return b.create<LLVM::GEPOp>(loc, base.getType(), element, base, ValueRange{offset});
}

Value tritium::cpu::loadAt(OpBuilder &b, Location loc, Type type, Value base, Value index,
                           Type element) {
  return b.create<LLVM::LoadOp>(loc, type, addressAt(b, loc, base, index, element),
                                element.getIntOrFloatBitWidth() / 8);
}

void tritium::cpu::storeAt(OpBuilder &b, Location loc, Value value, Value base, Value index,
                           Type element) {
  b.create<LLVM::StoreOp>(loc, value, addressAt(b, loc, base, index, element),
                          element.getIntOrFloatBitWidth() / 8);
}
