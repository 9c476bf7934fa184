//===- Codegen.cpp - LLVM-dialect module to PTX ---------------------------===//
//
// Translation to LLVM IR, a short pass list, and LLVM's NVPTX code generator. The lowering
// already emits vectors, unrolled fragments and hoisted addresses, so the list only cleans
// up; the code generator has its own address and load-store passes, and ptxas schedules.
// Left out on purpose: everything that duplicates or merges control flow around barriers
// and shuffles (jump threading, the inliner, the unroller, GVN's hoisting). What remains
// keeps convergent calls where they are.
//
//===----------------------------------------------------------------------===//

#include "tritium/Target/NVPTX/Codegen.h"
#include "ConstantsLast.h"
#include "DebugLines.h"
#include "LLVMBackend.h"
#include "PackPhis.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace llvm;

namespace {

constexpr const char *kTriple = "nvptx64-nvidia-cuda";

constexpr const char *kPasses =
    "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)";
constexpr const char *kLoopPasses = "function(loop-mssa(licm),early-cse<memssa>)";

const Target *nvptxTarget(std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Shared and local memory have 32-bit addresses. LLVM takes this only as a
    // command-line option, which it reads when a target machine is made.
    auto &known = cl::getRegisteredOptions();
    if (auto found = known.find("nvptx-short-ptr"); found != known.end())
      *static_cast<cl::opt<bool> *>(found->second) = true;
  });
  return TargetRegistry::lookupTarget(kTriple, error);
}

std::unique_ptr<TargetMachine> createMachine(const tritium::nvptx::TargetInfo &info,
                                             const tritium::nvptx::EmitOptions &emit,
                                             std::string &error) {
  const Target *target = nvptxTarget(error);
  if (!target)
    return nullptr;
  TargetOptions options;
  // What is to be fused is already: LLVM writes add.rn and mul.rn, which ptxas does not fuse.
  options.AllowFPOpFusion = FPOpFusion::Strict;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      kTriple, info.codeName(), "+ptx" + std::to_string(emit.ptxVersion), options, Reloc::PIC_,
      std::nullopt, CodeGenOptLevel::Default));
}

/// A name that PTX has: letters, digits, _ and $.
std::string ptxName(StringRef name) {
  std::string result;
  for (char c : name)
    if (isAlnum(c) || c == '_')
      result += c;
    else
      result += "$" + utohexstr(static_cast<uint8_t>(c), /*LowerCase=*/true);
  if (result == "_" || result == "WARP_SZ" || isDigit(result[0]))
    result = "k$" + result;
  return result;
}

void annotate(Function &function, StringRef what, unsigned value) {
  LLVMContext &context = function.getContext();
  auto *number = ConstantInt::get(Type::getInt32Ty(context), value);
  function.getParent()
      ->getOrInsertNamedMetadata("nvvm.annotations")
      ->addOperand(
          MDNode::get(context, {ValueAsMetadata::get(&function), MDString::get(context, what),
                                ConstantAsMetadata::get(number)}));
}

/// Makes `kernel` an entry that is launched with a known number of threads: ptxas needs
/// it to budget registers, and ignores setmaxnreg without it.
void makeEntry(Function &kernel, const tritium::nvptx::EmitOptions &options) {
  kernel.setLinkage(GlobalValue::ExternalLinkage);
  kernel.setName(ptxName(kernel.getName()));
  annotate(kernel, "kernel", 1);
  annotate(kernel, "reqntidx", options.threads);
  annotate(kernel, "reqntidy", 1);
  annotate(kernel, "reqntidz", 1);
  if (options.maxRegisters)
    annotate(kernel, "maxnreg", options.maxRegisters);
}

/// The LLVM dialect cannot say that inline assembly is convergent. What has side effects
/// may be a barrier or a shuffle, so it is; loads and arithmetic have none and move freely.
void markConvergent(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
          if (assembly->hasSideEffects())
            call->setConvergent();
}

/// LLVM 19 selects no instruction for a scalar bitcast between half and bfloat; both are in 16-bit
/// registers, and a move keeps the bits.
void moveBetweenHalves(Module &module) {
  Type *i16 = Type::getInt16Ty(module.getContext());
  auto *move = InlineAsm::get(FunctionType::get(i16, {i16}, false), "mov.b16 $0, $1;", "=h,h",
                              /*hasSideEffects=*/false);
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      Type *to = instruction.getType(), *from = nullptr;
      if (isa<BitCastInst>(instruction))
        from = instruction.getOperand(0)->getType();
      if (!from ||
          !((from->isHalfTy() && to->isBFloatTy()) || (from->isBFloatTy() && to->isHalfTy())))
        continue;
      IRBuilder<> b(&instruction);
      Value *bits = b.CreateCall(move, b.CreateBitCast(instruction.getOperand(0), i16));
      instruction.replaceAllUsesWith(b.CreateBitCast(bits, to));
      instruction.eraseFromParent();
    }
}

/// LLVM 19 has no annotation for it. Any launch of the kernel is one in such clusters then.
void requireClusters(std::string &ptx, unsigned ctas) {
  size_t threads = ptx.find("\n.reqntid");
  ptx.insert(ptx.find('\n', threads + 1),
             "\n.explicitcluster\n.reqnctapercluster " + std::to_string(ctas) + ", 1, 1");
}

/// Takes .rn from sums, which ptxas then orders as it likes: it uses fewer registers. It fuses no
/// product that has .rn; text of a kernel's author may have others.
void relaxSums(std::string &ptx) {
  bool isInAssembly = false;
  SmallVector<size_t> places;
  for (size_t line = 0, end; (end = ptx.find('\n', line)) != std::string::npos; line = end + 1) {
    StringRef text = StringRef(ptx).slice(line, end);
    if (text.contains("// begin inline asm"))
      isInAssembly = true;
    else if (text.contains("// end inline asm"))
      isInAssembly = false;
    else if (isInAssembly &&
             (text.contains("mul.f") || text.contains("mul.sat") || text.contains("mul.bf")))
      return;
    else if (!isInAssembly && (text.starts_with("\tadd.rn.") || text.starts_with("\tsub.rn.")))
      places.push_back(line + strlen("\tadd"));
  }
  std::string relaxed;
  relaxed.reserve(ptx.size());
  size_t begin = 0;
  for (size_t place : places) {
    relaxed.append(ptx, begin, place - begin);
    begin = place + strlen(".rn");
  }
  ptx = relaxed.append(ptx, begin);
}

/// Optimised IR -> PTX.
bool writePTX(Module &ir, TargetMachine &machine, const tritium::nvptx::EmitOptions &options,
              tritium::nvptx::EmittedCode &code, std::string &error) {
  moveBetweenHalves(ir);
  // Loop strength reduction adds pointers that are carried; ptxas does its own. It is a tenth of
  // LLVM's time.
  if (!tritium::target::generate(ir, machine, CodeGenFileType::AssemblyFile, code.ptx, error,
                                 {"loop-reduce"}))
    return false;
  relaxSums(code.ptx);
  if (options.clusterCTAs > 1)
    requireClusters(code.ptx, options.clusterCTAs);
  return true;
}

} // namespace

bool tritium::nvptx::emitPTX(mlir::ModuleOp module, const TargetInfo &info,
                             const EmitOptions &options, EmittedCode &code, std::string &error) {
  code = EmittedCode();
  error.clear();
  if (!checkPTXVersion(info, options.ptxVersion, error))
    return false;
  mlir::MLIRContext *mlirContext = module.getContext();
  mlir::registerBuiltinDialectTranslation(*mlirContext);
  mlir::registerLLVMDialectTranslation(*mlirContext);
  mlir::registerNVVMDialectTranslation(*mlirContext);
  if (options.lineInfo)
    attachDebugLines(module);

  LLVMContext context;
  target::collectErrors(context, error);
  std::unique_ptr<Module> ir = target::translate(module, context, error);
  if (!ir)
    return false;
  std::unique_ptr<TargetMachine> machine = createMachine(info, options, error);
  if (!machine)
    return false;
  ir->setTargetTriple(kTriple);
  ir->setDataLayout(machine->createDataLayout());
  Function *kernel = ir->getFunction(options.kernel);
  if (!kernel || kernel->isDeclaration()) {
    error = "the module has no kernel '" + options.kernel + "'";
    return false;
  }
  for (Function &function : *ir)
    if (!function.isDeclaration()) {
      function.setDoesNotThrow();
      if (&function != kernel)
        function.setLinkage(GlobalValue::InternalLinkage);
    }
  makeEntry(*kernel, options);
  code.entry = kernel->getName().str();
  markConvergent(*ir);
  if (!target::runPasses(*ir, *machine, kPasses, error))
    return false;
  for (Function &function : *ir)
    if (!function.isDeclaration()) {
      putConstantsLast(function);
      packPhis(function);
    }
  if (!target::runPasses(*ir, *machine, kLoopPasses, error))
    return false;
  if (options.wantLLIR) {
    raw_string_ostream stream(code.llir);
    ir->print(stream, nullptr);
  }
  return writePTX(*ir, *machine, options, code, error);
}

bool tritium::nvptx::emitPTX(const std::string &llir, const TargetInfo &info,
                             const EmitOptions &options, EmittedCode &code, std::string &error) {
  code = EmittedCode();
  error.clear();
  if (!checkPTXVersion(info, options.ptxVersion, error))
    return false;
  LLVMContext context;
  target::collectErrors(context, error);
  std::unique_ptr<Module> ir = target::parse(llir, context, error);
  if (!ir)
    return false;
  std::unique_ptr<TargetMachine> machine = createMachine(info, options, error);
  if (!machine)
    return false;
  ir->setTargetTriple(kTriple);
  ir->setDataLayout(machine->createDataLayout());
  Function *kernel = ir->getFunction(options.kernel);
  if (!kernel || kernel->isDeclaration()) {
    error = "the module has no kernel '" + options.kernel + "'";
    return false;
  }
  code.entry = options.kernel;
  return writePTX(*ir, *machine, options, code, error);
}
