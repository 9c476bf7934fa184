//===- LinesTest.cpp - programs that stop for a debugger ------------------===//

#include "Run.h"

#include "tritium/Kernel/Debugger.h"

#include <gtest/gtest.h>

using namespace tritium;
using namespace tritium::testing;

namespace {
/// Keeps where programs stopped, as "reason line function name=elements ...".
struct Recorder final : Debugger {
  std::vector<std::string> stops;
  int line = 0;       ///< before which programs stop
  bool quits = false; ///< at the first stop
  unsigned ended = 0;

  bool stopsAt(const StopPlace &place) override { return place.line == line; }
  bool stopped(const Stop &stop) override {
    std::string text = std::to_string(stop.reason) + " pid " + std::to_string(stop.pid[0]);
    for (const StoppedFrame &frame : stop.frames) {
      text += " | " + frame.function + ":" + std::to_string(frame.line);
      for (const StoppedValue &value : frame.values) {
        text += " " + value.name + "=";
        auto *elements = reinterpret_cast<const int32_t *>(value.data.data());
        for (size_t i = 0; i < value.data.size() / sizeof(int32_t); ++i)
          text += (value.present.empty() || value.present[i] ? std::to_string(elements[i]) : "-") +
                  std::string(",");
      }
    }
    for (int64_t coordinate : stop.index)
      text += " @" + std::to_string(coordinate);
    stops.push_back(text);
    return !quits;
  }
  void programEnded() override { ++ended; }
};

std::string runWith(Recorder &recorder, const std::string &body, uint32_t programs = 1,
                    std::vector<uint64_t> args = {}, std::vector<BufferRange> buffers = {}) {
  InterpreterOptions options;
  options.debugger = &recorder;
  options.buffers = std::move(buffers);
  uint32_t grid[3] = {programs, 1, 1};
  std::string parameters = args.empty() ? "" : "%X: !tt.ptr<i32>";
  return interpret("tt.func @k(" + parameters + ") {\n" + body + "\n tt.return\n}", args, grid,
                   options);
}

const char *const kTwoLines = R"(
  %p = tt.get_program_id 0 : i32
  dbg.line "k" 0 ["p"] ["int32"] [-1] {} : %p : i32 loc("k.py":3:1)
  %q = arith.addi %p, %p : i32
  dbg.line "k" 0 ["q"] ["int32"] [-1] {} : %q : i32 loc("k.py":4:1)
  dbg.breakpoint [1] loc("k.py":4:1))";
} // namespace

TEST(Lines, AskTheDebugger) {
  Recorder recorder;
  recorder.line = 3;
  EXPECT_EQ(runWith(recorder, kTwoLines, 2), "");
  EXPECT_EQ(recorder.stops, (std::vector<std::string>{"0 pid 0 | k:3 p=0,", "0 pid 1 | k:3 p=1,",
                                                      "1 pid 1 | k:4 q=2,"}));
  EXPECT_EQ(recorder.ended, 2u);
}

// Who has just seen the line is not shown it again.
TEST(Lines, BreakpointOnALineThatWasShown) {
  Recorder recorder;
  recorder.line = 4;
  EXPECT_EQ(runWith(recorder, kTwoLines, 2), "");
  EXPECT_EQ(recorder.stops, (std::vector<std::string>{"0 pid 0 | k:4 q=0,", "0 pid 1 | k:4 q=2,"}));
}

TEST(Lines, QuittingEndsTheLaunch) {
  Recorder recorder;
  recorder.line = 3;
  recorder.quits = true;
  EXPECT_EQ(runWith(recorder, kTwoLines, 5), "");
  EXPECT_EQ(recorder.stops.size(), 1u);
}

// The caller's line stands below, with its variables as they were there.
TEST(Lines, CallersStandBelow) {
  Recorder recorder;
  recorder.line = 9;
  EXPECT_EQ(runWith(recorder, R"(
  %a = arith.constant 5 : i32
  dbg.line "k" 0 ["a"] ["int32"] [-1] {} : %a : i32 loc("k.py":3:1)
  %b = arith.addi %a, %a : i32
  dbg.line "f" 1 ["b"] ["int32"] [-1] {} : %b : i32 loc("k.py":8:1)
  dbg.line "f" 1 ["b"] ["int32"] [-1] {} : %b : i32 loc("k.py":9:1)
  dbg.line "k" 0 ["a"] ["int32"] [-1] {} : %a : i32 loc("k.py":9:1))"),
            "");
  EXPECT_EQ(recorder.stops,
            (std::vector<std::string>{"0 pid 0 | k:3 a=5, | f:9 b=10,", "0 pid 0 | k:9 a=5,"}));
}

// A failure shows the statement and the element; slots of variables that are dead are not reused.
TEST(Lines, FailureShowsTheStatement) {
  Recorder recorder;
  std::vector<int32_t> x{7, 8};
  std::string error = runWith(recorder, R"(
  %i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %m = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
  %s = tt.splat %X : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %p = tt.addptr %s, %i : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  dbg.line "k" 0 ["i"] ["int32"] [1] {} : %i, %m : tensor<4xi32>, tensor<4xi1> loc("k.py":3:1)
  %c = arith.constant 9 : i32
  %t = tt.splat %c : i32 -> tensor<4xi32>
  %v = tt.load %p, %m : tensor<4x!tt.ptr<i32>>
  %w = arith.addi %v, %t : tensor<4xi32>
  tt.store %p, %w : tensor<4x!tt.ptr<i32>>)",
                              1, {pointer(x)}, {range(x)});
  EXPECT_NE(error.find("is outside every argument"), std::string::npos) << error;
  EXPECT_EQ(recorder.stops, (std::vector<std::string>{"2 pid 0 | k:3 i=0,-,2,3, @2"}));
}
