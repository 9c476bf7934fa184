//===- SassTest.cpp - machine code as nvdisasm and cuobjdump print it -----===//

#include "tritium/Target/NVPTX/Disassembler.h"

#include <gmock/gmock.h>

using namespace tritium::nvptx;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

const char *const printed = R"(
	.section	.text.copy,"ax",@progbits
	.align	128
        .global         copy
copy:
.text.copy:
	//## File "kernels/copy.py", line 5
        /*0000*/                   LDC R1, c[0x0][0x28] ;                     /* 0x00000a00ff017b82 */
                                                                              /* 0x000ff00000000800 */
	//## File "kernels/copy.py", line 7 inlined at "kernels/copy.py", line 9
.L_x_1:
        /*0010*/                   LDC.64 R4, c[0x0][0x210] ;                 /* 0x00008400ff047b82 */
                                                                              /* 0x000e620000000a00 */
        /*0020*/               @P5 STG.E.128 desc[UR26][R16.64], R4 ;         /* 0x0000000410005986 */
                                                                              /* 0x0203e2000c101d1a */
	//## File "", line 0
        /*0030*/              @!P4 EXIT ;                                     /* 0x000000000000c94d */
                                                                              /* 0x03ffea0003800000 */
.L_x_2:
        /*0040*/                   BRA `(.L_x_2);                             /* 0xfffffffc00fc7947 */
                                                                              /* 0x000fc0000383ffff */
        /*0050*/                   NOP;                                       /* 0x0000000000007918 */
                                                                              /* 0x000fc00000000000 */
.L_x_3:

//--------------------- SYMBOLS --------------------------
	.type		.nv.reservedSmem.offset0,@object
)";

TEST(Sass, InstructionsWithLinesAndLabels) {
  std::vector<SassInstruction> code = readSass(printed);
  ASSERT_EQ(code.size(), 4u);
  EXPECT_EQ(code[0].text, "LDC R1, c[0x0][0x28]");
  EXPECT_EQ(code[0].file, "kernels/copy.py");
  EXPECT_EQ(code[0].line, 5u);
  EXPECT_THAT(code[0].labels, ElementsAre("copy"));
  EXPECT_EQ(code[1].line, 7u);
  EXPECT_EQ(code[1].offset, 0x10u);
  EXPECT_THAT(code[1].labels, ElementsAre(".L_x_1"));
  EXPECT_EQ(code[2].text, "@P5 STG.E.128 desc[UR26][R16.64], R4");
  EXPECT_EQ(code[2].opcode, "STG");
  EXPECT_EQ(code[3].opcode, "EXIT");
  EXPECT_EQ(code[3].file, "");
  EXPECT_EQ(code[3].line, 0u);
}

TEST(Sass, WhatInstructionsWaitFor) {
  std::vector<SassInstruction> code = readSass(printed);
  ASSERT_EQ(code.size(), 4u);
  for (const SassInstruction &each : code)
    ASSERT_TRUE(each.control);
  EXPECT_EQ(code[0].control->waits, 0);
  EXPECT_EQ(code[0].control->writes, -1);
  EXPECT_EQ(code[0].control->stall, 8);
  EXPECT_EQ(code[1].control->writes, 1);
  EXPECT_EQ(code[1].control->stall, 1);
  EXPECT_EQ(code[2].control->waits, 0b100000);
  EXPECT_EQ(code[2].control->reads, 1);
  EXPECT_EQ(code[2].control->writes, -1);
  EXPECT_EQ(code[3].control->waits, 0b111111);
}

// cuobjdump prints addresses for labels, and no lines.
TEST(Sass, OfCuobjdump) {
  std::vector<SassInstruction> code = readSass(R"sass(
		Function : copy
	.headerflags	@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   EXIT ;                                     /* 0x000000000000794d */
                                                                              /* 0x000fea0003800000 */
        /*0010*/                   BRA 0x10;                                  /* 0xfffffffc00fc7947 */
                                                                              /* 0x000fc0000383ffff */
        /*0020*/                   NOP;                                       /* 0x0000000000007918 */
		Function : other
        /*0000*/                   BRA 0x20 ;
        /*0010*/                   NOP ;
        /*0020*/                   EXIT ;
)sass");
  ASSERT_EQ(code.size(), 4u);
  EXPECT_EQ(code[0].line, 0u);
  EXPECT_EQ(code[1].text, "BRA 0x20");
  EXPECT_FALSE(code[1].control);
  EXPECT_EQ(code[2].opcode, "NOP");
}

TEST(Sass, TextThatIsNoCode) {
  for (const char *text :
       {"", "/*", "/*00", "/*0000*/", "/*0000*/ ;", "/*0000*/ @P1", "//## File \"",
        "a:\nb:", "/* 0x00 */", "\x01\xff\n;;;", "/*99999999999999999999*/ NOP ;"})
    EXPECT_THAT(readSass(text), IsEmpty()) << text;
}

TEST(Sass, Classes) {
  for (auto [opcode, kind] : {std::pair("LDG", "global_load"),
                              {"STS", "shared_store"},
                              {"HGMMA", "matrix"},
                              {"UTMALDG", "async_copy"},
                              {"IMAD", "integer"},
                              {"UIADD3", "uniform"},
                              {"ULDC", "constant"},
                              {"MUFU", "special"},
                              {"DEPBAR", "async_group"},
                              {"STL", "local"},
                              {"QUUX", "other"}})
    EXPECT_STREQ(sassClass(opcode), kind) << opcode;
}

} // namespace
