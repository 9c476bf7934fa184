//===- AtomicTest.cpp - reductions of vectors -----------------------------===//

#include "SimTest.h"

#include <numeric>

using namespace tritium::sim;
using namespace tritium::sim::test;

namespace {

/// %d1: the thread's vector of so many bytes.
std::string vectorOf(int bytes) {
  return "mad.wide.u32 %d1, %r0, " + std::to_string(bytes) + ", %d0;\n";
}

TEST(VectorReductions, EachElementIsAdded) {
  std::vector<float> data(128);
  std::iota(data.begin(), data.end(), 0.0f);
  SimRun run(kernel("cvt.rn.f32.u32 %f1, %r0;\nadd.f32 %f2, %f1, 1000.0;\n"
                    "mov.f32 %f3, 0.5;\nmov.f32 %f4, -2.0;\n" +
                    vectorOf(16) +
                    "red.relaxed.gpu.global.add.v4.f32 [%d1], {%f1, %f2, %f3, %f4};"));
  const Tally &total = run.buffer(data).clean().counters.total;
  for (size_t t = 0; t < 32; ++t) {
    auto first = static_cast<float>(4 * t), thread = static_cast<float>(t);
    EXPECT_EQ(data[4 * t], first + thread);
    EXPECT_EQ(data[4 * t + 1], first + 1 + thread + 1000);
    EXPECT_EQ(data[4 * t + 2], first + 2 + 0.5f);
    EXPECT_EQ(data[4 * t + 3], first + 3 - 2);
  }
  // 512 bytes by one request, four lanes a line.
  EXPECT_EQ(total.sectors, 16u);
  EXPECT_EQ(total.atomics, 32u);
}

TEST(VectorReductions, OfOnePlaceAreAddedUp) {
  // Odd threads alone, all to the second pair.
  std::vector<float> data(6, 1.0f);
  SimRun run(kernel("and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 1;\n"
                    "cvt.rn.f32.u32 %f1, %r0;\nmov.f32 %f2, 2.0;\n"
                    "@%p1 red.global.add.v2.f32 [%d0+8], {%f1, %f2};"));
  const Tally &total = run.buffer(data).clean().counters.total;
  EXPECT_EQ(data, (std::vector<float>{1, 1, 1 + 256, 1 + 32, 1, 1}));
  EXPECT_EQ(total.atomics, 16u);
  EXPECT_EQ(total.atomicPasses, 16u);
}

TEST(VectorReductions, OfNarrowElements) {
  // Halves 1.0 and 2.0 (0x3c00, 0x4000); bf16 1.0 and 2.0 (0x3f80, 0x4000).
  std::vector<uint16_t> data(32);
  SimRun run(
      kernel("setp.ne.u32 %p1, %r0, 0;\n@%p1 exit;\nmov.b16 %h1, 0x3c00;\n"
             "mov.b16 %h2, 0x4000;\nmov.b16 %h3, 0x3f80;\nmov.b32 %r1, {%h1, %h2};\n"
             "red.global.add.noftz.v4.f16 [%d0], {%h1, %h2, %h1, %h2};\n"
             "red.global.add.noftz.v2.f16 [%d0], {%h1, %h1};\n"
             "red.global.add.noftz.v8.bf16 [%d0+16], {%h3, %h2, %h3, %h2, %h3, %h2, %h3, %h2};\n"
             "red.global.add.noftz.v2.f16x2 [%d0+32], {%r1, %r1};"));
  run.buffer(data).clean();
  data.resize(20);
  EXPECT_EQ(data, (std::vector<uint16_t>{0x4000, 0x4200, 0x3c00, 0x4000, 0,      0,      0,
                                         0,      0x3f80, 0x4000, 0x3f80, 0x4000, 0x3f80, 0x4000,
                                         0x3f80, 0x4000, 0x3c00, 0x4000, 0x3c00, 0x4000}));
}

TEST(VectorReductions, Faults) {
  auto kindOf = [](const std::string &body, bool isWritable = true) {
    std::vector<float> data(66);
    SimRun run(kernel("mov.f32 %f1, 1.0;\n" + body));
    run.buffer(data);
    run.launch.buffers[0].writable = isWritable;
    Result result = run.threads(64).run();
    return result.faults.empty() ? std::string("none") : result.faults[0].message;
  };
  auto has = [](const std::string &message, const char *text) {
    EXPECT_NE(message.find(text), std::string::npos) << text << "; " << message;
  };
  has(kindOf("red.global.add.v4.f32 [%d0+8], {%f1, %f1, %f1, %f1};"), "that 16 divides");
  has(kindOf("red.global.add.v4.f32 [%d0+256], {%f1, %f1, %f1, %f1};"), "8 bytes past the end");
  has(kindOf("red.global.add.v2.f32 [%d0], {%f1, %f1};", false), "is read-only, but is written");
  has(kindOf("red.global.add.v2.f32 [%d0], {%f1, %f9};"), "the operand of an atomic");
  // Of the second element alone.
  has(kindOf("setp.eq.u32 %p1, %r0, 1;\n@%p1 st.global.f32 [%d0+4], %f1;\n"
             "red.global.add.v2.f32 [%d0], {%f1, %f1};"),
      "races with");
}

/// A reduction gives what a fence before it has kept to each of its elements' addresses.
TEST(VectorReductions, AreReleasesBehindAFence) {
  auto faultsOf = [](const std::string &fence) {
    std::vector<float> data(8);
    SimRun run(kernel("mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n"
                      "setp.ne.u32 %p2, %r0, 0;\n@%p2 exit;\nmov.f32 %f1, 1.0;\n"
                      "@%p1 bra WAIT;\nst.global.f32 [%d0], %f1;\n" +
                      fence +
                      "red.relaxed.gpu.global.add.v2.f32 [%d0+8], {%f1, %f1};\nexit;\nWAIT:\n"
                      "ld.acquire.gpu.global.f32 %f2, [%d0+12];\nsetp.eq.f32 %p3, %f2, 0.0;\n"
                      "@%p3 bra WAIT;\nld.global.f32 %f3, [%d0];"));
    return run.buffer(data).threads(32, 2).run().faults.size();
  };
  EXPECT_EQ(faultsOf("fence.acq_rel.gpu;\n"), 0u);
  EXPECT_EQ(faultsOf(""), 1u);
}

TEST(VectorReductions, FormsThatThereAreNot) {
  auto messageOf = [](const std::string &instruction, const char *target = "sm_90") {
    std::vector<uint32_t> data(64);
    std::string text = kernel(instruction);
    text.replace(text.find("sm_90"), 5, target);
    SimRun run(text);
    Result result = run.buffer(data).run();
    return result.faults.empty() ? std::string("none") : result.faults[0].message;
  };
  auto has = [](const std::string &message, const char *text) {
    EXPECT_NE(message.find(text), std::string::npos) << text << "; " << message;
  };
  const char *unknown = "this form of a vector is not known";
  has(messageOf("atom.global.add.v2.f32 %f1, [%d0], {%f1, %f1};"), unknown);
  has(messageOf("red.shared.add.v2.f32 [%r1], {%f1, %f1};"), unknown);
  has(messageOf("red.global.add.v2.u32 [%d0], {%r1, %r1};"), unknown);
  has(messageOf("red.global.add.v2.f64 [%d0], {%g1, %g1};"), unknown);
  has(messageOf("red.global.add.v8.f32 [%d0], {%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1};"), unknown);
  has(messageOf("red.global.add.v4.f32 [%d0], {%f1, %f1};"), "wants 4 registers");
  has(messageOf("red.global.add.v2.f32 [%d0], %f1;"), "wants 2 registers");
  for (const char *vector : {"v2.f16 [%d0], {%h1, %h1};", "v4.f16 [%d0], {%h1, %h1, %h1, %h1};",
                             "v8.f16 [%d0], {%h1, %h1, %h1, %h1, %h1, %h1, %h1, %h1};"})
    has(messageOf(std::string("red.global.add.noftz.") + vector, "sm_80"), "needs sm_90 or newer");
}

} // namespace
