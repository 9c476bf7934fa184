//===- MatrixMemoryTest.cpp - ldmatrix, stmatrix, and what they cost ------===//

#include "SimTest.h"

#include "gmock/gmock.h"

using namespace tritium::sim;
using namespace tritium::sim::test;
using testing::HasSubstr;

namespace {

constexpr unsigned sharedBytes = 4096;

struct Form {
  unsigned matrices = 4;
  bool transposed = false;
  unsigned stride = 16; ///< bytes from row to row
};

std::string registers(const char *first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", %r" : "%r") + std::string(first) + std::to_string(i);
  return text + "}";
}

std::string move(const char *opcode, const Form &form, const std::string &operands,
                 const char *guard = "") {
  return "\n.loc 1 77 0\n" + std::string(guard) + opcode + ".sync.aligned.m8n8.x" +
         std::to_string(form.matrices) + (form.transposed ? ".trans" : "") + ".shared.b16 " +
         operands + ";\n.loc 1 5 0\n";
}

/// A warp; %r1 is the address of the lane's row, %r10 and up are the registers of the matrices:
/// register i of lane l has the halves 64 i + 2 l and 64 i + 2 l + 1.
std::string matrixKernel(const Form &form, const std::string &body) {
  std::string text = "rem.u32 %r2, %r0, " + std::to_string(8 * form.matrices) +
                     ";\nmov.u32 %r1, s;\nmad.lo.u32 %r1, %r2, " + std::to_string(form.stride) +
                     ", %r1;\nsetp.lt.u32 %p0, %r0, " + std::to_string(8 * form.matrices) + ";\n";
  for (unsigned i = 0; i < form.matrices; ++i)
    text += "mad.lo.u32 %r1" + std::to_string(i) + ", %r0, 131074, " +
            std::to_string(65536 + 64 * i * 65537) + ";\n";
  return kernel(text + body, ".file 1 \"kernel.py\"\n.shared .align 128 .b8 s[" +
                                 std::to_string(sharedBytes) + "];\n");
}

std::string stores(const Form &form, const char *guard = "") {
  return move("stmatrix", form, "[%r1], " + registers("1", form.matrices), guard);
}

/// Lane l copies row l to global memory.
const std::string copiesRows = "bar.warp.sync -1;\nmad.wide.u32 %d1, %r0, 16, %d0;\n"
                               "@%p0 ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r1];\n"
                               "@%p0 st.global.v4.u32 [%d1], {%r20, %r21, %r22, %r23};\n";

const InstructionTally *tallyOf(const Result &result, std::string_view name) {
  for (const InstructionTally &instruction : result.counters.instructions)
    if (instruction.name == name)
      return &instruction;
  return nullptr;
}

TEST(MatrixMemory, StoresAsPTXDescribes) {
  for (unsigned matrices : {1u, 2u, 4u})
    for (bool transposed : {false, true})
      for (unsigned stride : {16u, 48u}) {
        SCOPED_TRACE(testing::Message() << matrices << transposed << stride);
        Form form{matrices, transposed, stride};
        std::vector<uint16_t> rows(32 * 8);
        SimRun run(matrixKernel(form, stores(form) + copiesRows));
        run.buffer(rows).clean();
        for (unsigned n = 0; n < matrices * 64; ++n) {
          unsigned row = n / 8 % 8, column = n % 8;
          EXPECT_EQ(rows[n], n / 64 * 64 + (transposed ? 8 * column + row : 8 * row + column)) << n;
        }
      }
}

TEST(MatrixMemory, LoadsWhatWasStored) {
  for (unsigned matrices : {1u, 2u, 4u})
    for (bool transposed : {false, true}) {
      Form form{matrices, transposed};
      std::string out = "mad.wide.u32 %d1, %r0, 16, %d0;\n";
      for (unsigned i = 0; i < matrices; ++i)
        out += "st.global.u32 [%d1+" + std::to_string(4 * i) + "], %r2" + std::to_string(i) + ";\n";
      std::vector<uint32_t> made(32 * 4);
      SimRun run(matrixKernel(
          form, stores(form) + "bar.warp.sync -1;\n" +
                    move("ldmatrix", form, registers("2", matrices) + ", [%r1]") + out));
      run.buffer(made).clean();
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < matrices; ++i)
          EXPECT_EQ(made[lane * 4 + i], lane * 131074 + 65536 + 64 * i * 65537) << lane;
    }
}

TEST(MatrixMemory, FaultsOfStores) {
  auto faultOf = [](const Form &form, const std::string &body) {
    std::vector<uint16_t> rows(32 * 8);
    SimRun run(matrixKernel(form, body));
    Result result = run.buffer(rows).run();
    if (result.faults.empty())
      return std::string("none");
    EXPECT_EQ(result.faults[0].at.source, "kernel.py:77") << result.renderFaults();
    return result.faults[0].render();
  };
  Form form;
  EXPECT_EQ(faultOf(form, stores(form)), "none");
  EXPECT_THAT(faultOf(form, "add.u32 %r1, %r1, 8;\n" + stores(form)),
              HasSubstr("a write of 16 bytes needs an address that 16 divides"));
  EXPECT_THAT(faultOf(form, "add.u32 %r1, %r1, " + std::to_string(sharedBytes - 496) + ";\n" +
                                stores(form)),
              HasSubstr("write of 16 bytes outside the CTA's shared memory (4096 bytes)"));
  // Of one matrix only the first eight lanes' addresses count.
  Form one{1};
  EXPECT_EQ(faultOf(one, "setp.ge.u32 %p1, %r0, 8;\n@%p1 mov.u32 %r1, 5;\n" + stores(one)), "none");
  EXPECT_THAT(faultOf(form, stores(form, "@%p1 ")), HasSubstr("undefined value"));
  EXPECT_THAT(faultOf(form, "setp.lt.u32 %p1, %r0, 16;\n" + stores(form, "@%p1 ")),
              HasSubstr("missing lanes"));
  // Another lane's row is read with nothing between.
  EXPECT_THAT(faultOf(form, "xor.b32 %r3, %r1, 16;\n" + stores(form) +
                                "\n.loc 1 77 0\nld.shared.u32 %r4, [%r3];\n"),
              HasSubstr("shared-memory race"));
}

/// A register that nothing wrote is undefined in memory, too, element by element.
TEST(MatrixMemory, UndefinedValuesStayUndefined) {
  Form form;
  std::vector<uint16_t> rows(32 * 8);
  SimRun run(
      matrixKernel(form, move("stmatrix", form, "[%r1], {%r10, %r11, %r12, %r30}") + copiesRows));
  Result result = run.buffer(rows).run();
  ASSERT_EQ(result.faults.size(), 1u) << result.renderFaults();
  EXPECT_EQ(result.faults[0].kind, FaultKind::Undefined);
}

//===-- Counters by instruction -------------------------------------------===//

TEST(MatrixMemory, ConflictsAreCountedByInstruction) {
  // Rows that are 128 bytes apart lie in the same banks.
  for (auto [stride, conflicts] : {std::pair(16u, 0u), {128u, 28u}, {144u, 0u}}) {
    SCOPED_TRACE(stride);
    Form form{4, false, stride};
    if (stride * 32 > sharedBytes)
      form.matrices = 2;
    unsigned expected = conflicts / (form.matrices == 2 ? 2 : 1);
    SimRun run(
        matrixKernel(form, stores(form) + "bar.warp.sync -1;\n" +
                               move("ldmatrix", form, registers("2", form.matrices) + ", [%r1]") +
                               "mov.u32 %r3, s;\nmad.lo.u32 %r3, %r0, 8, %r3;\n"
                               "bar.warp.sync -1;\nst.shared.u32 [%r3], %r0;\n"
                               "ld.shared.u32 %r4, [%r3];\n"));
    std::vector<uint32_t> unused(32);
    Result result = run.buffer(unused).clean();
    for (const char *name : {"stmatrix", "ldmatrix"}) {
      const InstructionTally *found = tallyOf(result, name);
      ASSERT_TRUE(found) << name;
      EXPECT_EQ(found->tally.warpInstructions, 1u);
      EXPECT_EQ(found->tally.idealWavefronts, form.matrices);
      EXPECT_EQ(found->tally.bankConflicts(), expected) << name;
    }
    // Words at a distance of 8 bytes: two lanes a bank.
    for (const char *name : {"st.shared", "ld.shared"}) {
      const InstructionTally *found = tallyOf(result, name);
      ASSERT_TRUE(found) << name;
      EXPECT_EQ(found->tally.bankConflicts(), 1u) << name;
    }
    EXPECT_EQ(result.counters.total.bankConflicts(), 2 * expected + 2);
    EXPECT_THAT(result.counters.text(),
                HasSubstr("\n    stmatrix: 1, " + std::to_string(expected) + " bank conflicts\n"));
    EXPECT_THAT(result.counters.json(), HasSubstr("\"name\": \"stmatrix\""));
  }
}

TEST(Counters, NamesOfInstructions) {
  auto name = [](std::string_view opcode, std::vector<std::string_view> modifiers) {
    ptx::Instruction instruction;
    instruction.opcode = opcode;
    instruction.modifiers = std::move(modifiers);
    return nameOf(instruction);
  };
  EXPECT_EQ(name("add", {"rn", "f32"}), "add");
  EXPECT_EQ(name("st", {"volatile", "shared::cta", "v4", "u32"}), "st.shared");
  EXPECT_EQ(name("ld", {"global", "nc", "u32"}), "ld.global");
  EXPECT_EQ(name("ld", {"u32"}), "ld");
  EXPECT_EQ(name("wgmma", {"mma_async", "sync", "aligned", "m64n8k16"}), "wgmma.mma_async");
  EXPECT_EQ(name("mbarrier", {"try_wait", "parity", "shared::cta", "b64"}), "mbarrier.try_wait");
  EXPECT_EQ(name("cp", {"async", "cg", "shared", "global"}), "cp.async");
  EXPECT_EQ(name("cp", {"async", "bulk", "tensor", "2d", "shared::cluster", "global", "tile",
                        "mbarrier::complete_tx::bytes"}),
            "cp.async.bulk.tensor");
  EXPECT_EQ(name("cp", {"reduce", "async", "bulk", "global", "shared::cta", "bulk_group", "add"}),
            "cp.reduce.async.bulk");
  EXPECT_EQ(name("fence", {"proxy", "async", "shared::cta"}), "fence.proxy.async");
  EXPECT_EQ(name("ldmatrix", {"sync", "aligned", "m8n8", "x4", "shared", "b16"}), "ldmatrix");
}

} // namespace
