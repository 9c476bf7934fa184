//===- PtxasLogTest.cpp - what ptxas says, as it is understood ------------===//

#include "tritium/Target/NVPTX/PtxasLog.h"
#include "tritium/Target/NVPTX/Ptxas.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tritium;
using namespace tritium::nvptx;
using testing::HasSubstr;

namespace {

constexpr const char *clean = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'clean' for 'sm_90a'
ptxas info    : Function properties for clean
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 30 registers, used 0 barriers, 48 bytes smem
ptxas info    : Compile time = 12.382 ms
)";

constexpr const char *spilling =
    R"(ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the wgmma pipeline in the function 'k'
ptxas info    : Compiling entry function 'k' for 'sm_90a'
ptxas info    : Function properties for k
    464 bytes stack frame, 460 bytes spill stores, 460 bytes spill loads
ptxas info    : Used 168 registers, used 0 barriers, 464 bytes cumulative stack size
)";

TEST(PtxasLog, NumbersOfACleanKernel) {
  PtxasReport report = readPtxasLog(clean);
  EXPECT_EQ(report.registers, 30u);
  EXPECT_EQ(report.sharedBytes, 48u);
  EXPECT_EQ(report.spillBytes + report.stackBytes, 0u);
  EXPECT_TRUE(report.advice.empty());
  EXPECT_EQ(explainSpills(report), "");
  EXPECT_EQ(handicapOf(report), "");
}

TEST(PtxasLog, SpillsAndProductsThatWait) {
  PtxasReport report = readPtxasLog(spilling);
  EXPECT_EQ(report.spillBytes, 460u);
  EXPECT_EQ(report.stackBytes, 464u);
  EXPECT_THAT(explainSpills(report), HasSubstr("460 bytes a thread are spilled to memory at 168"));
  ASSERT_EQ(report.advice.size(), 1u);
  EXPECT_EQ(report.advice[0].code, 7511u);
  EXPECT_TRUE(report.advice[0].text.starts_with("Potential Performance Loss: wgmma"));
  EXPECT_TRUE(report.advice[0].serializesProducts());
  std::string text = explain(report.advice[0]);
  EXPECT_THAT(text, HasSubstr("products of warp groups wait for one another"));
  EXPECT_THAT(text, HasSubstr("(ptxas, C7511); use smaller tiles"));
  EXPECT_THAT(handicapOf(report), HasSubstr("460 bytes"));
  EXPECT_THAT(handicapOf(report), HasSubstr("wait for one another"));
}

// As many bytes as a path that is seldom taken may have.
TEST(PtxasLog, AFewSpillsAreNoHandicap) {
  PtxasReport report =
      readPtxasLog("    16 bytes stack frame, 16 bytes spill stores, 16 bytes spill loads");
  EXPECT_EQ(report.spillBytes, 16u);
  EXPECT_EQ(explainSpills(report), "");
  EXPECT_EQ(handicapOf(report), "");
}

TEST(PtxasLog, WhatEachCodeMeans) {
  struct Case {
    const char *text, *words;
    bool serializes;
  };
  const Case cases[] = {
      {"(C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register "
       "count at entry.",
       "warp groups keep the registers that they begin with", false},
      {"(C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to the "
       "presence of Extern calls in the function 'k'",
       "leave out device_print", true},
      {"(C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized due to non "
       "wgmma instructions reading accumulator registers",
       "a sum is read while products add to it", true},
      {"(C7518) Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
       "program dependence on compiler-inserted WG.DP in divergent path in the function 'div'",
       "compiler-inserted WG.DP in divergent path in the function 'div' (ptxas, C7518); try other "
       "tiles",
       true},
      {"(C7600) Register allocation failed with register count of '112'. Compile the program with "
       "a "
       "higher register target",
       "use smaller tiles, fewer warps", false},
      {"(C7599) Something new.", "Something new. (ptxas, C7599)", false},
  };
  for (const Case &one : cases) {
    SCOPED_TRACE(one.text);
    PtxasReport report = readPtxasLog(std::string("ptxas info    : ") + one.text + "\n");
    ASSERT_EQ(report.advice.size(), 1u);
    EXPECT_THAT(explain(report.advice[0]), HasSubstr(one.words));
    EXPECT_EQ(report.advice[0].serializesProducts(), one.serializes);
    EXPECT_EQ(handicapOf(report).empty(), !one.serializes);
    EXPECT_FALSE(report.advice[0].isFatal);
  }
}

TEST(PtxasLog, ACodeOfSeveralLinesIsSaidOnce) {
  std::string line = "ptxas info    : (C7517) warpgroup.wait is injected in around line ";
  PtxasReport report = readPtxasLog(line + "13 by compiler\n" + line + "20 by compiler\n" +
                                    "ptxas warning : .debug_info section not found\n");
  ASSERT_EQ(report.advice.size(), 2u);
  EXPECT_EQ(report.advice[0].count, 2u);
  EXPECT_THAT(explain(report.advice[0]), HasSubstr("in 2 places (ptxas, C7517)"));
  EXPECT_EQ(explain(report.advice[1]), ".debug_info section not found (ptxas)");
}

TEST(PtxasLog, OddLinesSayNothing) {
  for (const char *line : {"", "ptxas", "ptxas info    :", "(C7511) serialized", "warning: no",
                           "ptxas info    : (C", "ptxas info    : (C99999999999) x"}) {
    SCOPED_TRACE(line);
    EXPECT_TRUE(readPtxasLog(line).advice.empty());
  }
}

//===-- The real one ------------------------------------------------------===//

/// A kernel of one product of 64 x `columns` in a CTA of so many threads.
std::string product(unsigned columns, unsigned threads, const std::string &before = "",
                    const std::string &after = "wgmma.wait_group.sync.aligned 0;\n") {
  std::string sums, zeros, stores;
  for (unsigned i = 0; i < columns / 2; ++i) {
    std::string name = "%f" + std::to_string(i);
    sums += (i ? ", " : "") + name;
    zeros += "mov.f32 " + name + ", 0f00000000;\n";
    stores += "st.global.f32 [%rd3 + " + std::to_string(4 * i) + "], " + name + ";\n";
  }
  return ".version 8.3\n.target sm_90a\n.address_size 64\n"
         ".visible .entry k(.param .u64 p) .reqntid " +
         std::to_string(threads) +
         ", 1, 1\n{\n.reg .f32 %f<128>; .reg .b64 %rd<4>; .reg .b32 %r<2>; .reg .pred %p<2>;\n"
         "ld.param.u64 %rd3, [p];\nmov.u32 %r1, %tid.x;\n"
         "mov.b64 %rd1, 4611686293305294848;\nmov.b64 %rd2, 4611686293305294912;\n" +
         zeros + before + "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n" +
         std::to_string(columns) + "k16.f32.f16.f16 {" + sums +
         "}, %rd1, %rd2, 1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n" + after + stores +
         "ret;\n}\n";
}

class RealPtxas : public testing::Test {
protected:
  void SetUp() override {
    ptxas = findPtxas();
    if (!ptxas)
      GTEST_SKIP() << "no ptxas";
  }
  bool assemble(const std::string &ptx) {
    return nvptx::assemble(*ptxas, ptx, "sm_90a", {}, assembled, error);
  }
  std::optional<Ptxas> ptxas;
  Assembled assembled;
  std::string error;
};

TEST_F(RealPtxas, ProductsThatWaitForOneAnother) {
  ASSERT_TRUE(assemble(product(8, 128))) << error;
  EXPECT_TRUE(assembled.report.advice.empty()) << assembled.log;
  EXPECT_EQ(handicapOf(assembled.report), "");
  // Some threads of the warp group leave in front of the product, and nobody waits for it.
  ASSERT_TRUE(assemble(product(8, 128, "setp.lt.u32 %p1, %r1, 7;\n@%p1 bra OUT;\n", "OUT:\n")))
      << error;
  EXPECT_THAT(handicapOf(assembled.report), HasSubstr("wait for one another")) << assembled.log;
}

TEST_F(RealPtxas, AProductThatNoThreadHasRegistersFor) {
  EXPECT_FALSE(assemble(product(256, 512)));
  EXPECT_THAT(error, HasSubstr("C7602")) << error;
  ASSERT_EQ(assembled.report.advice.size(), 1u) << assembled.log;
  EXPECT_TRUE(assembled.report.advice[0].isFatal);
  EXPECT_THAT(explain(assembled.report.advice[0]),
              HasSubstr("use fewer columns a tile, fewer warps"));
  EXPECT_TRUE(assemble(product(256, 128))) << error;
}

} // namespace
