//===- CodegenTest.cpp - LLVM-dialect modules to PTX and cubins -----------===//
//
// What is emitted is assembled by ptxas when there is one: for each architecture by
// itself, since an instruction or a directive may be missing on an older one.
//
//===----------------------------------------------------------------------===//

#include "tritium/Target/NVPTX/Codegen.h"
#include "tritium/Target/NVPTX/Ptxas.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace mlir;
using namespace tritium::nvptx;
using testing::HasSubstr;
using testing::Not;

namespace {

// out[i] = x[i] * y[i] + x[i] for i < n, one element a thread.
constexpr const char *kFma = R"(
llvm.func @fma(%x: !llvm.ptr<1> {llvm.align = 16 : i32}, %y: !llvm.ptr<1>, %out: !llvm.ptr<1>,
               %n: i32) {
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %cta = nvvm.read.ptx.sreg.ctaid.x : i32
  %size = llvm.mlir.constant(128 : i32) : i32
  %base = llvm.mul %cta, %size : i32
  %i = llvm.add %base, %tid : i32
  %inside = llvm.icmp "slt" %i, %n : i32
  llvm.cond_br %inside, ^body, ^end
^body:
  %xp = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %yp = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %op = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %a = llvm.load %xp : !llvm.ptr<1> -> f32
  %b = llvm.load %yp : !llvm.ptr<1> -> f32
  %m = llvm.fmul %a, %b : f32 loc("kernel.py":7:11)
  %s = llvm.fadd %m, %a : f32 loc("kernel.py":8:13)
  llvm.store %s, %op : f32, !llvm.ptr<1>
  llvm.br ^end
^end:
  llvm.return
} loc("kernel.py":3:1)
)";

// A warp's sum by shuffles, through dynamic shared memory and a barrier.
constexpr const char *kReduce = R"(
llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 16 : i64}
  : !llvm.array<0 x i8>
llvm.func @sum(%x: !llvm.ptr<1>, %out: !llvm.ptr<1>) {
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %xp = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %a = llvm.load %xp : !llvm.ptr<1> -> f32
  %mask = llvm.mlir.constant(-1 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %clamp = llvm.mlir.constant(31 : i32) : i32
  %other = nvvm.shfl.sync bfly %mask, %a, %one, %clamp : f32 -> f32
  %s = llvm.fadd %a, %other : f32
  %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %sp = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  llvm.store %s, %sp : f32, !llvm.ptr<3>
  nvvm.barrier0
  %next = llvm.xor %tid, %one : i32
  %np = llvm.getelementptr %smem[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %t = llvm.load %np : !llvm.ptr<3> -> f32
  %op = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  llvm.store %t, %op : f32, !llvm.ptr<1>
  llvm.return
}
)";

// Two copies of an assembly with side effects on both sides of a branch.
constexpr const char *kAssembly = R"(
llvm.func @asm(%x: !llvm.ptr<1>, %n: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %c = llvm.icmp "slt" %n, %zero : i32
  llvm.cond_br %c, ^a, ^b
^a:
  %v = llvm.inline_asm has_side_effects "mov.u32 $0, %laneid;", "=r" : () -> i32
  llvm.store %v, %x : i32, !llvm.ptr<1>
  llvm.br ^b
^b:
  %w = llvm.inline_asm has_side_effects "mov.u32 $0, %warpid;", "=r" : () -> i32
  llvm.store %w, %x : i32, !llvm.ptr<1>
  llvm.return
}
)";

// mma.sync on halves, accumulators in fp32: sm_80 and later.
constexpr const char *kDot = R"(
llvm.func @dot(%p: !llvm.ptr<1>, %out: !llvm.ptr<1>) {
  %a = llvm.load %p : !llvm.ptr<1> -> vector<2xf16>
  %z = llvm.mlir.constant(0.0 : f32) : f32
  %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%a, %a] C[%z, %z, %z, %z]
    {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
     shape = #nvvm.shape<m = 16, n = 8, k = 16>}
    : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %r = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
  llvm.store %r, %out : f32, !llvm.ptr<1>
  llvm.return
}
)";

// A loop that carries the two halves of what it has loaded, and stores them as one.
constexpr const char *kHalves = R"(
llvm.func @halves(%x: !llvm.ptr<1>, %n: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %first = llvm.load volatile %x : !llvm.ptr<1> -> vector<2xf16>
  %a0 = llvm.extractelement %first[%zero : i32] : vector<2xf16>
  %b0 = llvm.extractelement %first[%one : i32] : vector<2xf16>
  llvm.br ^loop(%zero, %a0, %b0 : i32, f16, f16)
^loop(%i: i32, %a: f16, %b: f16):
  %none = llvm.mlir.undef : vector<2xf16>
  %v = llvm.insertelement %a, %none[%zero : i32] : vector<2xf16>
  %w = llvm.insertelement %b, %v[%one : i32] : vector<2xf16>
  llvm.store volatile %w, %x : vector<2xf16>, !llvm.ptr<1>
  %next = llvm.load volatile %x : !llvm.ptr<1> -> vector<2xf16>
  %a1 = llvm.extractelement %next[%zero : i32] : vector<2xf16>
  %b1 = llvm.extractelement %next[%one : i32] : vector<2xf16>
  %j = llvm.add %i, %one : i32
  %more = llvm.icmp "slt" %j, %n : i32
  llvm.cond_br %more, ^loop(%j, %a1, %b1 : i32, f16, f16), ^end
^end:
  llvm.return
}
)";

class NVPTX : public testing::Test {
protected:
  NVPTX() { context.loadDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>(); }

  EmittedCode emit(const char *text, unsigned capability, EmitOptions options) {
    EmittedCode code;
    auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    std::string error;
    EXPECT_TRUE(module);
    EXPECT_TRUE(resolveTarget(capability, info, error)) << error;
    EXPECT_TRUE(emitPTX(*module, info, options, code, error)) << error;
    return code;
  }

  MLIRContext context;
  TargetInfo info;
};

struct Sample {
  const char *name, *text;
  unsigned leastCapability;
};
constexpr Sample samples[] = {
    {"fma", kFma, 75}, {"sum", kReduce, 75}, {"asm", kAssembly, 75}, {"dot", kDot, 80}};

TEST_F(NVPTX, AssemblesForEveryArchitecture) {
  std::optional<Ptxas> ptxas = findPtxas();
  if (!ptxas)
    GTEST_SKIP() << "no ptxas";
  for (unsigned capability : {75u, 80u, 86u, 87u, 89u, 90u, 100u, 120u})
    for (const Sample &sample : samples) {
      if (capability < sample.leastCapability)
        continue;
      SCOPED_TRACE(std::string(sample.name) + " for " + std::to_string(capability));
      EmitOptions options;
      options.kernel = sample.name;
      EmittedCode code = emit(sample.text, capability, options);
      Assembled assembled;
      std::string error;
      ASSERT_TRUE(assemble(*ptxas, code.ptx, info.binaryName(), {}, assembled, error))
          << error << code.ptx;
      EXPECT_EQ(assembled.cubin.substr(0, 4), "\x7f"
                                              "ELF");
      EXPECT_GT(assembled.report.registers, 0u);
      EXPECT_EQ(assembled.report.spillBytes, 0u);
    }
}

TEST_F(NVPTX, EntryHasItsThreadsAndRegisters) {
  EmitOptions options;
  options.kernel = "fma";
  options.threads = 256;
  options.maxRegisters = 40;
  std::string ptx = emit(kFma, 90, options).ptx;
  EXPECT_THAT(ptx, HasSubstr(".target sm_90a\n"));
  EXPECT_THAT(ptx, HasSubstr(".version 8.4"));
  EXPECT_THAT(ptx, HasSubstr(".visible .entry fma("));
  EXPECT_THAT(ptx, HasSubstr(".reqntid 256, 1, 1"));
  EXPECT_THAT(ptx, HasSubstr(".maxnreg 40"));
  EXPECT_THAT(ptx, HasSubstr("ld.global.f32"));
}

TEST_F(NVPTX, NothingIsFused) {
  EmitOptions options;
  options.kernel = "fma";
  std::string ptx = emit(kFma, 80, options).ptx;
  EXPECT_THAT(ptx, Not(HasSubstr("fma.rn.f32")));
  // A plain product and a plain sum may be fused by ptxas.
  EXPECT_THAT(ptx, HasSubstr("mul.rn.f32"));
  EXPECT_THAT(ptx, HasSubstr("add.f32"));
}

TEST_F(NVPTX, LinesAndNoOtherDebugInformation) {
  EmitOptions options;
  options.kernel = "fma";
  std::string ptx = emit(kFma, 80, options).ptx;
  EXPECT_THAT(ptx, HasSubstr(".loc\t1 8 13"));
  EXPECT_THAT(ptx, HasSubstr("kernel.py\""));
  EXPECT_THAT(ptx, Not(HasSubstr(".debug_info")));
  EXPECT_THAT(ptx, Not(HasSubstr(", debug")));
  options.lineInfo = false;
  EXPECT_THAT(emit(kFma, 80, options).ptx, Not(HasSubstr(".loc")));
}

TEST_F(NVPTX, SharedMemoryHasShortAddresses) {
  EmitOptions options;
  options.kernel = "sum";
  std::string ptx = emit(kReduce, 80, options).ptx;
  EXPECT_THAT(ptx, HasSubstr(".extern .shared"));
  EXPECT_THAT(ptx, HasSubstr("st.shared.f32"));
  EXPECT_THAT(ptx, testing::ContainsRegex("mov.u32[ \t]*%r[0-9]+, smem"));
}

TEST_F(NVPTX, LoopsCarryWords) {
  EmitOptions options;
  options.kernel = "halves";
  options.wantLLIR = true;
  std::string llir = emit(kHalves, 90, options).llir;
  EXPECT_THAT(llir, HasSubstr("phi <2 x half>"));
  EXPECT_THAT(llir, testing::Not(HasSubstr("phi half")));
}

TEST_F(NVPTX, AssemblyWithEffectsIsConvergent) {
  EmitOptions options;
  options.kernel = "asm";
  options.wantLLIR = true;
  std::string llir = emit(kAssembly, 80, options).llir;
  EXPECT_THAT(llir, HasSubstr("laneid"));
  EXPECT_THAT(llir, testing::ContainsRegex("attributes #[0-9]+ = \\{ convergent nounwind"));
}

TEST_F(NVPTX, NamesThatPTXDoesNotHave) {
  std::optional<Ptxas> ptxas = findPtxas();
  for (const char *name : {"_", "WARP_SZ", "caf\u00e9", "a.b"}) {
    std::string text = "llvm.func @\"" + std::string(name) + "\"() { llvm.return }";
    EmitOptions options;
    options.kernel = name;
    EmittedCode code = emit(text.c_str(), 80, options);
    EXPECT_NE(code.entry, name);
    EXPECT_THAT(code.ptx, HasSubstr(".entry " + code.entry + "("));
    Assembled assembled;
    std::string error;
    if (ptxas)
      EXPECT_TRUE(assemble(*ptxas, code.ptx, info.binaryName(), {}, assembled, error)) << error;
  }
}

TEST_F(NVPTX, Targets) {
  TargetInfo target;
  std::string error;
  ASSERT_TRUE(resolveTarget(87, target, error));
  EXPECT_EQ(target.codeName(), "sm_86");
  EXPECT_EQ(target.binaryName(), "sm_87");
  ASSERT_TRUE(resolveTarget(100, target, error));
  EXPECT_EQ(target.codeName(), "sm_90"); // not sm_90a, which runs nowhere else
  EXPECT_EQ(target.binaryName(), "sm_100");
  EXPECT_FALSE(resolveTarget(70, target, error));
  EXPECT_THAT(error, HasSubstr("no GPU of compute capability 7.0"));
  EXPECT_THAT(error, HasSubstr("it must be 7.5 or newer"));
}

TEST_F(NVPTX, VersionsOfPTX) {
  TargetInfo target;
  std::string error;
  ASSERT_TRUE(resolveTarget(90, target, error));
  EXPECT_TRUE(checkPTXVersion(target, 80, error));
  EXPECT_FALSE(checkPTXVersion(target, 78, error));
  EXPECT_THAT(error, HasSubstr("sm_90a; there are: 80, 81"));
  EXPECT_FALSE(checkPTXVersion(target, 99, error));
}

TEST_F(NVPTX, FailuresOfTheAssembler) {
  TargetInfo target;
  std::string error;
  ASSERT_TRUE(resolveTarget(80, target, error));
  Assembled assembled;
  EXPECT_FALSE(
      assemble({"/nonexistent/ptxas", "1"}, "", target.binaryName(), {}, assembled, error));
  EXPECT_THAT(error, HasSubstr("/nonexistent/ptxas"));
  if (std::optional<Ptxas> ptxas = findPtxas()) {
    EXPECT_FALSE(assemble(*ptxas, "nonsense", target.binaryName(), {}, assembled, error));
    EXPECT_THAT(error, HasSubstr("Missing .version"));
  }
  setenv("TRITON_PTXAS_PATH", "none", 1);
  EXPECT_FALSE(findPtxas());
  unsetenv("TRITON_PTXAS_PATH");
}

} // namespace
