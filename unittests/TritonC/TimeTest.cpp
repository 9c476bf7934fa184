//===- TimeTest.cpp - how long the front end takes ------------------------===//

#include "Kernel.h"

#include "tritium/Frontend/TritonC/IRGen.h"

#include "mlir/IR/MLIRContext.h"

#include <chrono>

using namespace tritium;
using namespace tritium::testing;

/// The best of many runs, which a busy machine disturbs least.
TEST(FrontEndTime, FusedDotKernelWithPreprocessingTakesAtMostThreeMilliseconds) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers are slow";
#endif
#endif
  frontend::FunctionSource source = sourceOf(
      R"(
    void dot(TYPE * A, TYPE * B, TYPE * C, int M, int N, int K,
             int lda __multipleof(8), int ldb __multipleof(8), int ldc __multipleof(8)) {
      int pm = get_program_id(0);
      int pn = get_program_id(1);
      int rm[TM] = pm * TM + 0 ... TM;
      int rn[TN] = pn * TN + 0 ... TN;
      int rk[TK] = 0 ... TK;
      float c[TM, TN] = 0;
      TYPE* pa[SHAPE_A] = A + rk[BROADCAST_AK] * STRIDE_AK + rm[BROADCAST_AM] * STRIDE_AM;
      TYPE* pb[SHAPE_B] = B + rk[BROADCAST_BK] * STRIDE_BK + rn[BROADCAST_BN] * STRIDE_BN;
      TYPE a[SHAPE_A] = (*pa);
      TYPE b[SHAPE_B] = (*pb);
      for (int k = K; k > 0; k -= TK) {
        c += USE_A @ USE_B;
        pa = pa + TK * STRIDE_AK;
        pb = pb + TK * STRIDE_BK;
        bool check = k > TK;
        a = check ? *pa : 0;
        b = check ? *pb : 0;
      }
      int rcm[TM] = pm * TM + 0 ... TM;
      int rcn[TN] = pn * TN + 0 ... TN;
      TYPE* pc[TM, TN] = C + rcn[newaxis, :] + rcm[:, newaxis] * ldc;
      *pc = c;
    })",
      {{"TYPE", "half"},
       {"TM", "64"},
       {"TN", "64"},
       {"TK", "16"},
       {"USE_A", "^a"},
       {"STRIDE_AK", "lda"},
       {"STRIDE_AM", "1"},
       {"SHAPE_A", "TK,TM"},
       {"BROADCAST_AK", ":,newaxis"},
       {"BROADCAST_AM", "newaxis,:"},
       {"USE_B", "b"},
       {"STRIDE_BK", "ldb"},
       {"STRIDE_BN", "1"},
       {"SHAPE_B", "TK,TN"},
       {"BROADCAST_BK", ":,newaxis"},
       {"BROADCAST_BN", "newaxis,:"}});
  CompileError error;
  auto signature = readSignature(source, error);
  ASSERT_TRUE(signature) << error.rendered;
  std::vector<ArgumentSpec> arguments;
  for (const KernelParameter &parameter : signature->parameters)
    arguments.push_back({false, {}, *parameter.type, 16});
  double best = 1e9;
  for (int i = 0; i < 50; ++i) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    SourceManager sources;
    DiagnosticEngine diagnostics(sources);
    auto start = std::chrono::steady_clock::now();
    auto module = frontend::tritonc::generate(context, source, arguments, sources, diagnostics, {});
    auto end = std::chrono::steady_clock::now();
    ASSERT_TRUE(module) << diagnostics.render();
    best = std::min(best, std::chrono::duration<double, std::milli>(end - start).count());
  }
  RecordProperty("milliseconds", std::to_string(best));
  EXPECT_LE(best, 3.0);
}
