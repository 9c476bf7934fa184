//===- AxisInfoRandomTest.cpp - every claim against what is computed ------===//
//
// Random kernels of index arithmetic. Every integer value that they compute is stored
// by the interpreter, for several arguments and programs, and every claim about it is checked
// element by element: its axis info, its bounds, and the runs of masks.
//
//===----------------------------------------------------------------------===//

#include "RandomKernel.h"
#include "StoreValues.h"

#include "tritium/Analysis/AxisInfo.h"
#include "tritium/Analysis/MaskRuns.h"
#include "tritium/Interpreter/Interpreter.h"
#include "tritium/Pipeline/Passes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tritium;

namespace {
struct Observed {
  AxisInfo info;
  SmallVector<int64_t> shape;
  int64_t unit = 1; ///< bytes of a pointee
  bool isPointer = false;
  int64_t offset = 0; ///< of its elements among what is stored
  IntegerRange range{INT64_MIN, INT64_MAX};
  std::vector<std::vector<MaskRuns>> runs; ///< of a mask, along each dimension
  std::string text;
};

/// What is claimed of every top-level value, and where it is stored.
std::vector<Observed> observeAll(tt::FuncOp func, int64_t &total) {
  AxisInfoAnalysis analysis(func);
  std::vector<Observed> observed;
  for (auto [value, offset] : tritium::testing::storeAll(func, total)) {
    Observed o;
    o.info = analysis.get(value);
    o.shape = {1};
    o.offset = offset;
    llvm::raw_string_ostream(o.text) << value;
    if (tt::isTile(value.getType()))
      o.shape.assign(tt::shapeOf(value.getType()).begin(), tt::shapeOf(value.getType()).end());
    if (auto pointer = dyn_cast<tt::PointerType>(tt::elementType(value.getType())))
      o.unit = tt::scalarBytes(pointer.getPointeeType()), o.isPointer = true;
    else
      o.range = analysis.ranges().get(value);
    if (tt::isTile(value.getType()) && tt::elementType(value.getType()).isInteger(1))
      for (size_t d = 0; d < o.shape.size(); ++d) {
        o.runs.emplace_back();
        for (int64_t width : {2, 4, 8, 16})
          o.runs.back().push_back(maskRuns(value, d, width, analysis));
      }
    observed.push_back(std::move(o));
  }
  return observed;
}

/// Over each aligned run, a mask is true for a while and false behind, or the other way round.
bool holdsRun(const MaskRuns &runs, int64_t extent, llvm::function_ref<bool(int64_t)> at) {
  for (int64_t start = 0; start < extent; start += runs.width) {
    int64_t end = std::min(extent, start + runs.width), falls = 0, rises = 0;
    for (int64_t i = start + 1; i < end; ++i) {
      falls += at(i - 1) && !at(i);
      rises += !at(i - 1) && at(i);
    }
    if (falls > runs.falls || rises > runs.rises)
      return false;
  }
  return true;
}

/// Checks one value along dimension d, for all indices of the others.
::testing::AssertionResult holds(const Observed &o, const std::vector<int64_t> &stored, size_t d) {
  int64_t extent = o.shape[d], inner = 1, outer = 1;
  for (size_t e = 0; e < o.shape.size(); ++e)
    (e < d ? outer : e > d ? inner : extent) *= e == d ? 1 : o.shape[e];
  int64_t c = o.info.contiguity[d], q = o.info.divisibility[d], k = o.info.constancy[d];
  for (int64_t a = 0; a < outer; ++a)
    for (int64_t b = 0; b < inner; ++b)
      for (int64_t i = 0; i < extent; ++i) {
        auto at = [&](int64_t j) { return stored[o.offset + (a * extent + j) * inner + b]; };
        // Integers of 32 bits count up modulo 2^32, addresses modulo 2^64.
        uint64_t step = uint64_t(at(i)) - uint64_t(at(i / c * c)) - uint64_t(i % c * o.unit);
        if ((o.isPointer ? step : uint32_t(step)) != 0 || at(i / c * c) % q != 0 ||
            at(i) != at(i / k * k) || (o.info.constant && at(i) != *o.info.constant) ||
            at(i) < o.range.low || at(i) > o.range.high)
          return ::testing::AssertionFailure()
                 << o.text << "\n dimension " << d << ", element " << i << " is " << at(i)
                 << "; claims: contiguity " << c << ", divisibility " << q << ", constancy " << k
                 << ", from " << o.range.low << " to " << o.range.high;
        if (i == 0 && !o.runs.empty())
          for (const MaskRuns &runs : o.runs[d])
            if (!holdsRun(runs, extent, [&](int64_t j) { return at(j) != 0; }))
              return ::testing::AssertionFailure()
                     << o.text << "\n dimension " << d << ": a mask's runs of " << runs.width;
      }
  return ::testing::AssertionSuccess();
}

void checkKernel(uint32_t seed, int64_t &strong) {
  DialectRegistry registry;
  registerTileDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string text = tritium::testing::RandomKernel(seed).text();
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  ASSERT_TRUE(module) << text;
  int64_t total;
  std::vector<Observed> observed = observeAll(*module->getOps<tt::FuncOp>().begin(), total);
  ASSERT_TRUE(succeeded(verify(*module))) << text;
  std::string ttir;
  llvm::raw_string_ostream(ttir) << *module;
  for (const Observed &o : observed)
    for (size_t d = 0; d < o.shape.size(); ++d)
      strong += (o.shape[d] > 1 && o.info.contiguity[d] > 1) + (o.info.constancy[d] > 1) +
                (o.info.divisibility[d] > 1);

  const int64_t kArguments[][3] = {{0, 0, 0},
                                   {16, 3, 4},
                                   {48, -5, 8},
                                   {-32, 7, 12},
                                   {2147483632, 2147483640, 8},
                                   {-2147483648, -2147483647, 4}};
  std::vector<int64_t> stored(total);
  std::vector<float> memory(16);
  for (auto [a, b, n] : kArguments)
    for (uint32_t grid = 1; grid <= 4; grid += 3) {
      // The last program's values stay.
      uint32_t grids[3] = {grid, 1, 1};
      InterpreterOptions options;
      options.buffers = {{reinterpret_cast<uint64_t>(stored.data()), stored.size() * 8, true}};
      std::vector<uint64_t> args{reinterpret_cast<uint64_t>(stored.data()),
                                 reinterpret_cast<uint64_t>(memory.data()) & ~uint64_t(15),
                                 uint32_t(a), uint32_t(b), uint32_t(n)};
      ASSERT_EQ(interpret(ttir, args, grids, options), "") << text;
      for (const Observed &o : observed)
        for (size_t d = 0; d < o.shape.size(); ++d)
          ASSERT_TRUE(holds(o, stored, d)) << "seed " << seed << "\n" << text;
    }
}
} // namespace

TEST(AxisInfoRandom, EveryClaimHolds) {
  int64_t strong = 0;
  for (uint32_t seed = 0; seed < 300 && !HasFatalFailure(); ++seed)
    checkKernel(seed, strong);
  // An analysis that claims nothing would pass as well.
  EXPECT_GT(strong, 3000);
}
