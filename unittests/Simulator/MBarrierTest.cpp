//===- MBarrierTest.cpp - mbarrier and bulk copies ------------------------===//

#include "SimTest.h"

#include <numeric>

using namespace tritium::sim;
using namespace tritium::sim::test;

namespace {

const char *const before = ".file 1 \"kernel.py\"\n"
                           ".shared .align 128 .b8 s[8192];\n.shared .align 8 .b64 bars[8];\n";
const char *const fault = "\n.loc 1 77 0\n";
const char *const fine = "\n.loc 1 5 0\n";

/// Thread 0 initialises bars[index].
std::string init(int index, int count) {
  return "@%p0 mbarrier.init.shared::cta.b64 [bars+" + std::to_string(8 * index) + "], " +
         std::to_string(count) + ";\n";
}
const std::string first =
    "setp.eq.u32 %p0, %r0, 0;\nshr.u32 %r30, %r0, 5;\nand.b32 %r31, %r0, 31;\n"
    "setp.eq.u32 %p9, %r31, 0;\n";
const std::string visible =
    "@%p0 fence.mbarrier_init.release.cluster;\n@%p0 fence.proxy.async.shared::cta;\nbar.sync 0;\n";
int labels = 0;
/// Waits for a phase in a loop; at: an address, parity: a register or number.
std::string waitFor(const std::string &at, const std::string &parity,
                    const std::string &how = "try_wait.parity") {
  std::string label = "W" + std::to_string(labels++);
  return "{\n.reg .pred w;\n" + label + ":\nmbarrier." + how + ".shared::cta.b64 w, [" + at +
         "], " + parity + ";\n@!w bra " + label + ";\n}\n";
}
const std::string store = "mad.wide.u32 %d9, %r0, 4, %d0;\n";
std::string load(int bytes, const std::string &guard = "@%p0 ", const std::string &from = "%d0") {
  return guard + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [" + from +
         "], " + std::to_string(bytes) + ", [bars];\n";
}
std::string expect(int bytes) {
  return "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], " + std::to_string(bytes) +
         ";\n";
}

struct Case {
  const char *name;
  FaultKind kind;
  std::string body;
  uint32_t threads = 64;
};
void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

Result runWith(const std::string &body, uint32_t threads, uint64_t seed,
               std::vector<uint32_t> &data) {
  data.resize(2048);
  std::iota(data.begin(), data.end(), 0);
  SimRun run(kernel(first + body, before));
  run.buffer(data).threads(threads);
  run.launch.seed = seed;
  run.launch.stepLimit = 1'000'000;
  return run.run();
}

class MBarriers : public testing::TestWithParam<Case> {};

/// Programs without a fault, in turns by several seeds, and what each thread ends with.
TEST_P(MBarriers, Clean) {
  for (uint64_t seed : {0, 1, 2, 3, 4, 5}) {
    std::vector<uint32_t> data;
    Result result = runWith(GetParam().body, GetParam().threads, seed, data);
    ASSERT_TRUE(result.clean()) << seed << ": " << result.renderFaults();
    for (uint32_t i = 0; i < GetParam().threads; ++i)
      EXPECT_EQ(data[i], i + 1000) << seed;
  }
}

const std::string writes = "mad.wide.u32 %d9, %r0, 4, %d0;\nst.global.u32 [%d9], %r1;\n";
const std::string writesThousand = "add.u32 %r1, %r0, 1000;\n" + writes;
const std::string reads =
    "mov.u32 %r2, s;\nmad.lo.u32 %r3, %r0, 4, %r2;\nld.shared.u32 %r1, [%r3];\n"
    "add.u32 %r1, %r1, 1000;\n" +
    writes;
/// s[thread] = thread + 1000, the phase, and the word of the thread 32 further on.
std::string exchange(const std::string &sync) {
  return init(0, 64) +
         "bar.sync 0;\nmov.u32 %r2, s;\nmad.lo.u32 %r3, %r0, 4, %r2;\n"
         "xor.b32 %r4, %r0, 33;\nmad.lo.u32 %r4, %r4, 4, %r2;\n"
         "add.u32 %r1, %r0, 1000;\nst.shared.u32 [%r3], %r1;\n" +
         sync +
         "ld.shared.u32 %r5, [%r4];\nxor.b32 %r4, %r0, 33;\n"
         "mad.wide.u32 %d9, %r4, 4, %d0;\nst.global.u32 [%d9], %r5;\n";
}

/// A ring of two stages of 256 bytes; warp 0 copies eight pieces, warp 1 adds 1000 to them and
/// leaves the sums of the last piece.
std::string
ring(const std::string &release = "@%p9 mbarrier.arrive.shared::cta.b64 _, [%r8];\n",
     const std::string &consumerWait = waitFor("%r7", "%r6"),
     const std::string &producerWait = waitFor("%r8", "%r9"),
     const std::string &syncs = "bar.warp.sync -1;\n",
     const std::string &expects = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 128;\n") {
  std::string next = "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 8;\n";
  std::string stage = "and.b32 %r5, %r4, 1;\nshr.u32 %r6, %r4, 1;\nand.b32 %r6, %r6, 1;\n"
                      "xor.b32 %r9, %r6, 1;\nmov.u32 %r7, bars;\nmad.lo.u32 %r7, %r5, 8, %r7;\n"
                      "add.u32 %r8, %r7, 16;\nmov.u32 %r10, s;\nmad.lo.u32 %r10, %r5, 256, %r10;\n";
  return init(0, 1) + init(1, 1) + init(2, 1) + init(3, 1) + visible +
         "mov.u32 %r4, 0;\nsetp.ne.u32 %p2, %r30, 0;\n@%p2 bra CONSUME;\n@!%p9 bra END;\n"
         "PRODUCE:\n" +
         stage + producerWait + expects +
         "mad.wide.u32 %d3, %r4, 128, %d0;\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%d3], 128, "
         "[%r7];\n" +
         next + "@%p1 bra PRODUCE;\nbra END;\nCONSUME:\n" + stage + consumerWait +
         "mad.lo.u32 %r11, %r31, 4, %r10;\n" + fault + "ld.shared.u32 %r12, [%r11];\n" + fine +
         syncs + release + next +
         "@%p1 bra CONSUME;\nEND:\nbar.sync 0;\nadd.u32 %r1, %r0, 1000;\n"
         "@%p2 add.u32 %r1, %r12, 808;\n" +
         writes;
}

const std::string released = "@%p9 mbarrier.arrive.shared::cta.b64 _, [%r8];\n";
/// The same, where all lanes of the producer wait for a stage before its first one fills it.
std::string ringOfWarps(const std::string &meet, const std::string &wait) {
  std::string text = ring(released, waitFor("%r7", "%r6"), wait + meet, "bar.warp.sync -1;\n",
                          "@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 128;\n");
  text.erase(text.find("@!%p9 bra END;\n"), std::string("@!%p9 bra END;\n").size());
  return text.insert(text.find("cp.async.bulk.shared"), "@%p9 ");
}

const std::string fills = "add.u32 %r1, %r0, 1000;\nmov.u32 %r2, s;\nmad.lo.u32 %r3, %r0, 4, %r2;\n"
                          "st.shared.u32 [%r3], %r1;\n";
const std::string stores = "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%d0], [s], 256;\n";
const std::string commits = "@%p0 cp.async.bulk.commit_group;\n";
const std::string waits = "@%p0 cp.async.bulk.wait_group 0;\n";

std::vector<Case> cleanCases() {
  FaultKind any = FaultKind::Trap;
  return {
      {"AsABarrier", any,
       exchange("mbarrier.arrive.shared::cta.b64 %d1, [bars];\n" +
                waitFor("bars", "%d1", "test_wait"))},
      {"ByParity", any,
       exchange("mbarrier.arrive.release.cta.shared::cta.b64 _, [bars];\n" +
                waitFor("bars", "0", "test_wait.parity.acquire.cta"))},
      {"TryWaitWithState", any,
       exchange("mbarrier.arrive.shared::cta.b64 %d1, [bars], 1;\n" +
                waitFor("bars", "%d1", "try_wait"))},
      {"Generic", any,
       exchange("mov.u64 %d2, bars;\ncvta.shared.u64 %d2, %d2;\n"
                "mbarrier.arrive.b64 %d1, [%d2];\n" +
                waitFor("bars", "%d1", "try_wait"))},
      {"LanesOfAWarp", any,
       init(0, 32) +
           "bar.warp.sync -1;\nmov.u32 %r2, s;\nmad.lo.u32 %r3, %r0, 4, %r2;\n"
           "add.u32 %r1, %r0, 1000;\nst.shared.u32 [%r3], %r1;\n"
           "mbarrier.arrive.shared::cta.b64 _, [bars];\nsetp.ge.u32 %p3, %r0, 16;\n"
           "@%p3 bra L;\n" +
           waitFor("bars", "0") +
           "ld.shared.u32 %r5, [%r3+64];\nmad.wide.u32 %d9, %r0, 4, %d0;\n"
           "st.global.u32 [%d9+64], %r5;\nst.global.u32 [%d9], %r1;\nL:\n",
       32},
      {"NoComplete", any,
       exchange("mov.u32 %r7, 32;\nsetp.eq.u32 %p3, %r0, 5;\n"
                "@!%p3 mbarrier.arrive.noComplete.shared::cta.b64 %d1, [bars], 1;\nbar.sync 0;\n"
                "@%p3 mbarrier.arrive.shared::cta.b64 %d1, [bars];\n" +
                waitFor("bars", "0"))},
      {"Drop", any,
       // Half of the threads drop out; the others do a second phase alone.
       exchange("setp.ge.u32 %p3, %r0, 32;\n"
                "@%p3 mbarrier.arrive_drop.shared::cta.b64 _, [bars];\n"
                "@!%p3 mbarrier.arrive.shared::cta.b64 _, [bars];\n" +
                waitFor("bars", "0") +
                "bar.sync 0;\n@%p3 bra OUT;\nmbarrier.arrive.shared::cta.b64 _, [bars];\n" +
                waitFor("bars", "1") + "OUT:\n")},
      {"AgainAfterInval", any,
       init(0, 1) + "bar.sync 0;\n@%p0 mbarrier.arrive.shared::cta.b64 _, [bars];\n" +
           waitFor("bars", "0") + "bar.sync 0;\n@%p0 mbarrier.inval.shared::cta.b64 [bars];\n" +
           "bar.sync 0;\nsetp.eq.u32 %p0, %r0, 40;\n" + init(0, 2) +
           "@%p0 st.shared.u32 [bars+8], 7;\n" + writesThousand},
      {"PendingCount", any,
       init(0, 64) + "bar.sync 0;\n@%p0 mbarrier.arrive.shared::cta.b64 %d1, [bars], 2;\n"
                     "@%p0 mbarrier.arrive.shared::cta.b64 %d1, [bars];\n"
                     "@%p0 mbarrier.pending_count.b64 %r7, %d1;\n@!%p0 mov.u32 %r7, 62;\n"
                     "add.u32 %r1, %r0, 938;\nadd.u32 %r1, %r1, %r7;\n"
                     "mad.wide.u32 %d9, %r0, 4, %d0;\nst.global.u32 [%d9], %r1;\n"},
      {"BytesByHand", any,
       init(0, 1) +
           "bar.sync 0;\n@%p0 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bars], 64;\n"
           "@%p0 mbarrier.arrive.shared::cta.b64 _, [bars];\n"
           "setp.eq.u32 %p3, %r0, 33;\n"
           "@%p3 mbarrier.complete_tx.shared::cta.b64 [bars], 64;\n" +
           waitFor("bars", "0") + writesThousand},
      {"Load", any,
       init(0, 1) + visible + expect(256) + load(256) + waitFor("bars", "0") + "bar.sync 0;\n" +
           reads},
      {"LoadThatOneWaitsFor", any,
       init(0, 1) + visible + load(256) + expect(256) + "@!%p0 bra L;\n" + waitFor("bars", "0") +
           "L:\nbar.sync 0;\n" + reads},
      {"Ring", any, ring()},
      {"RingOfWarps", any, ringOfWarps("bar.warp.sync -1;\n", waitFor("%r8", "%r9"))},
      {"Store", any,
       fills + "fence.proxy.async.shared::cta;\nbar.sync 0;\n" + stores + commits + waits},
      {"StoreWithFullFence", any,
       fills + "fence.proxy.async;\nbar.sync 0;\n" + stores + commits + waits},
      {"StoreReadOnlyWaited", any,
       fills + "fence.proxy.async.shared::cta;\nbar.sync 0;\n" + stores + commits +
           "@%p0 cp.async.bulk.wait_group.read 0;\nbar.sync 0;\nst.shared.u32 [%r3], 7;\n"},
      {"TwoGroups", any,
       fills + "fence.proxy.async.shared::cta;\nbar.sync 0;\n" + stores + commits + commits +
           "@%p0 cp.async.bulk.wait_group.read 1;\nbar.sync 0;\nst.shared.u32 [%r3], 7;\n"},
      {"Reduce", any,
       "mov.u32 %r1, 1000;\nmov.u32 %r2, s;\nmad.lo.u32 %r3, %r0, 4, %r2;\n"
       "st.shared.u32 [%r3], %r1;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
       "@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d0], [s], 256;\n" +
           commits + waits},
      {"Prefetch", any, "cp.async.bulk.prefetch.L2.global [%d0], 256;\n" + writesThousand},
  };
}

INSTANTIATE_TEST_SUITE_P(Programs, MBarriers, testing::ValuesIn(cleanCases()),
                         [](const auto &info) { return info.param.name; });

std::vector<Case> faultCases() {
  std::string f = fault, g = fine, arriveOne = "mbarrier.arrive.shared::cta.b64 _, [bars];\n";
  std::string byZero = "@%p0 " + arriveOne, fence = "fence.proxy.async.shared::cta;\n";
  std::string fills =
      "mov.u32 %r2, s;\nmad.lo.u32 %r3, %r0, 4, %r2;\n" + f + "st.shared.u32 [%r3], %r0;" + g;
  std::string wait = waitFor("bars", "0");
  FaultKind misuse = FaultKind::MBarrier;
  return {
      // mbarriers.
      {"NeverInitialised", misuse, f + byZero + g},
      {"InitialisedTwice", misuse, init(0, 1) + f + init(0, 1) + g},
      {"CountOfZero", misuse, f + init(0, 0) + g},
      {"InitialisationNotVisible", misuse, init(0, 64) + f + arriveOne + g},
      {"UsedAfterInval", misuse,
       init(0, 1) + "@%p0 mbarrier.inval.shared::cta.b64 [bars];\n" + f + byZero + g},
      {"InvalWhileOthersWait", misuse,
       init(0, 1) + "bar.sync 0;\n" + byZero + f + wait +
           "@%p0 mbarrier.inval.shared::cta.b64 [bars];\n" + g},
      {"OneArrivalTooMany", misuse, init(0, 2) + expect(16) + f + byZero + byZero + g, 32},
      {"NoCompleteCompletes", misuse,
       init(0, 1) + f + "@%p0 mbarrier.arrive.noComplete.shared::cta.b64 %d1, [bars], 1;\n" + g},
      {"PlainAccess", misuse,
       init(0, 1) + "bar.sync 0;\n" + f + "ld.shared.u32 %r1, [bars+4];" + g},
      {"PhaseTwoOld", misuse,
       init(0, 1) + "@%p0 mbarrier.arrive.shared::cta.b64 %d1, [bars];\n" + byZero + byZero + f +
           "@%p0 mbarrier.test_wait.shared::cta.b64 %p1, [bars], %d1;" + g},
      {"PhaseThatNeedNotBeSeen", misuse,
       // Thread 0 does not know that warp 1 has seen the first phase end.
       init(0, 1) + "bar.sync 0;\n@%p0 bra L;\n" + wait + "exit;\nL:\n" + arriveOne + wait + f +
           arriveOne + g,
       64},
      {"ParityOfTwo", misuse,
       init(0, 1) + f +
           "@%p0 mbarrier.test_wait.parity.shared::cta.b64 %p1, "
           "[bars], 2;" +
           g},
      {"MoreBytesThanExpected", misuse,
       init(0, 1) + visible + expect(128) + f + load(256) + g + waitFor("bars", "0")},
      {"FewerBytesThanExpected", FaultKind::Deadlock,
       init(0, 1) + visible + expect(512) + load(256) + f + wait + g, 32},
      {"ExpectedForNobody", misuse, init(0, 1) + f + expect(256) + g},
      {"ArrivalMissing", FaultKind::Deadlock,
       init(0, 65) + "bar.sync 0;\n" + arriveOne + f + wait + g},
      {"WrongParity", FaultKind::Deadlock,
       init(0, 64) + "bar.sync 0;\n" + arriveOne + f + waitFor("bars", "0") + waitFor("bars", "1") +
           g},
      {"SpinOfTestWait", FaultKind::Deadlock,
       init(0, 65) + "bar.sync 0;\n" + arriveOne + f + waitFor("bars", "0", "test_wait.parity") +
           g},
      {"NothingHandedOn", FaultKind::SharedRace,
       fills + init(0, 64) + "bar.sync 1;\n" + "st.shared.u32 [%r3], 7;\n" + f +
           "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [bars];\n" + wait +
           "ld.shared.u32 %r1, [s];" + g},
      {"ReaderBesideTheOneThatReleases", FaultKind::SharedRace,
       init(0, 1) +
           "bar.sync 0;\nsetp.ne.u32 %p3, %r30, 0;\n@%p3 bra W;\nmov.u32 %r2, s;\n"
           "mad.lo.u32 %r3, %r0, 4, %r2;" +
           f + "st.shared.u32 [%r3], %r0;" + g + byZero + "bra END;\nW:\n" + wait + f +
           "ld.shared.u32 %r1, [s+4];" + g + "END:\n"},
      {"LearntBehindAnArrival", FaultKind::SharedRace,
       // Warp 0 hears of warp 2 only after it has come to the barrier that warp 1 waits at.
       init(0, 32) +
           "bar.sync 0;\nmov.u32 %r2, s;\nmad.lo.u32 %r3, %r31, 4, %r2;\n"
           "setp.eq.u32 %p3, %r30, 1;\n@%p3 bra L1;\nsetp.eq.u32 %p3, %r30, 2;\n"
           "@%p3 bra L2;\nbar.arrive 1, 64;\n" +
           wait + "bra END;\nL2:\n" + f + "st.shared.u32 [%r3], %r0;" + g + arriveOne +
           "bra END;\nL1:\nmov.u32 %r4, 0;\nD:\nadd.u32 %r4, %r4, 1;\n"
           "setp.lt.u32 %p3, %r4, 20000;\n@%p3 bra D;\nbar.sync 1, 64;\n" +
           f + "ld.shared.u32 %r1, [%r3];" + g + "END:\n",
       96},
      // Loads.
      {"ReadBeforeTheWait", FaultKind::AsyncNotReady,
       init(0, 1) + visible + expect(256) + load(256) + f + "ld.shared.u32 %r1, [s];" + g + wait,
       32},
      {"ReadByOneThatHasNotWaited", FaultKind::SharedRace,
       init(0, 1) + visible + expect(256) + load(256) + "setp.ne.u32 %p3, %r30, 0;\n@%p3 bra L;\n" +
           wait +
           "bra END;\nL:\nmov.u32 %r4, 0;\n"
           "D:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 20000;\n@%p3 bra D;\n" +
           f + "ld.shared.u32 %r1, [s];" + g + "END:\n"},
      {"WriteWhileItIsCopied", FaultKind::AsyncNotReady,
       init(0, 1) + visible + expect(256) + load(256) + f + "@%p0 st.shared.u32 [s+128], 7;" + g +
           wait,
       32},
      {"SourceChangesMeanwhile", FaultKind::AsyncNotReady,
       init(0, 1) + visible + expect(256) + load(256) + f + "@%p0 st.global.u32 [%d0+252], 7;" + g +
           wait,
       32},
      {"TwoLoadsToOnePlace", FaultKind::AsyncNotReady,
       init(0, 1) + visible + expect(512) + load(256) + f + load(256) + g + wait, 32},
      {"LoadOverWhatOthersRead", FaultKind::SharedRace,
       fills + fence + init(0, 1) + visible + "xor.b32 %r3, %r3, 128;" + f +
           "ld.shared.u32 %r1, [%r3];" + g + expect(256) + f + load(256) + g + wait},
      {"LoadOverAWriteWithoutAFence", FaultKind::ProxyFence,
       fills + init(0, 1) + "@%p0 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n" +
           expect(256) + f + load(256) + g + wait},
      {"BarrierThatTheProxyNeedNotSee", misuse,
       init(0, 1) + "bar.sync 0;\n" + expect(256) + f + load(256) + g + wait},
      {"NobodyWaits", FaultKind::AsyncLeftOver,
       init(0, 1) + visible + expect(256) + f + load(256) + g},
      {"OddSize", FaultKind::BulkCopy, init(0, 1) + visible + f + load(24) + g},
      {"OddSource", FaultKind::Misaligned,
       init(0, 1) + visible + "add.u64 %d1, %d0, 8;" + f + load(16, "@%p0 ", "%d1") + g},
      {"SourceTooShort", FaultKind::OutOfBounds,
       init(0, 1) + visible + "add.u64 %d1, %d0, 8176;" + f + load(32, "@%p0 ", "%d1") + g},
      {"TargetTooShort", FaultKind::OutOfBounds,
       init(0, 1) + visible + f +
           "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+8192], "
           "[%d0], 128, [bars];" +
           g},
      {"SourceWrittenWithoutAFence", FaultKind::ProxyFence,
       init(0, 1) + visible + "mad.wide.u32 %d1, %r0, 4, %d0;" + f + "st.global.u32 [%d1], 5;" + g +
           "bar.sync 0;\n" + expect(256) + f + load(256) + g + wait},
      {"FencedForTheOtherSpace", FaultKind::ProxyFence,
       init(0, 1) + visible + "mad.wide.u32 %d1, %r0, 4, %d0;" + f + "st.global.u32 [%d1], 5;" + g +
           fence + "bar.sync 0;\n" + expect(256) + f + load(256) + g + wait},
      // A ring without one of its parts.
      {"RingWithoutRelease", FaultKind::Deadlock,
       ring("", waitFor("%r7", "%r6"), f + waitFor("%r8", "%r9") + g)},
      {"RingWithoutTheConsumersWait", FaultKind::Deadlock,
       ring(released, "", f + waitFor("%r8", "%r9") + g)},
      {"RingWithoutTheProducersWait", FaultKind::AsyncNotReady,
       ring(released, waitFor("%r7", "%r6"), "")},
      {"RingWithoutTheWarpsBarrier", FaultKind::SharedRace,
       ring(released, waitFor("%r7", "%r6"), waitFor("%r8", "%r9"), "")},
      // A lane that need not have seen the stage free may find it free a second time, and wait for
      // ever.
      {"RingWhoseProducersNeedNotMeet", misuse, ringOfWarps("", f + waitFor("%r8", "%r9") + g)},
      {"RingWithoutBytes", misuse,
       ring(released, waitFor("%r7", "%r6"), waitFor("%r8", "%r9"), "bar.warp.sync -1;\n",
            f + "mbarrier.arrive.shared::cta.b64 _, [%r7];" + g)},
      // Stores.
      {"StoreWithoutAFence", FaultKind::ProxyFence,
       fills + "bar.sync 0;\n" + f + stores + g + commits + waits},
      {"FenceOfTheIssuerOnly", FaultKind::ProxyFence,
       fills + "bar.sync 0;\n@%p0 " + fence + f + stores + g + commits + waits},
      {"FenceBehindTheBarrier", FaultKind::ProxyFence,
       // Warp 1 fences meanwhile, but thread 0 does not know.
       fills + "bar.sync 0;\n" + fence +
           "@!%p0 bra E;\nmov.u32 %r4, 0;\nD:\nadd.u32 %r4, %r4, 1;\n"
           "setp.lt.u32 %p3, %r4, 20000;\n@%p3 bra D;\nE:\n" +
           f + stores + g + commits + waits},
      {"FenceBeforeTheWrite", FaultKind::ProxyFence,
       fence + fills + "bar.sync 0;\n" + f + stores + g + commits + waits},
      {"StoreWithoutABarrier", FaultKind::SharedRace,
       fills + fence + f + stores + g + commits + waits},
      {"SourceChangesBeforeItIsRead", FaultKind::AsyncNotReady,
       fills + fence + "bar.sync 0;\n" + stores + commits + f + "st.shared.u32 [%r3], 7;" + g +
           waits},
      {"WaitOfAnotherThread", FaultKind::AsyncNotReady,
       fills + fence + "bar.sync 0;\n" + stores + commits +
           "@!%p0 cp.async.bulk.wait_group.read 0;\nbar.sync 0;" + f + "st.shared.u32 [%r3], 7;" +
           g + waits},
      {"OneGroupTooMany", FaultKind::AsyncNotReady,
       fills + fence + "bar.sync 0;\n" + stores + commits +
           "@%p0 cp.async.bulk.wait_group.read 1;\nbar.sync 0;" + f + "st.shared.u32 [%r3], 7;" +
           g + waits},
      {"ResultReadAfterWaitForTheSourceOnly", FaultKind::AsyncNotReady,
       fills + fence + "bar.sync 0;\n" + stores + commits +
           "@%p0 cp.async.bulk.wait_group.read 0;" + f + "@%p0 ld.global.u32 %r1, [%d0];" + g +
           waits},
      {"StoreNeverCommitted", FaultKind::AsyncLeftOver,
       fills + fence + "bar.sync 0;\n" + f + stores + g + waits},
      {"StoreLeftOver", FaultKind::AsyncLeftOver,
       fills + fence + "bar.sync 0;\n" + f + stores + g + commits},
      {"StoreOfNothing", FaultKind::Undefined, f + stores + g + commits + waits},
  };
}

class MBarrierFaults : public testing::TestWithParam<Case> {};

TEST_P(MBarrierFaults, Found) {
  std::vector<uint32_t> data;
  Result result = runWith(GetParam().body, GetParam().threads, 0, data);
  auto at = [](const Place &place) { return place.source == "kernel.py:77"; };
  bool found = false;
  for (const Fault &fault : result.faults)
    found |= fault.kind == GetParam().kind && (at(fault.at) || (fault.hasOther && at(fault.other)));
  EXPECT_TRUE(found) << result.renderFaults();
}

INSTANTIATE_TEST_SUITE_P(Planted, MBarrierFaults, testing::ValuesIn(faultCases()),
                         [](const auto &info) { return info.param.name; });

/// Who waits for what, and what is missing.
TEST(MBarrierFaults, DeadlockNamesBarrierAndPhase) {
  std::vector<uint32_t> data;
  Result result =
      runWith(init(0, 1) + visible + expect(512) + load(256) + waitFor("bars", "0"), 32, 0, data);
  ASSERT_FALSE(result.faults.empty());
  EXPECT_NE(result.faults[0].message.find("this waits for the mbarrier at 0x2000, phase 0 (parity "
                                          "0): all 1 arrivals have come, 512 bytes are expected, "
                                          "copies bring 256"),
            std::string::npos)
      << result.renderFaults();
}

/// A warp that waits costs nothing, however long the others take.
TEST(MBarriers, AWaitIsNoSpin) {
  std::string loop = "mov.u32 %r4, 0;\nD:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 200000;\n"
                     "@%p3 bra D;\n";
  for (const char *how : {"try_wait.parity", "test_wait.parity"}) {
    std::vector<uint32_t> data;
    Result result =
        runWith(init(0, 32) + "bar.sync 0;\nsetp.ne.u32 %p3, %r30, 0;\n@%p3 bra L;\n" + loop +
                    "mbarrier.arrive.shared::cta.b64 _, [bars];\nL:\n" + waitFor("bars", "0", how),
                256, 0, data);
    EXPECT_TRUE(result.clean()) << result.renderFaults();
    EXPECT_LT(result.counters.total.warpInstructions, 601'000u) << how;
  }
}

} // namespace
