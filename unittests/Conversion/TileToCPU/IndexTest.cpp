//===- IndexTest.cpp - indices that wrap, masks of them, addresses held twice -===//

#include "Differential.h"

#include <gtest/gtest.h>

using namespace tritium;

namespace {
constexpr int kExtent = 200;

/// `body` over %r = 0 .. 199 and %at = %start + %r of `type`, then `end`, which stores through the
/// pointers %p. Each program has a %start and a %n of its own. TILE stands for "tensor<200x", TYPE
/// for `type`.
std::string kernel(const std::string &type, const std::string &body, const std::string &end) {
  std::string convert = type == "i64"   ? "arith.extsi %r : TILEi32> to TILEi64>"
                        : type == "i32" ? "arith.ori %r, %r : TILEi32>"
                                        : "arith.trunci %r : TILEi32> to TILETYPE>";
  std::string text = R"(
tt.func @k(%out: !tt.ptr<i64>, %starts: !tt.ptr<TYPE>, %bounds: !tt.ptr<TYPE>) {
  %extent = arith.constant 200 : i32
  %pid = tt.get_program_id 0 : i32
  %sp = tt.addptr %starts, %pid : !tt.ptr<TYPE>, i32
  %start = tt.load %sp : !tt.ptr<TYPE>
  %np = tt.addptr %bounds, %pid : !tt.ptr<TYPE>, i32
  %n = tt.load %np : !tt.ptr<TYPE>
  %before = arith.muli %pid, %extent : i32
  %first = arith.addi %before, %extent : i32
  %mine = tt.addptr %out, %first : !tt.ptr<i64>, i32
  %r = tt.make_range {start = 0 : i32, end = 200 : i32} : TILEi32>
  %i = )" + convert + R"(
  %ss = tt.splat %start : TYPE -> TILETYPE>
  %ns = tt.splat %n : TYPE -> TILETYPE>
  %at = arith.addi %i, %ss : TILETYPE>
  %outs = tt.splat %mine : !tt.ptr<i64> -> TILE!tt.ptr<i64>>
  %p = tt.addptr %outs, %r : TILE!tt.ptr<i64>>, TILEi32>
)" + body + "\n" + end +
                     "\n  tt.return\n}\n";
  for (auto [from, to] : {std::pair(std::string("TILE"), std::string("tensor<200x")),
                          std::pair(std::string("TYPE"), type)})
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  return text;
}

std::string maskOf(const std::string &type, const std::string &body) {
  return kernel(type, body,
                "  %one = arith.constant dense<1> : TILEi64>\n"
                "  tt.store %p, %one, %mask : TILE!tt.ptr<i64>>");
}
std::string valueOf(const std::string &type, const std::string &body) {
  return kernel(type, body, "  tt.store %p, %value : TILE!tt.ptr<i64>>");
}

TestArgument array(const std::vector<int64_t> &values, unsigned bytes) {
  TestArgument argument;
  for (int64_t value : values)
    for (unsigned i = 0; i < bytes; ++i)
      argument.bytes.push_back(uint8_t(value >> (8 * i)));
  return argument;
}

/// One program for each pair; it has kExtent numbers, with as many before the first and behind the
/// last.
void runAll(const std::string &text, unsigned bits, const std::vector<int64_t> &starts,
            const std::vector<int64_t> &bounds) {
  SCOPED_TRACE(text);
  std::vector<int64_t> start, bound;
  for (int64_t s : starts)
    for (int64_t n : bounds) {
      start.push_back(s);
      bound.push_back(n);
    }
  runBoth(text,
          {TestArgument::ints((start.size() + 2) * kExtent, 8, 0, 1000), array(start, bits / 8),
           array(bound, bits / 8)},
          {unsigned(start.size()), 1, 1});
}

std::vector<int64_t> edges(unsigned bits) {
  int64_t end = bits == 64 ? INT64_MAX : (int64_t(1) << (bits - 1)) - 1;
  return {0, 50, -1, end, end - 199, end - 100, -end - 1, -end + 99};
}
} // namespace

TEST(CPUIndex, MasksOfEveryWidth) {
  for (unsigned bits : {8, 16, 32, 64})
    for (const char *predicate : {"slt", "sle", "sgt"}) {
      std::string type = "i" + std::to_string(bits);
      runAll(
          maskOf(type, std::string("  %mask = arith.cmpi ") + predicate + ", %at, %ns : TILETYPE>"),
          bits, edges(bits), edges(bits));
    }
}

TEST(CPUIndex, MasksWithTheBoundInFront) {
  for (unsigned bits : {32, 64})
    for (const char *predicate : {"sgt", "sge"})
      runAll(maskOf("i" + std::to_string(bits),
                    std::string("  %mask = arith.cmpi ") + predicate + ", %ns, %at : TILETYPE>"),
             bits, edges(bits), edges(bits));
}

// The index cannot wrap, but its distance to the bound may be beyond 64 bits.
TEST(CPUIndex, MasksOfFarBounds) {
  for (const char *predicate : {"slt", "sle", "sgt", "sge"})
    for (bool first : {false, true})
      runAll(maskOf("i64", std::string("  %mask = arith.cmpi ") + predicate +
                               (first ? ", %ns, %i : TILETYPE>" : ", %i, %ns : TILETYPE>")),
             64, {0}, edges(64));
}

// Differences and products wrap, too.
TEST(CPUIndex, MasksOfArithmetic) {
  for (unsigned bits : {32, 64})
    for (const char *arithmetic : {"  %c = arith.constant dense<3> : TILETYPE>\n"
                                   "  %v = arith.muli %at, %c : TILETYPE>\n",
                                   "  %c = arith.constant dense<-3> : TILETYPE>\n"
                                   "  %v = arith.muli %at, %c : TILETYPE>\n",
                                   "  %v = arith.subi %ns, %at : TILETYPE>\n"}) {
      std::vector<int64_t> starts = edges(bits);
      starts.push_back(starts[3] / 3 - 100);
      runAll(maskOf("i" + std::to_string(bits),
                    std::string(arithmetic) + "  %mask = arith.cmpi slt, %v, %ss : TILETYPE>"),
             bits, starts, edges(bits));
    }
}

TEST(CPUIndex, Extension) {
  for (unsigned bits : {8, 16, 32})
    for (const char *op : {"extsi", "extui"})
      runAll(valueOf("i" + std::to_string(bits),
                     std::string("  %value = arith.") + op + " %at : TILETYPE> to TILEi64>"),
             bits, edges(bits), {0});
}

// The remainder is taken of the index that has wrapped.
TEST(CPUIndex, MasksOfRemainders) {
  for (const char *op : {"remsi", "remui"})
    runAll(maskOf("i32", std::string("  %v = arith.") + op +
                             " %at, %ns : TILEi32>\n"
                             "  %c = arith.constant dense<7> : TILEi32>\n"
                             "  %mask = arith.cmpi slt, %v, %c : TILEi32>"),
           32, edges(32), {1, 7, 199, 200, 1000, INT32_MAX, -5, 0});
}

TEST(CPUIndex, RemaindersInAddresses) {
  for (const char *op : {"remsi", "remui"})
    for (const char *factor : {"1", "2"})
      runAll(kernel("i32",
                    std::string("  %c = arith.constant dense<") + factor +
                        "> : TILEi32>\n  %d = arith.muli %at, %c : TILEi32>\n  %o = arith." + op +
                        " %d, %ns : TILEi32>\n",
                    R"(  %q = tt.addptr %outs, %o : TILE!tt.ptr<i64>>, TILEi32>
  %v = tt.load %q : TILE!tt.ptr<i64>>
  tt.store %p, %v : TILE!tt.ptr<i64>>)"),
             32,
             std::string(op) == "remsi" ? std::vector<int64_t>{0, 50, 150, -50, -199, -250, 500}
                                        : std::vector<int64_t>{0, 50, 150, 500},
             std::string(op) == "remsi" ? std::vector<int64_t>{1, 7, 150, 199, 200, -5, -200}
                                        : std::vector<int64_t>{1, 7, 150, 199, 200});
}

// %out[f(i)] += 1: all loads come first.
TEST(CPUIndex, LoadChangeStore) {
  const char *kAddresses[] = {
      "  %b = arith.trunci %r : TILEi32> to TILEi8>\n"
      "  %c = arith.constant dense<31> : TILEi8>\n"
      "  %d = arith.andi %b, %c : TILEi8>\n"
      "  %o = arith.extui %d : TILEi8> to TILEi32>\n",
      "  %o = arith.remsi %r, %ns : TILEi32>\n",
      "  %o = arith.divsi %r, %ns : TILEi32>\n",
      "  %z = arith.subi %ns, %ns : TILEi32>\n"
      "  %o = arith.muli %r, %z : TILEi32>\n",
      "  %c = arith.constant dense<30> : TILEi32>\n"
      "  %d = arith.constant dense<3> : TILEi32>\n"
      "  %e = arith.shli %r, %c : TILEi32>\n"
      "  %f = arith.shrui %e, %c : TILEi32>\n"
      "  %o = arith.andi %f, %d : TILEi32>\n",
      "  %o = arith.addi %r, %ns : TILEi32>\n",
  };
  for (const char *addresses : kAddresses)
    runAll(kernel("i32", addresses,
                  R"(  %q = tt.addptr %outs, %o : TILE!tt.ptr<i64>>, TILEi32>
  %v = tt.load %q : TILE!tt.ptr<i64>>
  %one = arith.constant dense<1> : TILEi64>
  %w = arith.addi %v, %one : TILEi64>
  tt.store %q, %w : TILE!tt.ptr<i64>>)"),
           32, {0},
           std::string(addresses).find("arith.addi") == std::string::npos
               ? std::vector<int64_t>{1, 7, 199}
               : std::vector<int64_t>{0});
}
