//===- CodegenTest.cpp - structured code to a running function ------------===//

#include "JitHarness.h"

#include "gtest/gtest.h"

#include <thread>

using namespace mlir;
using namespace tritium::cpu;

namespace {

// c[i] = a[i] * b[i] + sum(a[0..16)), 64 elements.
void emitSample(OpBuilder &b, Location loc, ArrayRef<Value> args) {
  auto vector = VectorType::get(16, b.getF32Type());
  auto index = [&](int64_t v) { return b.create<arith::ConstantIndexOp>(loc, v).getResult(); };
  Value first = loadAt(b, loc, vector, args[0], index(0), b.getF32Type());
  Value sum = b.create<vector::ReductionOp>(loc, vector::CombiningKind::ADD, first);
  Value splat = b.create<vector::BroadcastOp>(loc, vector, sum);
  auto loop = b.create<scf::ForOp>(loc, index(0), index(64), index(16));
  b.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar();
  Value x = loadAt(b, loc, vector, args[0], i, b.getF32Type());
  Value y = loadAt(b, loc, vector, args[1], i, b.getF32Type());
  Value r = b.create<math::FmaOp>(loc, x, y, splat);
  storeAt(b, loc, r, args[2], i, b.getF32Type());
  b.setInsertionPointAfter(loop);
}

void runSample(const std::string &cpu) {
  JitHarness jit(cpu);
  if (!jit.canRun())
    GTEST_SKIP();
  auto kernel =
      reinterpret_cast<void (*)(const float *, const float *, float *)>(jit.compile(3, emitSample));
  float a[64], b[64], c[64];
  for (int i = 0; i < 64; ++i)
    a[i] = i, b[i] = 64 - i;
  kernel(a, b, c);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(c[i], a[i] * b[i] + 120.f) << i;
}

TEST(Codegen, Native) { runSample("native"); }
TEST(Codegen, Haswell) { runSample("haswell"); }

TEST(Codegen, TextsOnRequest) {
  JitHarness jit("native");
  const std::string &assembly = jit.assemble(3, emitSample);
  EXPECT_NE(jit.code().llir.find("define void @kern"), std::string::npos);
  EXPECT_NE(assembly.find("kern:"), std::string::npos);
  EXPECT_NE(assembly.find(".loc"), std::string::npos);
}

TEST(Codegen, ThreadsDoNotMeet) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] { runSample("native"); });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
