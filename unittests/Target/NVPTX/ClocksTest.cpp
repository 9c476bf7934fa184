//===- ClocksTest.cpp - clocks in a kernel's code -------------------------===//

#include "tritium/Target/NVPTX/Clocks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tritium;
using testing::ElementsAre;

namespace {

// A loop: line 3 loads, line 4 stores, line 9 is behind it.
constexpr const char *kLoop = R"(
llvm.func @loop(%x: !llvm.ptr<1>, %n: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %first = llvm.load volatile %x : !llvm.ptr<1> -> i32 loc("k.py":2:1)
  llvm.br ^header(%first : i32)
^header(%i: i32):
  %more = llvm.icmp "slt" %i, %n : i32 loc("k.py":1:1)
  llvm.cond_br %more, ^body, ^end
^body:
  %v = llvm.load volatile %x : !llvm.ptr<1> -> i32 loc("k.py":3:1)
  %w = llvm.add %v, %one : i32 loc("k.py":9:1)
  llvm.store volatile %w, %x : i32, !llvm.ptr<1> loc("k.py":4:1)
  %next = llvm.add %i, %one : i32 loc("k.py":1:1)
  llvm.br ^header(%next : i32)
^end:
  llvm.store volatile %n, %x : i32, !llvm.ptr<1> loc("k.py":9:1)
  llvm.return
} loc("k.py":1:1)
)";

class Clocks : public testing::Test {
protected:
  Clocks() {
    context.loadDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    module = parseSourceString<ModuleOp>(kLoop, ParserConfig(&context));
    kernel = *module->getOps<LLVM::LLVMFuncOp>().begin();
  }

  /// In each block, in order: C for a read of the clock, and the lines of loads and stores.
  std::vector<std::string> blocks() {
    std::vector<std::string> found;
    for (Block &block : kernel.getBody()) {
      std::string &text = found.emplace_back();
      for (Operation &op : block) {
        auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
        if (assembly && assembly.getAsmString().contains("%clock64"))
          text += "C";
        if (auto place = dyn_cast<FileLineColLoc>(op.getLoc()); place && !isMemoryEffectFree(&op))
          text += std::to_string(place.getLine());
      }
    }
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  LLVM::LLVMFuncOp kernel;
};

TEST_F(Clocks, LinesArePartsBehindTheRest) {
  EXPECT_THAT(nvptx::linesOf(kernel),
              ElementsAre(ClockedPart{}, ClockedPart{"", "k.py", 1, 1},
                          ClockedPart{"", "k.py", 2, 2}, ClockedPart{"", "k.py", 3, 3},
                          ClockedPart{"", "k.py", 4, 4}, ClockedPart{"", "k.py", 9, 9}));
}

// A change stands where the part does change, on each way there: the header is part of the loop,
// which has it in the part of its body, so that each round has no more than what changes in it.
TEST_F(Clocks, ChangesStandWhereThePartsMeet) {
  nvptx::insertClocks(kernel, {ClockedPart{}, ClockedPart{"loop", "k.py", 3, 4}}, 4);
  EXPECT_TRUE(succeeded(verify(*module)));
  // To begin with; into the loop; out of it; and at the end.
  EXPECT_THAT(blocks(), ElementsAre("C2C", "", "34", "C9C", "", ""));
}

TEST_F(Clocks, PartsInsideOfParts) {
  nvptx::insertClocks(
      kernel,
      {ClockedPart{}, ClockedPart{"loop", "k.py", 3, 4}, ClockedPart{"loop/store", "k.py", 4, 4}},
      4);
  EXPECT_TRUE(succeeded(verify(*module)));
  // One addition between the two is no part of its own.
  EXPECT_THAT(blocks(), ElementsAre("C2C", "", "3C4C", "C9C", "", ""));
}

// The narrowest part has a line, wherever it stands among the others.
TEST_F(Clocks, WhichPartALineIsOf) {
  nvptx::insertClocks(
      kernel,
      {ClockedPart{}, ClockedPart{"store", "k.py", 4, 4}, ClockedPart{"loop", "k.py", 3, 4}}, 4);
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_THAT(blocks(), ElementsAre("C2C", "", "3C4C", "C9C", "", ""));
}

TEST_F(Clocks, LinesOfOtherFiles) {
  nvptx::insertClocks(
      kernel,
      {ClockedPart{}, ClockedPart{"loop", "k.py", 3, 4}, ClockedPart{"other", "other.py", 4, 4}},
      4);
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_THAT(blocks(), ElementsAre("C2C", "", "34", "C9C", "", ""));
}

// Lane 0 adds clocks and times of each part, time and runs, if there is a table.
TEST_F(Clocks, WhatIsAddedToTheTable) {
  nvptx::insertClocks(kernel, {ClockedPart{}, ClockedPart{"loop", "k.py", 3, 4}}, 4);
  SmallVector<LLVM::AtomicRMWOp> additions;
  kernel.walk([&](LLVM::AtomicRMWOp op) { additions.push_back(op); });
  ASSERT_EQ(additions.size(), 6u);
  Block *adding = additions.front()->getBlock();
  for (LLVM::AtomicRMWOp op : additions)
    EXPECT_EQ(op->getBlock(), adding);
  auto branch = cast<LLVM::CondBrOp>(adding->getSinglePredecessor()->getTerminator());
  EXPECT_EQ(branch.getTrueDest(), adding);
  auto both = branch.getCondition().getDefiningOp<LLVM::AndOp>();
  ASSERT_TRUE(both);
  auto isLane = both.getLhs().getDefiningOp<LLVM::ICmpOp>();
  auto hasTable = both.getRhs().getDefiningOp<LLVM::ICmpOp>();
  ASSERT_TRUE(isLane && hasTable);
  EXPECT_EQ(isLane.getPredicate(), LLVM::ICmpPredicate::eq);
  EXPECT_EQ(hasTable.getPredicate(), LLVM::ICmpPredicate::ne);
  auto table = hasTable.getLhs().getDefiningOp<LLVM::LoadOp>();
  EXPECT_TRUE(table && table.getAddr().getDefiningOp<LLVM::AddressOfOp>());
}

// Arithmetic that is long enough is a part, too.
TEST_F(Clocks, ArithmeticOfAPart) {
  Operation *add = nullptr;
  kernel.walk([&](LLVM::AddOp op) { add = add ? add : op; });
  OpBuilder b(add);
  for (int i = 0; i < 8; ++i)
    b.clone(*add);
  nvptx::insertClocks(kernel, {ClockedPart{}, ClockedPart{"loop", "k.py", 3, 4}}, 4);
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_THAT(blocks(), ElementsAre("C2C", "", "3CC4", "C9C", "", ""));
}

TEST_F(Clocks, AKernelThatIsOneBlock) {
  module =
      parseSourceString<ModuleOp>(R"(llvm.func @empty() { llvm.return })", ParserConfig(&context));
  kernel = *module->getOps<LLVM::LLVMFuncOp>().begin();
  nvptx::insertClocks(kernel, {ClockedPart{}, ClockedPart{"none", "k.py", 3, 4}}, 1);
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_THAT(blocks(), ElementsAre("CC", "", ""));
}

} // namespace
