//===- Codegen.cpp - LLVM-dialect module to CPU object code ---------------===//
//
// Translation to LLVM IR, a short pass list, and LLVM's code generator. The pass list is
// short because the lowering already emits register-sized vectors and blocked loops: what
// is left is cleaning up addresses, hoisting and redundant loads. Vectorisers and the
// unroller would triple the time and find nothing.
//
//===----------------------------------------------------------------------===//

#include "tritium/Target/CPU/Codegen.h"
#include "LLVMBackend.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <map>
#include <mutex>
#include <tuple>
#include <vector>

using namespace llvm;

namespace {

/// Equal values are merged and invariant ones leave their loops. Simpler forms of single
/// instructions, which cost more to look for than all the rest, the code generator finds.
constexpr const char *kPasses = "function(early-cse,loop-mssa(licm))";

/// Passes of x86's code generator that are not run. They took a fifth of its time.
constexpr StringRef kLeftOut[] = {
    // x86 adds base, scaled index and offset in the access itself, so an index a loop is
    // enough; strength reduction makes a pointer of each address.
    "loop-reduce",
    "canon-freeze",
    // There are no variables to describe, only lines.
    "livedebugvalues",
    "removeredundantdebugvalues",
    // What they look for does not occur: comparisons of memory, loads with gaps, calls of
    // library functions on scalars, tiles of AMX, exceptions, garbage collection, masks in
    // general registers, instrumentation.
    "mergeicmps",
    "expand-memcmp",
    "interleaved-access",
    "x86-partial-reduction",
    "replace-with-veclib",
    "partially-inline-libcalls",
    "consthoist",
    "expandvp",
    "lower-amx-intrinsics",
    "lower-amx-type",
    "tilepreconfig",
    "tileconfig",
    "lowertilecopy",
    "dwarf-eh-prepare",
    "callbrprepare",
    "indirectbr-expand",
    "funclet-layout",
    "gc-lowering",
    "shadow-stack-gc-lowering",
    "gc-analysis",
    "stackmap-liveness",
    "fixup-statepoint-caller-saved",
    "x86-domain-reassignment",
    // It breaks up copies of memory, of which there are none, and aborts at a masked load whose
    // mask became constant: its size is unknown. (LLVM 19.1)
    "x86-avoid-SFB",
    "early-ifcvt",
    "safe-stack",
    "tlshoist",
    "post-inline-ee-instrument",
    "xray-instrumentation",
    "patchable-function",
    "fentry-insert",
    "kcfi",
    "machine-sanmd",
    "pseudo-probe-inserter",
    "x86-slh",
    "x86-seses",
    "x86-lvi-load",
    "x86-lvi-ret",
    "x86-return-thunks",
    "stack-frame-layout",
};

/// Target machines that no compilation uses at the moment. One costs little to make, but
/// it keeps the tables of its subtarget.
class MachinePool {
public:
  using Key = std::tuple<std::string, std::string, std::string>;

  std::unique_ptr<TargetMachine> take(const Key &key) {
    std::lock_guard lock(mutex);
    auto &free = machines[key];
    if (free.empty())
      return nullptr;
    std::unique_ptr<TargetMachine> machine = std::move(free.back());
    free.pop_back();
    return machine;
  }
  void giveBack(const Key &key, std::unique_ptr<TargetMachine> machine) {
    std::lock_guard lock(mutex);
    machines[key].push_back(std::move(machine));
  }
  /// Never destroyed: other threads may compile while the process exits.
  static MachinePool &get() {
    static auto *pool = new MachinePool;
    return *pool;
  }

private:
  std::mutex mutex;
  std::map<Key, std::vector<std::unique_ptr<TargetMachine>>> machines;
};

std::unique_ptr<TargetMachine> createMachine(const tritium::cpu::TargetInfo &info,
                                             std::string &error) {
  const Target *target = TargetRegistry::lookupTarget(info.triple, error);
  if (!target)
    return nullptr;
  TargetOptions options;
  // What is to be fused is already.
  options.AllowFPOpFusion = FPOpFusion::Strict;
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(info.triple, info.cpu, info.features, options, Reloc::PIC_,
                                  CodeModel::Small, CodeGenOptLevel::Default));
}

/// A target machine for one compilation.
class BorrowedMachine {
public:
  BorrowedMachine(const tritium::cpu::TargetInfo &info, std::string &error)
      : key(info.triple, info.cpu, info.features), machine(MachinePool::get().take(key)) {
    if (!machine)
      machine = createMachine(info, error);
  }
  ~BorrowedMachine() {
    if (machine)
      MachinePool::get().giveBack(key, std::move(machine));
  }
  explicit operator bool() const { return machine != nullptr; }
  TargetMachine &operator*() { return *machine; }
  TargetMachine *operator->() { return machine.get(); }

private:
  MachinePool::Key key;
  std::unique_ptr<TargetMachine> machine;
};

void setFunctionAttributes(Module &module, const tritium::cpu::TargetInfo &target) {
  for (Function &function : module) {
    // Nothing that a kernel calls unwinds, so no unwind tables are needed.
    function.setDoesNotThrow();
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
  }
}

/// Optimised IR -> code.
bool generateCode(Module &ir, TargetMachine &machine, const tritium::cpu::TargetInfo &target,
                  bool wantAssembly, tritium::cpu::EmittedCode &code, std::string &error) {
  ArrayRef<StringRef> leftOut;
  if (target.isX86)
    leftOut = kLeftOut;
  if (wantAssembly) {
    // Code generation changes the module, so the text comes from a copy.
    std::unique_ptr<Module> copy = CloneModule(ir);
    if (!tritium::target::generate(*copy, machine, CodeGenFileType::AssemblyFile, code.assembly,
                                   error, leftOut))
      return false;
  }
  return tritium::target::generate(ir, machine, CodeGenFileType::ObjectFile, code.object, error,
                                   leftOut);
}

} // namespace

bool tritium::cpu::emitObject(mlir::ModuleOp module, const TargetInfo &targetInfo, bool wantLLIR,
                              bool wantAssembly, EmittedCode &code, std::string &error) {
  code = EmittedCode();
  error.clear();
  mlir::MLIRContext *mlirContext = module.getContext();
  mlir::registerBuiltinDialectTranslation(*mlirContext);
  mlir::registerLLVMDialectTranslation(*mlirContext);

  // Line tables: each function becomes a debug scope for the locations in it.
  mlir::PassManager scopes(mlirContext);
  scopes.enableVerifier(false);
  scopes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass());
  if (failed(scopes.run(module))) {
    error = "could not attach debug scopes";
    return false;
  }

  LLVMContext context;
  target::collectErrors(context, error);
  std::unique_ptr<Module> ir = target::translate(module, context, error);
  if (!ir)
    return false;
  BorrowedMachine machine(targetInfo, error);
  if (!machine)
    return false;
  ir->setTargetTriple(targetInfo.triple);
  ir->setDataLayout(machine->createDataLayout());
  setFunctionAttributes(*ir, targetInfo);
  if (!target::runPasses(*ir, *machine, kPasses, error))
    return false;

  if (wantLLIR) {
    raw_string_ostream stream(code.llir);
    ir->print(stream, nullptr);
  }
  return generateCode(*ir, *machine, targetInfo, wantAssembly, code, error);
}

bool tritium::cpu::emitObject(const std::string &llir, const TargetInfo &targetInfo,
                              bool wantAssembly, EmittedCode &code, std::string &error) {
  code = EmittedCode();
  error.clear();
  LLVMContext context;
  target::collectErrors(context, error);
  std::unique_ptr<Module> ir = target::parse(llir, context, error);
  if (!ir)
    return false;
  BorrowedMachine machine(targetInfo, error);
  if (!machine)
    return false;
  ir->setTargetTriple(targetInfo.triple);
  ir->setDataLayout(machine->createDataLayout());
  return generateCode(*ir, *machine, targetInfo, wantAssembly, code, error);
}
