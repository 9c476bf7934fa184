//===- DebugTest.cpp - prints and assertions ------------------------------===//

#include "Run.h"

#include <gtest/gtest.h>

using namespace tritium;
using namespace tritium::testing;

namespace {
struct Record {
  std::vector<std::string> lines;
};

void recordPrint(void *user, const char *prefix, int hex, int kind, int bits, const void *data,
                 const int64_t *shape, int rank, const uint32_t *pid) {
  std::string line = std::string(prefix) + " kind " + std::to_string(kind) + " bits " +
                     std::to_string(bits) + (hex ? " hex" : "") + " shape";
  int64_t count = data != nullptr;
  for (int d = 0; d < rank; ++d) {
    line += " " + std::to_string(shape[d]);
    count *= shape[d];
  }
  for (int64_t i = 0; i < count; ++i)
    line += " " + (kind == 2 ? std::to_string(static_cast<const float *>(data)[i])
                             : std::to_string(static_cast<const int16_t *>(data)[i]));
  static_cast<Record *>(user)->lines.push_back(line);
}

void recordAssert(void *user, const char *message, const char *file, int line, const uint32_t *pid,
                  int kind, const int64_t *shape, int rank, uint32_t element, uint64_t value) {
  std::string text =
      std::string(message) + " " + file + " " + std::to_string(line) + " " + std::to_string(pid[0]);
  if (kind != AssertSite::NoValue)
    text += " kind " + std::to_string(kind) + " value " + std::to_string(value);
  if (rank)
    text += " element " + std::to_string(element) + " of " + std::to_string(shape[0]);
  static_cast<Record *>(user)->lines.push_back(text);
}

std::string runWithHost(const std::string &body, Record &record, uint32_t programs) {
  InterpreterOptions options;
  options.host = {&record, recordPrint, recordAssert};
  uint32_t grid[3] = {programs, 1, 1};
  return interpret("tt.func @k() {\n" + body + "\n tt.return\n}", {}, grid, options);
}
} // namespace

TEST(Print, PackedElements) {
  Record record;
  EXPECT_EQ(runWithHost(R"(
  %x = arith.constant dense<[-1, 2]> : tensor<2xi16>
  %h = arith.constant 1.5 : f16
  tt.print "v" {hex = false, isSigned = array<i1: true, false>} : %x, %h : tensor<2xi16>, f16)",
                        record, 1),
            "");
  EXPECT_EQ(record.lines, (std::vector<std::string>{"v kind 0 bits 16 shape 2 -1 2",
                                                    "v kind 2 bits 32 shape 1.500000"}));
}

// A failed assertion ends its program; the others run.
TEST(Assert, HostIsTold) {
  Record record;
  EXPECT_EQ(runWithHost(R"(
  %p = tt.get_program_id 0 : i32
  %one = arith.constant 1 : i32
  %ok = arith.cmpi ne, %p, %one : i32
  tt.assert %ok, "not one" : i1 loc("k.py":4:3)
  tt.print "after" {hex = false, isSigned = array<i1>})",
                        record, 3),
            "");
  EXPECT_EQ(record.lines, (std::vector<std::string>{"after kind 0 bits 0 shape", "not one k.py 4 1",
                                                    "after kind 0 bits 0 shape"}));
}

TEST(Assert, ErrorWithoutHost) {
  std::string error = run("", R"(
  %no = arith.constant dense<[true, false]> : tensor<2xi1>
  tt.assert %no, "all" : tensor<2xi1> loc("k.py":4:3))",
                          {}, {});
  EXPECT_EQ(
      error,
      "kernel 'k', program (0, 0, 0): assertion failed in program (0, 0, 0): all, at k.py:4:3");
}

TEST(Assert, ReportsAnElementAndItsValue) {
  const char *body = R"(
  %p = tt.get_program_id 0 : i32
  %one = arith.constant 1 : i32
  %element = arith.constant 7 : i64
  %value = arith.constant -3 : i64
  %ok = arith.cmpi ne, %p, %one : i32
  tt.assert %ok, "value" reports %value {kind = 1 : i32} : i1 loc("k.py":3:1)
  %no = arith.cmpi eq, %p, %one : i32
  tt.assert %no, "element" reports %element, %value {shape = array<i64: 4, 3>} : i1 loc("k.py":4:1))";
  Record record;
  EXPECT_EQ(runWithHost(body, record, 2), "");
  EXPECT_EQ(record.lines, (std::vector<std::string>{
                              "element k.py 4 0 kind 0 value 18446744073709551613 element 7 of 4",
                              "value k.py 3 1 kind 1 value 18446744073709551613"}));
  EXPECT_EQ(run("", body, {}, {}), "kernel 'k', program (0, 0, 0): element (2, 1) of program "
                                   "(0, 0, 0) is -3, at k.py:4:1");
}
