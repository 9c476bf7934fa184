//===- PackPhisTest.cpp - numbers of a loop that share a register ---------===//

#include "PackPhis.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

/// A loop over phis, whose body makes the word `%w` of them; what the loop carries on, and what
/// stands behind `%w`, are a test's.
std::string loopOf(const std::string &phis, const std::string &body) {
  return R"(
declare <2 x half> @next(<2 x half>)
declare void @use(half)
define <2 x half> @loop(i32 %n, <2 x half> %start, half %x, i1 %c) {
entry:
  %s0 = extractelement <2 x half> %start, i64 0
  %s1 = extractelement <2 x half> %start, i64 1
  br i1 %c, label %other, label %header
other:
  br label %header
header:
)" + phis +
         R"(
  %i = phi i32 [ 0, %entry ], [ 0, %other ], [ %j, %header ]
  %v = insertelement <2 x half> poison, half %a, i64 0
  %w = insertelement <2 x half> %v, half %b, i64 1
  %made = call <2 x half> @next(<2 x half> %w)
  %m0 = extractelement <2 x half> %made, i64 0
  %m1 = extractelement <2 x half> %made, i64 1
)" + body +
         R"(
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %header, label %exit
exit:
  ret <2 x half> %made
}
)";
}

std::string packed(const std::string &text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  llvm::Function &function = *module->getFunction("loop");
  tritium::nvptx::packPhis(function);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  std::string result;
  llvm::raw_string_ostream(result) << function;
  return result;
}

constexpr const char *kPhis = R"(
  %a = phi half [ %s0, %entry ], [ 0.0, %other ], [ %m0, %header ]
  %b = phi half [ %s1, %entry ], [ 1.0, %other ], [ %m1, %header ])";

TEST(PackPhis, PartsOfOneWordAreOnePhi) {
  std::string result = packed(loopOf(kPhis, ""));
  EXPECT_THAT(result, AllOf(HasSubstr("phi <2 x half> [ %start, %entry ], "
                                      "[ <half 0xH0000, half 0xH3C00>, %other ], "
                                      "[ %made, %header ]"),
                            Not(HasSubstr("phi half")), Not(HasSubstr("insertelement"))));
}

TEST(PackPhis, WhoReadsAnElementTakesItFromTheWord) {
  std::string result = packed(loopOf(kPhis, "  call void @use(half %b)"));
  EXPECT_THAT(result, AllOf(Not(HasSubstr("phi half")),
                            testing::ContainsRegex(
                                "= extractelement <2 x half> %[0-9]+, i64 1\n[^@]*@next")));
}

// Phis that come to phis are of words, too, and one that comes around to itself.
TEST(PackPhis, PhisOfPhis) {
  std::string text = R"(
declare void @use(<2 x half>)
define void @loop(<2 x half> %start, i1 %c) {
entry:
  %s0 = extractelement <2 x half> %start, i64 0
  %s1 = extractelement <2 x half> %start, i64 1
  br i1 %c, label %merge, label %other
other:
  br label %merge
merge:
  %p0 = phi half [ %s0, %entry ], [ 0.0, %other ]
  %p1 = phi half [ %s1, %entry ], [ 0.0, %other ]
  br label %header
header:
  %a = phi half [ %p0, %merge ], [ %a, %header ]
  %b = phi half [ %p1, %merge ], [ %b, %header ]
  %v = insertelement <2 x half> poison, half %a, i64 0
  %w = insertelement <2 x half> %v, half %b, i64 1
  call void @use(<2 x half> %w)
  br label %header
}
)";
  std::string result = packed(text);
  EXPECT_THAT(result, AllOf(HasSubstr("phi <2 x half> [ %start, %entry ]"),
                            Not(HasSubstr("phi half")), Not(HasSubstr("insertelement"))));
}

TEST(PackPhis, WhatIsNoWordStays) {
  for (const char *phis : {// A number that is no part of a word with the other one.
                           R"(
  %a = phi half [ %x, %entry ], [ 0.0, %other ], [ %m0, %header ]
  %b = phi half [ %s1, %entry ], [ 0.0, %other ], [ %m1, %header ])",
                           // The parts change places.
                           R"(
  %a = phi half [ %s0, %entry ], [ 0.0, %other ], [ %m1, %header ]
  %b = phi half [ %s1, %entry ], [ 0.0, %other ], [ %m0, %header ])",
                           // Nothing but constants.
                           R"(
  %a = phi half [ 2.0, %entry ], [ 0.0, %other ], [ 4.0, %header ]
  %b = phi half [ 2.0, %entry ], [ 0.0, %other ], [ 4.0, %header ])"}) {
    std::string result = packed(loopOf(phis, ""));
    EXPECT_THAT(result, AllOf(HasSubstr("%a = phi half"), HasSubstr("%b = phi half"),
                              Not(HasSubstr("phi <2 x half>"))));
  }
}

} // namespace
