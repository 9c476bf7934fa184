//===- FaultTest.cpp - planted faults are found, at the right line --------===//
//
// In each kernel the instruction at fault follows a line `.loc 1 77 0`.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

#include <fstream>

using namespace tritium::sim;
using namespace tritium::sim::test;

namespace {

const char *const shared = ".file 1 \"kernel.py\"\n.shared .align 16 .b8 s[4096];\n";
const char *const fault = "\n.loc 1 77 0\n";
const char *const fine = "\n.loc 1 5 0\n";

struct Planted {
  const char *name;
  FaultKind kind;
  std::string body;
  uint32_t threads = 64, grid = 1;
  bool readOnly = false;
};

void PrintTo(const Planted &planted, std::ostream *out) { *out << planted.name; }

/// Each warp reads one word, which a write before a barrier has made.
std::string fourWarpsRead(const std::string &address, const std::string &space) {
  return "setp.eq.u32 %p1, %r0, 0;\n@%p1 st." + space + ".u32 [" + address + "], 5;\nbar.sync 0;" +
         fault + "ld." + space + ".u32 %r5, [" + address + "];" + fine;
}
/// Two warps meet; the first lane of one of them, which has %p1, then writes what all read.
std::string twoMeet(int writer, int other) {
  return "shr.u32 %r6, %r0, 5;\nsetp.eq.u32 %p2, %r6, " + std::to_string(writer) +
         ";\nsetp.eq.u32 %p3, %r6, " + std::to_string(other) +
         ";\nor.pred %p2, %p2, %p3;\n@!%p2 bra L;\nsetp.eq.u32 %p1, %r0, " +
         std::to_string(32 * writer) + ";\nbar.sync 1, 64;" + fault;
}

/// x[index] += 1 of every thread, with `between` the load and the store; each is at fault.
std::string addsOneAt(const std::string &index, const std::string &between) {
  return "mad.wide.u32 %d1, " + index + ", 4, %d0;" + fault + "ld.global.u32 %r2, [%d1];" + fine +
         "add.u32 %r2, %r2, 1;\n" + between + fault + "st.global.u32 [%d1], %r2;" + fine;
}
/// The same of x[thread % n]; n is a power of two.
std::string addsOne(int n, const std::string &between) {
  return "and.b32 %r1, %r0, " + std::to_string(n - 1) + ";\n" + addsOneAt("%r1", between);
}

std::vector<Planted> planted() {
  std::string f = fault, g = fine;
  std::string mine = "mad.lo.u32 %r1, %r0, 4, 0;\nmov.u32 %r2, s;\nadd.u32 %r3, %r2, %r1;\n";
  std::string address = "mov.u32 %r9, %ctaid.x;\nmad.wide.u32 %d1, %r0, 4, %d0;\n";
  return {
      // Out of bounds: the buffer has 64 words.
      {"LoadPastEnd", FaultKind::OutOfBounds, f + "ld.global.u32 %r1, [%d0+256];" + g},
      {"StoreBeforeBegin", FaultKind::OutOfBounds, f + "st.global.u32 [%d0+-4], %r0;" + g},
      {"VectorHalfOutside", FaultKind::OutOfBounds,
       f + "ld.global.v2.u32 {%r1, %r2}, [%d0+256];" + g},
      {"SharedPastEnd", FaultKind::OutOfBounds, f + "st.shared.u32 [s+4096], %r0;" + g},
      {"NullPointer", FaultKind::OutOfBounds,
       "mov.u64 %d1, 0;" + f + "ld.global.u32 %r1, [%d1];" + g},
      // Misaligned.
      {"MisalignedWord", FaultKind::Misaligned, f + "ld.global.u32 %r1, [%d0+2];" + g},
      {"MisalignedVector", FaultKind::Misaligned,
       f + "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d0+8];" + g},
      {"MisalignedShared", FaultKind::Misaligned, f + "st.shared.u64 [s+4], %d0;" + g},
      // Values that nothing wrote.
      {"UnwrittenRegister", FaultKind::Undefined,
       address + f + "add.u32 %r5, %r4, 1;" + g + "st.global.u32 [%d1], %r5;"},
      {"UnwrittenShared", FaultKind::Undefined,
       mine + address + f + "ld.shared.u32 %r5, [%r3];" + g + "st.global.u32 [%d1], %r5;"},
      {"UnwrittenPredicate", FaultKind::Undefined, f + "@%p3 st.global.u32 [%d0], 1;" + g},
      {"UnwrittenLocal", FaultKind::Undefined,
       ".local .align 4 .b8 l[16];\n" + address + f + "ld.local.u32 %r5, [l+4];" + g +
           "st.global.u32 [%d1], %r5;"},
      // Races in shared memory.
      {"ReadAfterWrite", FaultKind::SharedRace,
       mine + "st.shared.u32 [%r3], %r0;\nxor.b32 %r4, %r1, 128;\nadd.u32 %r4, %r4, %r2;" + f +
           "ld.shared.u32 %r5, [%r4];" + g},
      {"WriteAfterRead", FaultKind::SharedRace,
       mine +
           "st.shared.u32 [%r3], %r0;\nbar.sync 0;\nxor.b32 %r4, %r1, 128;\n"
           "add.u32 %r4, %r4, %r2;\nld.shared.u32 %r5, [%r4];" +
           f + "st.shared.u32 [%r3], %r5;" + g},
      {"WriteWrite", FaultKind::SharedRace, f + "st.shared.u32 [s], %r0;" + g},
      {"WithinAWarp", FaultKind::SharedRace,
       mine + "st.shared.u32 [%r3], %r0;\nxor.b32 %r4, %r1, 4;\nadd.u32 %r4, %r4, %r2;" + f +
           "ld.shared.u32 %r5, [%r4];" + g,
       32},
      {"ShuffleIsNoBarrier", FaultKind::SharedRace,
       mine +
           "st.shared.u32 [%r3], %r0;\nshfl.sync.bfly.b32 %r6, %r0, 1, 31, -1;\n"
           "xor.b32 %r4, %r1, 4;\nadd.u32 %r4, %r4, %r2;" +
           f + "ld.shared.u32 %r5, [%r4];" + g,
       32},
      {"LastLaneWritesWhatAllRead", FaultKind::SharedRace,
       mine +
           "st.shared.u32 [%r3], %r0;\nbar.sync 0;\nld.shared.u32 %r5, [s];\n"
           "setp.eq.u32 %p1, %r0, 31;" +
           f + "@%p1 st.shared.u32 [s], %r0;" + g,
       32},
      // Of many readers each counts: of four warps, of 32 lanes, of two reads of one warp.
      {"FirstAndLastReaderMeet", FaultKind::SharedRace,
       fourWarpsRead("s", "shared") + twoMeet(3, 2) + "@%p1 st.shared.u32 [s], 7;" + g + "L:", 128},
      {"FirstAndLastReaderOfGlobalMeet", FaultKind::GlobalRace,
       fourWarpsRead("%d0", "global") + twoMeet(3, 2) + "@%p1 st.global.u32 [%d0], 7;" + g + "L:",
       128},
      {"TwoMiddleReadersMeet", FaultKind::SharedRace,
       fourWarpsRead("s", "shared") + twoMeet(0, 1) + "@%p1 st.shared.u32 [s], 7;" + g + "L:", 128},
      {"TwoLastReadersMeet", FaultKind::SharedRace,
       fourWarpsRead("s", "shared") + twoMeet(2, 1) + "@%p1 st.shared.u32 [s], 7;" + g + "L:", 128},
      {"ReaderOfTheFirstLanes", FaultKind::SharedRace,
       mine + "st.shared.u32 [%r3], 0;\nbar.sync 0;" + f + "ld.shared.u32 %r5, [s];" + g +
           "mov.u32 %r7, 1;\nshl.b32 %r7, %r7, %r0;\nand.b32 %r7, %r7, 0xc0000001;\n"
           "setp.eq.u32 %p2, %r7, 0;\n@%p2 bra L;\nbar.warp.sync 0xc0000001;\n"
           "setp.eq.u32 %p1, %r0, 0;" +
           f + "@%p1 st.shared.u32 [s], 7;" + g + "L:",
       32},
      {"WeakReadBeforeAStrongOne", FaultKind::SharedRace,
       mine + "st.shared.u32 [%r3], 0;\nbar.sync 0;\nsetp.lt.u32 %p1, %r0, 32;\n@%p1 bra L;" + f +
           "ld.shared.u32 %r5, [s];" + g + "ld.volatile.shared.u32 %r6, [s];\nexit;\nL:" + f +
           "atom.shared.add.u32 %r5, [s], 1;" + g},
      {"ReaderBeforeAWriteOfTheSame", FaultKind::SharedRace,
       // Warp 1 writes what is there, which harms nobody; warp 0, which follows it, does not.
       mine + "st.shared.u32 [%r3], 0;\nbar.sync 0;\nsetp.lt.u32 %p1, %r0, 64;\n@%p1 bra L;" + f +
           "ld.shared.u32 %r5, [s];" + g +
           "exit;\nL:\nsetp.eq.u32 %p2, %r0, 32;\n@%p2 st.shared.u32 [s], 0;\n"
           "bar.sync 1, 64;\nsetp.eq.u32 %p1, %r0, 0;" +
           f + "@%p1 st.shared.u32 [s], 7;" + g,
       96},
      {"ReaderOfAnotherCta", FaultKind::GlobalRace,
       // All read; the last one tells the first, which writes.
       f + "ld.global.u32 %r5, [%d0];" + g +
           "mov.u32 %r9, %ctaid.x;\nsetp.eq.u32 %p1, %r9, 0;\n@%p1 bra WAIT;\n"
           "setp.ne.u32 %p1, %r9, 3;\n@%p1 exit;\nmembar.gl;\n"
           "atom.global.exch.b32 %r1, [%d0+4], 1;\nexit;\n"
           "WAIT:\natom.global.add.u32 %r1, [%d0+4], 0;\nsetp.eq.u32 %p2, %r1, 0;\n"
           "@%p2 bra WAIT;\nmembar.gl;" +
           f + "st.global.u32 [%d0], 42;" + g,
       1, 4},
      // Races in global memory.
      {"TwoCtasWrite", FaultKind::GlobalRace,
       "mov.u32 %r9, %ctaid.x;\nadd.u32 %r9, %r9, %r0;" + f + "st.global.u32 [%d0], %r9;" + g, 1,
       2},
      {"CtaReadsAnothers", FaultKind::GlobalRace,
       "mov.u32 %r9, %ctaid.x;\nadd.u32 %r8, %r9, 7;\nmad.wide.u32 %d1, %r9, 4, %d0;\n"
       "st.global.u32 [%d1], %r8;\nxor.b32 %r9, %r9, 1;\nmad.wide.u32 %d2, %r9, 4, %d0;" +
           f + "ld.global.u32 %r5, [%d2];" + g,
       1, 2},
      // x[i % n] += 1 by all threads: an element's load of one comes after its store by another.
      {"RepeatedAddressOfTwoWarps", FaultKind::GlobalRace, addsOne(32, "")},
      {"RepeatedAddressWithinAWarp", FaultKind::GlobalRace, addsOne(16, ""), 32},
      {"RepeatedAddressBehindABarrierOfTheWarp", FaultKind::GlobalRace,
       addsOne(32, "bar.warp.sync -1;")},
      {"RepeatedAddressOfOneLane", FaultKind::GlobalRace,
       // Only the last thread has the address of the first.
       "setp.eq.u32 %p1, %r0, 63;\nselp.u32 %r1, 0, %r0, %p1;\n" + addsOneAt("%r1", "")},
      {"FlagWithoutFence", FaultKind::GlobalRace,
       // CTA 0 writes data and sets a flag; CTA 1 waits for it. Neither fences.
       "mov.u32 %r9, %ctaid.x;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra READ;\n"
       "st.global.u32 [%d0], 42;\natom.global.exch.b32 %r1, [%d0+4], 1;\nexit;\n"
       "READ:\natom.global.add.u32 %r1, [%d0+4], 0;\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra READ;" +
           f + "ld.global.u32 %r2, [%d0];" + g,
       1, 2},
      // Barriers.
      {"HalfAWarp", FaultKind::PartialBarrier,
       "setp.lt.u32 %p1, %r0, 16;\n@!%p1 bra L;" + f + "bar.sync 0;" + g + "L:", 32},
      {"OneWarpEnds", FaultKind::PartialBarrier,
       "setp.ge.u32 %p1, %r0, 32;\n@%p1 exit;" + f + "bar.sync 0;" + g},
      {"OddCount", FaultKind::PartialBarrier, f + "bar.sync 1, 33;" + g},
      {"NeverEnough", FaultKind::Deadlock,
       "setp.ge.u32 %p1, %r0, 32;\n@%p1 bra L;" + f + "bar.sync 1, 64;" + g + "L:"},
      {"TwoBarriers", FaultKind::Deadlock,
       "setp.ge.u32 %p1, %r0, 32;\n@%p1 bra L;" + f +
           "bar.sync 1;\nbra M;\nL:\nbar.sync 2;\nM:" + g},
      {"PartnerEnds", FaultKind::Deadlock,
       "setp.lt.u32 %p1, %r0, 32;\n@%p1 exit;" + f + "bar.sync 3, 64;" + g},
      // Lanes.
      {"ShuffleInABranch", FaultKind::MissingLanes,
       "setp.lt.u32 %p1, %r0, 16;\n@!%p1 bra L;" + f + "shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;" +
           g + "L:",
       32},
      {"MaskWithoutMyself", FaultKind::MissingLanes,
       f + "shfl.sync.idx.b32 %r1, %r0, 0, 31, 0xffff;" + g, 32},
      {"VoteInABranch", FaultKind::MissingLanes,
       "setp.eq.u32 %p1, %r0, 3;\nsetp.eq.u32 %p2, %r0, 3;\n@%p1 bra L;" + f +
           "vote.sync.ballot.b32 %r1, %p2, -1;" + g + "L:",
       32},
      {"MmaInABranch", FaultKind::MissingLanes,
       "mov.b32 %r1, 0;\nmov.f32 %f1, 0f00000000;\nsetp.eq.u32 %p1, %r0, 3;\n@%p1 bra L;" + f +
           "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f2,%f3,%f4,%f5}, {%r1,%r1}, {%r1}, "
           "{%f1,%f1,%f1,%f1};" +
           g + "L:",
       32},
      // Asynchronous copies.
      {"UseBeforeWait", FaultKind::AsyncNotReady,
       mine + address + "cp.async.ca.shared.global [%r3], [%d1], 4;\ncp.async.commit_group;" + f +
           "ld.shared.u32 %r5, [%r3];" + g + "cp.async.wait_all;"},
      {"OneGroupTooMany", FaultKind::AsyncNotReady,
       mine + address +
           "cp.async.ca.shared.global [%r3], [%d1], 4;\ncp.async.commit_group;\n"
           "cp.async.wait_group 1;" +
           f + "ld.shared.u32 %r5, [%r3];" + g + "cp.async.wait_all;"},
      {"WaitOfAnotherThread", FaultKind::AsyncNotReady,
       mine + address +
           "setp.lt.u32 %p1, %r0, 32;\n"
           "@%p1 cp.async.ca.shared.global [%r3], [%d1], 4;\n"
           "@%p1 cp.async.commit_group;\n@!%p1 cp.async.wait_all;\nbar.sync 0;" +
           f + "ld.shared.u32 %r5, [s];" + g + "cp.async.wait_all;"},
      {"LeftOver", FaultKind::AsyncLeftOver,
       mine + address + f + "cp.async.ca.shared.global [%r3], [%d1], 4;" + g +
           "cp.async.commit_group;"},
      {"NeverCommitted", FaultKind::AsyncLeftOver,
       mine + address + f + "cp.async.ca.shared.global [%r3], [%d1], 4;" + g},
      {"KeepsOneGroup", FaultKind::AsyncLeftOver,
       mine + address + f + "cp.async.ca.shared.global [%r3], [%d1], 4;" + g +
           "cp.async.commit_group;\ncp.async.wait_group 1;"},
      {"Trap", FaultKind::Trap, f + "trap;" + g},
      {"TrapOfOneLane", FaultKind::Trap, "setp.eq.u32 %p1, %r0, 3;" + f + "@%p1 trap;" + g},
      {"TrapInABranch", FaultKind::Trap,
       "setp.lt.u32 %p1, %r0, 99;\n@!%p1 bra L;" + f + "trap;" + g + "L:"},
      // The buffer may only be read.
      {"StoreToReadOnly", FaultKind::ReadOnly, f + "st.global.u32 [%d0], 7;" + g, 1, 1, true},
      {"AtomicOnReadOnly", FaultKind::ReadOnly, f + "atom.global.add.u32 %r1, [%d0+4], 1;" + g, 32,
       1, true},
      {"ReduceOnReadOnly", FaultKind::ReadOnly, f + "red.global.max.u32 [%d0], 1;" + g, 32, 1,
       true},
  };
}

class Faults : public testing::TestWithParam<Planted> {};

TEST_P(Faults, Found) {
  const Planted &plant = GetParam();
  std::vector<uint32_t> data(64);
  SimRun run(kernel(plant.body, shared));
  run.buffer(data).threads(plant.threads, plant.grid);
  run.launch.buffers[0].writable = !plant.readOnly;
  Result result = run.run();
  // A race has two parties, and the one that comes second reports it.
  auto at = [](const Place &place) { return place.source == "kernel.py:77"; };
  bool found = false;
  for (const Fault &fault : result.faults)
    found |= fault.kind == plant.kind && (at(fault.at) || (fault.hasOther && at(fault.other)));
  EXPECT_TRUE(found) << result.renderFaults();
  for (const Fault &fault : result.faults)
    EXPECT_TRUE(at(fault.at) || (fault.hasOther && at(fault.other))) << fault.render();
}

INSTANTIATE_TEST_SUITE_P(Planted, Faults, testing::ValuesIn(planted()),
                         [](const auto &info) { return info.param.name; });

/// CTAs meet: none goes on before all have come.
std::string meetingOf(int ctas) {
  return kernel("atom.global.add.u32 %r1, [%d0], 1;\n.loc 1 77 0\nL:\n"
                "ld.acquire.gpu.global.u32 %r1, [%d0];\nsetp.lt.u32 %p1, %r1, " +
                    std::to_string(ctas) + ";\n@%p1 bra L;",
                shared);
}

TEST(Residency, AsManyAsTheGPUHoldsMayMeet) {
  for (uint64_t seed : {0, 1}) {
    std::vector<uint32_t> data(64);
    SimRun run(meetingOf(300));
    run.buffer(data).threads(1, 300);
    run.launch.seed = seed;
    run.launch.architecture = 90;
    run.clean();
    EXPECT_EQ(data[0], 300u);
  }
}

TEST(Residency, AWaitForOneThatCannotBeginSaysSo) {
  std::vector<uint32_t> data(64);
  SimRun run(meetingOf(1000));
  run.buffer(data).threads(1, 1000);
  run.launch.memoryLimit = 200'000;
  run.launch.stepLimit = 20'000'000;
  Result result = run.run();
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::StepLimit);
  EXPECT_EQ(result.faults[0].at.source, "kernel.py:77") << result.renderFaults();
  EXPECT_NE(result.faults[0].message.find("a wait for one of those never ends"), std::string::npos)
      << result.renderFaults();
}

TEST(Residency, AStopFromOutside) {
  std::vector<uint32_t> data(64);
  SimRun run(meetingOf(2));
  run.buffer(data).threads(1, 1);
  int asked = 0;
  run.launch.isStopped = [&] { return ++asked == 3; };
  Result result = run.run();
  EXPECT_FALSE(result.completed);
  EXPECT_TRUE(result.faults.empty());
}

class EndlessLoops : public testing::TestWithParam<std::string> {};

TEST_P(EndlessLoops, AreGivenUp) {
  std::vector<uint32_t> data(64);
  SimRun run(kernel(GetParam(), shared));
  run.buffer(data).threads(64);
  run.launch.stepLimit = 10000;
  Result result = run.run();
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::StepLimit);
  EXPECT_EQ(result.faults[0].at.source, "kernel.py:77") << result.renderFaults();
  EXPECT_FALSE(result.completed);
}

INSTANTIATE_TEST_SUITE_P(
    Planted, EndlessLoops,
    testing::Values("\n.loc 1 77 0\nL:\nbra L;",
                    // A flag that nobody sets.
                    "\n.loc 1 77 0\nL:\nld.volatile.global.u32 %r1, [%d0];\n"
                    "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;",
                    // A loop that grows with its own bound, in one lane.
                    "setp.ne.u32 %p2, %r0, 0;\n@%p2 exit;\nmov.u32 %r1, 0;\n"
                    ".loc 1 77 0\nL:\nadd.u32 %r1, %r1, 1;\nadd.u32 %r2, %r1, 1;\n"
                    "setp.lt.u32 %p1, %r1, %r2;\n@%p1 bra L;"));

/// Kernels without a fault: what nvcc made of counted.cu.
TEST(Clean, RaiseNothing) {
  std::ifstream file(SIMULATOR_PTX_FOLDER "/counted.ptx");
  std::vector<ptx::Error> errors;
  auto program = Program::load({std::istreambuf_iterator<char>(file), {}}, errors);
  ASSERT_TRUE(program) << (errors.empty() ? "" : errors[0].message);
  EXPECT_GE(program->entries().size(), 60u);
  for (const std::string &entry : program->entries())
    for (uint64_t seed : {0, 1, 2}) {
      std::vector<int32_t> from(16384), to(16384);
      for (size_t i = 0; i < from.size(); ++i)
        from[i] = int32_t(i * 2654435761u >> 1);
      Launch launch;
      launch.entry = entry;
      launch.grid = {4};
      launch.block = {128};
      launch.seed = seed;
      launch.buffers = {{0x1000000, from.data(), from.size() * 4, false, "x"},
                        {0x2000000, to.data(), to.size() * 4, true, "y"}};
      launch.pass(uint64_t(0x1000000));
      launch.pass(uint64_t(0x2000000));
      Result result = program->run(launch);
      EXPECT_TRUE(result.clean()) << entry << ": " << result.renderFaults();
    }
}

/// Reads of many warps that a write comes after, each in its way.
TEST(Clean, ReadersThatAreWaitedFor) {
  std::string last = "@%p1 st.shared.u32 [s], 7;";
  auto meets = [](int warp, int barrier) {
    std::string label = "N" + std::to_string(barrier);
    return "setp.eq.u32 %p2, %r6, " + std::to_string(warp) + ";\nsetp.eq.u32 %p3, %r6, " +
           std::to_string(warp + 1) + ";\nor.pred %p2, %p2, %p3;\n@!%p2 bra " + label +
           ";\nbar.sync " + std::to_string(barrier) + ", 64;\n" + label + ":\n";
  };
  std::string read = fourWarpsRead("s", "shared"), warp = "shr.u32 %r6, %r0, 5;\n";
  for (const std::string &way :
       {std::string("bar.sync 1, 128;\n"), std::string("bar.sync 0;\n"),
        // Hand to hand, from the last warp to the first one.
        warp + meets(2, 1) + meets(1, 2) + meets(0, 3),
        // The readers only arrive.
        warp + "setp.eq.u32 %p2, %r6, 0;\n@%p2 bra W;\nbar.arrive 1, 128;\nbra E;\nW:\n"
               "bar.sync 1, 128;\n"})
    for (uint64_t seed : {0, 1, 2, 3}) {
      std::vector<uint32_t> data(64);
      SimRun run(kernel(read + way + last + "\nE:", shared));
      run.buffer(data).threads(128);
      run.launch.seed = seed;
      Result result = run.run();
      EXPECT_TRUE(result.clean()) << way << result.renderFaults();
    }
}

/// All loads of an address that several threads have come before their stores.
TEST(Clean, RepeatedAddressWithABarrier) {
  for (const auto &[n, between, threads] :
       {std::tuple(32, "bar.sync 0;", 64), {16, "bar.sync 0;", 128}, {16, "bar.warp.sync -1;", 32}})
    for (uint64_t seed : {0, 1, 2, 3}) {
      std::vector<uint32_t> data(64);
      SimRun run(kernel(addsOne(n, between)));
      run.buffer(data).threads(uint32_t(threads));
      run.launch.seed = seed;
      run.clean();
      for (int i = 0; i < 64; ++i)
        EXPECT_EQ(data[i], i < n ? 1u : 0u);
    }
}

/// A source that the selector takes no byte from may be undefined.
TEST(Clean, PermuteOfOneSource) {
  std::vector<uint32_t> data(64);
  SimRun(kernel("prmt.b32 %r2, %r0, %r1, 0x0012;\nprmt.b32 %r3, %r1, %r2, 0x4567;\n"
                "mad.wide.u32 %d1, %r0, 4, %d0;\nst.global.u32 [%d1], %r3;"))
      .buffer(data)
      .clean();
  EXPECT_EQ(data[3], 0x0303u);
}

/// A word is built of bytes, the upper ones undefined until they come.
TEST(Clean, WordOfBytes) {
  std::string begin =
      "prmt.b32 %r2, %r0, %r1, 0x4440;\nbfi.b32 %r2, %r0, %r2, 8, 8;\n"
      "bfi.b32 %r3, %r1, %r2, 16, 16;\n"
      "mov.b32 {%h0, %h1}, %r3;\nmov.b32 %r3, {%h0, %h1};\nprmt.b32 %r3, %r3, %r0, 0x3410;\n";
  std::string end = "mad.wide.u32 %d1, %r0, 4, %d0;\nst.global.u32 [%d1], %r3;";
  std::vector<uint32_t> data(64);
  SimRun(kernel(begin + "bfi.b32 %r3, %r0, %r3, 24, 8;\n" + end)).buffer(data).clean();
  EXPECT_EQ(data[3], 0x03030303u);
  Result result = SimRun(kernel(begin + end)).buffer(data).run();
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::Undefined);
}

TEST(Limits, WrongLaunches) {
  auto kindOf = [](auto &&change) {
    std::vector<uint32_t> data(64);
    SimRun run(kernel(""));
    run.buffer(data);
    change(run.launch);
    Result result = run.run();
    EXPECT_FALSE(result.completed);
    return result.faults.empty() ? std::string() : result.faults[0].message;
  };
  EXPECT_NE(kindOf([](Launch &l) { l.entry = "nobody"; }).find("'nobody'; it has: k"),
            std::string::npos);
  EXPECT_NE(kindOf([](Launch &l) { l.arguments.clear(); }).find("takes 1 arguments"),
            std::string::npos);
  EXPECT_NE(kindOf([](Launch &l) { l.arguments[0].resize(4); }).find("has 8 bytes"),
            std::string::npos);
  EXPECT_NE(kindOf([](Launch &l) { l.block.x = 1025; }).find("at most 1024"), std::string::npos);
  EXPECT_NE(kindOf([](Launch &l) { l.block.x = 0; }).find("is 0"), std::string::npos);
  EXPECT_NE(
      kindOf([](Launch &l) { l.dynamicShared = 1u << 20; }).find("no GPU has more than 232448"),
      std::string::npos);
}

TEST(Errors, Parser) {
  auto messageOf = [](std::string text) {
    std::vector<ptx::Error> errors;
    EXPECT_EQ(Program::load(text, errors), nullptr);
    return errors.empty() ? std::string()
                          : std::to_string(errors[0].at.line) + ": " + errors[0].message;
  };
  EXPECT_EQ(messageOf(".version 10.0\n"),
            "1: PTX 10.0 is newer than 9.0, the newest that is known here");
  EXPECT_EQ(messageOf(""), "1: the file has no .version: it is no PTX");
  std::string whole = kernel("add.u32 %r1, %r0, %r2;");
  EXPECT_NE(messageOf(kernel("bra NOWHERE;")).find("'NOWHERE' is not declared"), std::string::npos);
  // A cut at any place is an error, and never more.
  for (size_t cut = 0; cut + 2 < whole.size(); ++cut) {
    std::vector<ptx::Error> errors;
    auto program = Program::load(whole.substr(0, cut), errors);
    EXPECT_TRUE(program || !errors.empty()) << cut;
  }
}

TEST(Errors, Instructions) {
  auto messageOf = [](const std::string &body) {
    std::vector<uint32_t> data(64);
    SimRun run(kernel(body));
    run.buffer(data);
    Result result = run.run();
    EXPECT_FALSE(result.completed);
    return result.faults.empty() ? std::string() : result.faults[0].message;
  };
  auto has = [&](const std::string &body, const char *text) {
    std::string message = messageOf(body);
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  has("add.u32 %r1, %r99, 1;", "'%r99' is neither a register that is declared here");
  has("add.u32 %r1, %d0, 1;", "is a .b64 register, but .u32 is wanted");
  has("add.u32 %r1, %r0;", "takes 3 operands, but has 2");
  has("add.wobble.u32 %r1, %r0, 1;", "the modifier .wobble is not known");
  has("wgmma.fence.sync.aligned;", "needs .target sm_90a, but this is for sm_90");
}

TEST(Errors, UnknownInstruction) {
  std::vector<uint32_t> data(64);
  SimRun run(kernel("frobnicate.u32 %r1, %r0;"));
  run.buffer(data);
  Result result = run.run();
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_NE(result.faults[0].message.find("'frobnicate.u32': unknown instruction"),
            std::string::npos);
}

} // namespace
