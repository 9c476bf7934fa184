//===- Lowering.cpp - the entry of a CPU kernel ---------------------------===//
//
//   tt.func @k(%x: !tt.ptr<f32>, %n: i32)
// becomes
//   func.func @k_entry(%args, %scratch, %begin, %end, %grid, %host) {
//     %x = load args[0]; %n = load args[1]
//     scf.for %program = %begin to %end { the steps of the body }
//   }
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tritium/Conversion/TileToCPU/TileToCPU.h"
#include "tritium/Support/Settings.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace tritium::cpu {

Lowering::Lowering(ModuleOp module, const TargetInfo &target, const CompileOptions &options,
                   KernelMetadata &metadata, std::vector<Remark> &remarks)
    : module(module), target(target), options(options), metadata(metadata), remarks(remarks),
      b(module.getContext()), loc(module.getLoc()) {}

void Lowering::error(Operation *op, const llvm::Twine &message) {
  if (!failed)
    op->emitError(message);
  failed = true;
}

LogicalResult Lowering::run(std::string *planText) {
  for (auto func : module.getOps<tt::FuncOp>())
    if (func.isKernel())
      kernel = func;
  if (!kernel)
    return module.emitError("the module has no kernel"), failure();
  bool hasCalls = false;
  kernel.walk([&](tt::CallOp call) {
    if (!hasCalls)
      call.emitError("a call must be inlined before it is lowered");
    hasCalls = true;
  });
  if (hasCalls || metadata.parameters.size() != kernel.getNumArguments())
    return failure();
  // A program is one thread here.
  kernel.walk([](gpu::BarrierOp barrier) { barrier.erase(); });
  plan = planKernel(kernel, target, options, metadata, facts);
  if (planText) {
    llvm::raw_string_ostream text(*planText);
    plan.print(text, kernel);
  }
  for (auto [parameter, bytes] : llvm::zip(metadata.parameters, plan.streamedBytes))
    parameter.streamedBytes = bytes;
  emitEntry();
  if (failed)
    return failure();
  remarkPlan();
  for (auto func : llvm::make_early_inc_range(module.getOps<tt::FuncOp>()))
    func.erase();
  metadata.scratchBytes = plan.scratchBytes;
  return success();
}

Value Lowering::loadArgument(Value args, unsigned slot, Type type) {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value address = b.create<LLVM::GEPOp>(loc, ptr, b.getI8Type(), args,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(8 * slot)});
  if (isa<tt::PointerType>(type))
    return b.create<LLVM::LoadOp>(loc, ptr, address, 8);
  if (type.isInteger(1)) {
    Value byte = b.create<LLVM::LoadOp>(loc, b.getI8Type(), address, 8);
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, byte, constant(b.getI8Type(), 0));
  }
  Value v = b.create<LLVM::LoadOp>(loc, evalType(type), address, 8);
  return roundTo(v, type);
}

void Lowering::emitEntry() {
  metadata.entry = (kernel.getName() + "_entry").str();
  Type ptr = LLVM::LLVMPointerType::get(b.getContext()), i64Type = b.getI64Type();
  b.setInsertionPointToEnd(module.getBody());
  loc = kernel.getLoc();
  auto entry = b.create<func::FuncOp>(
      loc, metadata.entry, b.getFunctionType({ptr, ptr, i64Type, i64Type, ptr, ptr}, {}));
  for (unsigned i : {0u, 1u, 4u, 5u})
    entry.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
  Block *body = entry.addEntryBlock();
  b.setInsertionPointToStart(body);
  scratch = body->getArgument(1);
  host = body->getArgument(5);
  for (auto [i, arg] : llvm::enumerate(kernel.getArguments()))
    scalars[arg] = loadArgument(body->getArgument(0), i, arg.getType());
  for (int i = 0; i < 3; ++i) {
    Value address = gep(body->getArgument(4), i64(4 * i));
    numPrograms[i] = b.create<LLVM::LoadOp>(loc, b.getI32Type(), address, 4);
  }
  if (plan.usesTiles)
    tilesRefused = emitTilePermission(b, loc);
  forgetPacked();
  emitAttention();
  auto wide = [&](Value v) { return b.create<arith::ExtUIOp>(loc, i64Type, v).getResult(); };
  Value gridX = wide(numPrograms[0]), gridY = wide(numPrograms[1]);
  MemoScope scope(*this);
  bool isBriefProgram = isBrief(kernel.getBody().front());
  auto run = [&](Value program, ValueRange) -> SmallVector<Value> {
    auto narrow = [&](Value v) {
      return b.create<arith::TruncIOp>(loc, b.getI32Type(), v).getResult();
    };
    Value rest = b.create<arith::DivUIOp>(loc, program, gridX);
    programIds[0] = narrow(b.create<arith::RemUIOp>(loc, program, gridX));
    programIds[1] = narrow(b.create<arith::RemUIOp>(loc, rest, gridY));
    programIds[2] = narrow(b.create<arith::DivUIOp>(loc, rest, gridY));
    emitSteps(plan.steps);
    if (!isBriefProgram)
      emitPoll();
    return {};
  };
  Value first = body->getArgument(2), last = body->getArgument(3);
  if (isBriefProgram)
    // A grid has fewer than 2^62 programs, so the end of a stretch does not wrap.
    loop(first, last, kRoundsBetweenPolls, {}, [&](Value start, ValueRange) -> SmallVector<Value> {
      loop(start, minSigned(last, add(start, i64(kRoundsBetweenPolls))), 1, {}, run);
      emitPoll();
      return {};
    });
  else
    loop(first, last, 1, {}, run);
  b.setInsertionPointToEnd(body);
  emitStreamFence();
  b.create<func::ReturnOp>(kernel.getLoc());
}

void Lowering::emitSteps(const StepList &steps) {
  for (const Step &step : steps) {
    if (failed)
      return;
    emitStep(step);
  }
}

void Lowering::emitStep(const Step &step) {
  switch (step.kind) {
  case Step::Scalar:
    return emitScalarOp(step);
  case Step::Phase:
    return emitPhase(step);
  case Step::Dot:
    return emitDotStep(step, cast<tt::DotOp>(step.op));
  case Step::Region:
    if (auto loopOp = dyn_cast<scf::ForOp>(step.op))
      return emitFor(step, loopOp);
    if (auto branch = dyn_cast<scf::IfOp>(step.op))
      return emitIf(step, branch);
    if (auto loopOp = dyn_cast<scf::WhileOp>(step.op))
      return emitWhile(step, loopOp);
    return error(step.op, "this operation is not supported on a CPU");
  }
}

Value Lowering::scalar(Value value) {
  if (Value v = scalars.lookup(value))
    return v;
  // Constants are emitted where they are used.
  if (auto constantOp = value.getDefiningOp<arith::ConstantOp>())
    return emitConstant(constantOp.getValue());
  error(kernel, "a scalar is used before it is computed");
  return zeroOf(evalType(value.getType()), 1);
}

Value Lowering::scalarI64(Value value) {
  Value v = scalar(value);
  return v.getType().isInteger(64) ? v : b.createOrFold<arith::ExtSIOp>(loc, b.getI64Type(), v);
}

void Lowering::emitScalarOp(const Step &step) {
  Operation *op = step.op;
  loc = op->getLoc();
  // Launches run one after the other.
  if (isa<arith::ConstantOp, tt::AssumeOp, tt::GridDependencyOp>(op))
    return;
  if (auto read = dyn_cast<tt::ReadRegisterOp>(op)) {
    bool isClock = read.getWhich() == tt::MachineRegister::GLOBALTIMER;
    scalars[read] = isClock ? emitClock() : constant(b.getI32Type(), 0);
    return;
  }
  if (auto id = dyn_cast<tt::GetProgramIdOp>(op)) {
    scalars[id] = programIds[id.getAxis()];
    return;
  }
  if (auto count = dyn_cast<tt::GetNumProgramsOp>(op)) {
    scalars[count] = numPrograms[count.getAxis()];
    return;
  }
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    Value v = emitLoad(load, {}).v;
    if (isa<tt::PointerType>(load.getType()))
      v = b.create<LLVM::IntToPtrOp>(loc, LLVM::LLVMPointerType::get(b.getContext()), v);
    scalars[load.getResult()] = v;
    return;
  }
  if (auto store = dyn_cast<tt::StoreOp>(op))
    return emitStore(store, evaluate(store.getValue(), {}), {});
  if (isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op))
    return emitAtomic(op, {});
  if (auto print = dyn_cast<tt::PrintOp>(op))
    return emitPrint(step, print);
  if (auto assertOp = dyn_cast<tt::AssertOp>(op))
    return emitAssert(step, assertOp, {});
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  if (auto addPtr = dyn_cast<tt::AddPtrOp>(op)) {
    int64_t bytes = tt::scalarBytes(cast<tt::PointerType>(addPtr.getType()).getPointeeType());
    Value offset = scalarI64(addPtr.getOffset());
    scalars[addPtr] = gep(scalar(addPtr.getPtr()), mul(offset, bytes));
    return;
  }
  if (auto toPtr = dyn_cast<tt::IntToPtrOp>(op)) {
    scalars[toPtr] = b.create<LLVM::IntToPtrOp>(loc, ptr, scalar(toPtr.getSrc()));
    return;
  }
  if (auto toInt = dyn_cast<tt::PtrToIntOp>(op)) {
    scalars[toInt] = b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), scalar(toInt.getSrc()));
    return;
  }
  if (op->getNumResults() == 1 && isa<tt::PointerType>(op->getResult(0).getType())) {
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      scalars[op->getResult(0)] =
          b.create<arith::SelectOp>(loc, scalar(select.getCondition()),
                                    scalar(select.getTrueValue()), scalar(select.getFalseValue()));
      return;
    }
    if (isa<tt::BitcastOp>(op)) {
      scalars[op->getResult(0)] = scalar(op->getOperand(0));
      return;
    }
  }
  bool known = op->getNumResults() == 1 && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
               tt::isScalar(op->getResult(0).getType());
  if (!known)
    return error(op, "this operation is not supported on a CPU");
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(scalar(operand));
  scalars[op->getResult(0)] = emitElementwise(op, operands, 1);
}

} // namespace tritium::cpu

bool tritium::fusesMultiplyAdds(const cpu::TargetInfo &target, const CompileOptions &options) {
  return target.hasFMA && options.fpFusion().value_or(settings::DefaultFPFusion.isOn());
}

LogicalResult tritium::lowerToCPU(ModuleOp module, const cpu::TargetInfo &target,
                                  const CompileOptions &options, KernelMetadata &metadata,
                                  std::vector<Remark> &remarks, std::string *plan) {
  module.getContext()
      ->loadDialect<LLVM::LLVMDialect, vector::VectorDialect, func::FuncDialect, scf::SCFDialect,
                    arith::ArithDialect, math::MathDialect>();
  return cpu::Lowering(module, target, options, metadata, remarks).run(plan);
}
