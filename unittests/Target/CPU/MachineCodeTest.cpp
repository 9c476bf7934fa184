//===- MachineCodeTest.cpp - loops of an assembly, and their clocks -------===//

#include "tritium/Target/CPU/MachineCode.h"

#include "gtest/gtest.h"

using namespace tritium::cpu;

namespace {

MachineCode codeOf(const std::string &assembly, const std::string &cpu = "skylake-avx512") {
  TargetInfo target;
  std::string error;
  EXPECT_TRUE(resolveTarget(cpu, target, error)) << error;
  std::optional<MachineCode> made = readMachineCode(assembly, target, error);
  EXPECT_TRUE(made) << error;
  return made ? *made : MachineCode();
}

CodeLoop onlyLoop(const std::string &assembly, const std::string &cpu = "skylake-avx512") {
  MachineCode code = codeOf(assembly, cpu);
  EXPECT_EQ(code.loops.size(), 1u);
  return code.loops.empty() ? CodeLoop() : code.loops.front();
}

// Each sum waits for the one before it, four clocks; the ports could do two a clock.
TEST(MachineCode, ResultsThatWaitForOneAnother) {
  CodeLoop loop = onlyLoop(R"(
.text
	.file	1 "folder" "k.py"
k:
	.loc	1 3 0
	movl $100, %eax
.LBB0_1:
	.loc	1 7 5
	vaddps (%rdi), %zmm0, %zmm0
	.loc	1 8 9 is_stmt 0
	decl %eax
	jne .LBB0_1
	retq
)");
  ASSERT_TRUE(loop.clocks) << loop.reason;
  EXPECT_NEAR(loop.clocks->simulated, 4, 0.01);
  EXPECT_LE(loop.clocks->ports, 1.01);
  EXPECT_EQ(loop.first, 9u);
  EXPECT_EQ(loop.last, 12u);
  EXPECT_EQ(loop.instructions, 3u);
  EXPECT_EQ(loop.conditional, 0u);
  ASSERT_EQ(loop.lines.size(), 2u);
  EXPECT_EQ(loop.lines[0].source, (CodeLine{"folder/k.py", 7}));
  EXPECT_EQ(loop.lines[1].instructions, 2u);
}

// Three shuffles fit port 5 alone, and six instructions ports 0 and 5: no single port shows that.
TEST(MachineCode, PortsOfAGroupShareWhatOnlyTheyTake) {
  std::string body;
  for (int i = 0; i < 3; ++i)
    body += "vpermps %zmm1, %zmm2, %zmm" + std::to_string(10 + i) + "\n";
  for (int i = 0; i < 5; ++i)
    body += "vaddps %zmm1, %zmm2, %zmm" + std::to_string(20 + i) + "\n";
  CodeLoop loop = onlyLoop("k:\n.L1:\n" + body + "decq %rax\njne .L1\nretq\n");
  ASSERT_TRUE(loop.clocks) << loop.reason;
  EXPECT_EQ(loop.clocks->port, "SKXPort05");
  EXPECT_EQ(loop.clocks->ports, 4);
  EXPECT_NEAR(loop.clocks->simulated, 4, 0.25);
  double ofLines = 0;
  for (const LoopLine &line : loop.lines)
    ofLines += line.clocks;
  EXPECT_NEAR(ofLines, loop.clocks->ports, 1e-9);
}

TEST(MachineCode, InnermostLoopsAlone) {
  MachineCode code = codeOf(R"(
k:
.Louter:
	incq %rbx
.Linner:
	addq $1, %rax
	cmpq $9, %rax
	jl .Linner
	cmpq $9, %rbx
	jl .Louter
.Lother:
	addq $2, %rcx
	jne .Lother
	retq
)");
  ASSERT_EQ(code.loops.size(), 2u);
  EXPECT_EQ(code.loops[0].first, 6u);
  EXPECT_EQ(code.loops[0].instructions, 3u);
  EXPECT_EQ(code.loops[1].first, 12u);
  EXPECT_EQ(code.instructions.size(), 9u);
}

// The call stands behind the loop, and few rounds get there.
TEST(MachineCode, WhatSomeRoundsDoIsNotCounted) {
  CodeLoop loop = onlyLoop(R"(
k:
.Lloop:
	testl %edx, %edx
	jne .Lrare
.Lback:
	addq $1, %rax
	jne .Lloop
	retq
.Lrare:
	callq other
	jmp .Lback
)");
  EXPECT_EQ(loop.instructions, 4u);
  EXPECT_EQ(loop.conditional, 2u);
  EXPECT_TRUE(loop.clocks) << loop.reason;
}

// It is entered in its middle, so no block is first in each round.
TEST(MachineCode, WhatIsNoLoop) {
  MachineCode code = codeOf(R"(
k:
	testl %edx, %edx
	jne .Lmiddle
.Lfirst:
	addq $1, %rax
.Lmiddle:
	addq $1, %rcx
	jne .Lfirst
	retq
)");
  EXPECT_TRUE(code.loops.empty());
}

TEST(MachineCode, WhereThereAreNoClocks) {
  auto reason = [](const std::string &body, const std::string &cpu) {
    CodeLoop loop = onlyLoop("k:\n.L1:\n" + body + "\njne .L1\nretq\n", cpu);
    EXPECT_FALSE(loop.clocks);
    return loop.reason;
  };
  EXPECT_EQ(reason("callq other", "skylake-avx512"), "the loop calls a function");
  EXPECT_EQ(reason("tdpbf16ps %tmm0, %tmm1, %tmm2", "sapphirerapids"),
            "LLVM's times of AMX are not to be trusted");
  EXPECT_EQ(reason("decq %rax", "x86-64-v3"), "'x86-64-v3' stands for many CPUs: name one");
  EXPECT_EQ(reason("decq %rax", "k8"), "LLVM has no scheduling model of k8");
}

TEST(MachineCode, AnInstructionThatTheModelLacks) {
  CodeLoop loop = onlyLoop("k:\n.L1:\nstp q0, q1, [x0], #32\ncbnz x1, .L1\n", "oryon-1");
  EXPECT_EQ(loop.reason, "LLVM's model of oryon-1 does not know STPQpost");
  EXPECT_EQ(loop.instructions, 2u);
}

TEST(MachineCode, AnotherArchitecture) {
  CodeLoop loop = onlyLoop(R"(
k:
.LBB0_1:
	fadd v0.4s, v0.4s, v1.4s
	subs x0, x0, #1
	b.ne .LBB0_1
	ret
)",
                           "neoverse-n1");
  ASSERT_TRUE(loop.clocks) << loop.reason;
  EXPECT_NEAR(loop.clocks->simulated, 2, 0.01);
  EXPECT_EQ(onlyLoop("k:\n.L1:\nb .L1\n", "aarch64").reason,
            "'generic' stands for many CPUs: name one");
}

TEST(MachineCode, TextThatIsNoAssembly) {
  TargetInfo target;
  std::string error;
  ASSERT_TRUE(resolveTarget("skylake-avx512", target, error));
  for (const char *text : {"k:\n  vfoo %zmm0\n", "((", "\x01\xff", "k:\n .loc 9 1 1\n incq %rax\n",
                           "vaddps %zmm0\n"}) {
    EXPECT_FALSE(readMachineCode(text, target, error)) << text;
    EXPECT_NE(error.find("of the assembly"), std::string::npos) << error;
  }
  std::optional<MachineCode> nothing = readMachineCode("", target, error);
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing->loops.empty());
}

} // namespace
