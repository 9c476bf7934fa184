//===- ThreadsTest.cpp - copies that arrive late, accesses in no order ----===//
//
// Tile IR with layouts by hand. What is legal runs; of what is not, each rule has a case that is
// refused, with the operation, the element and what would work.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include <gtest/gtest.h>

#include <numeric>

using tritium::InterpreterOptions;
using namespace tritium::testing;

namespace {
/// Two warps; #a: thread t holds element t of 64; #r: in the other order; #all: every thread holds
/// everything; #m, #m2: memory.
const char *kLayouts = R"(
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#r = #ttg.linear<{register = [], lane = [32, 16, 8, 4, 2], warp = [1], shape = [64]}>
#all = #ttg.linear<{register = [1, 2, 4, 8, 16, 32], lane = [0, 0, 0, 0, 0], warp = [0], shape = [64]}>
#m = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
)";

const char *kPointers = R"(
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #a>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #a>
  %xp = tt.addptr %xs, %i : tensor<64x!tt.ptr<i32>, #a>, tensor<64xi32, #a>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #a>
  %yp = tt.addptr %ys, %i : tensor<64x!tt.ptr<i32>, #a>, tensor<64xi32, #a>
  %yr = ttg.convert_layout %yp : tensor<64x!tt.ptr<i32>, #a> -> tensor<64x!tt.ptr<i32>, #r>
)";

struct Outcome {
  std::vector<int32_t> x, y;
  std::string error;
};

/// x is 0, 1, 2, ..., y is -1.
Outcome runThreads(const std::string &body, bool checkRaces = true) {
  Outcome outcome{std::vector<int32_t>(64), std::vector<int32_t>(64, -1), ""};
  std::iota(outcome.x.begin(), outcome.x.end(), 0);
  InterpreterOptions options;
  options.checkRaces = checkRaces;
  options.buffers = {range(outcome.x), range(outcome.y)};
  uint32_t grid[3] = {2, 1, 1};
  outcome.error = interpret(std::string(kLayouts) +
                                "module attributes {\"ttg.num-warps\" = 2 : i32} {\n"
                                "tt.func @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {\n" +
                                kPointers + body + "\n tt.return\n}}",
                            {pointer(outcome.x), pointer(outcome.y)}, grid, options);
  return outcome;
}

void expectLegal(const std::string &body, const std::vector<int32_t> &y) {
  Outcome outcome = runThreads(body);
  EXPECT_EQ(outcome.error, "") << body;
  EXPECT_EQ(outcome.y, y) << body;
}

void expectError(const std::string &body, const std::string &part) {
  Outcome outcome = runThreads(body);
  EXPECT_NE(outcome.error.find(part), std::string::npos) << body << "\n" << outcome.error;
}

std::vector<int32_t> upTo64() {
  std::vector<int32_t> values(64);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

const char *kAlloc = "%m = ttg.local_alloc : !ttg.memdesc<64xi32, #m, mutable>\n";
const char *kLoadX = "%v = tt.load %xp : tensor<64x!tt.ptr<i32>, #a>\n";
const char *kStore =
    "ttg.local_store %v, %m : tensor<64xi32, #a>, !ttg.memdesc<64xi32, #m, mutable>\n";
const char *kLoadSame =
    "%w = ttg.local_load %m : !ttg.memdesc<64xi32, #m, mutable> -> tensor<64xi32, #a>\n";
const char *kLoadOther =
    "%w = ttg.local_load %m : !ttg.memdesc<64xi32, #m, mutable> -> tensor<64xi32, #r>\n";
const char *kToY = "tt.store %yp, %w : tensor<64x!tt.ptr<i32>, #a>\n";
const char *kToYOther = "tt.store %yr, %w : tensor<64x!tt.ptr<i32>, #r>\n";
const char *kCopy = "ttg.async_copy_global_to_local %xp, %m : tensor<64x!tt.ptr<i32>, #a> -> "
                    "!ttg.memdesc<64xi32, #m, mutable>\nttg.async_commit_group\n";
const char *kBarrier = "ttg.barrier\n";
const char *kWait = "ttg.async_wait {num = 0 : i32}\n";

std::string join(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string &part : parts)
    text += part;
  return text;
}
} // namespace

TEST(SharedRaces, ReadByAnotherThread) {
  expectLegal(join({kLoadX, kAlloc, kStore, kBarrier, kLoadOther, kToYOther}), upTo64());
  // Thread 0 holds element 0 in both layouts.
  expectError(join({kLoadX, kAlloc, kStore, kLoadOther, kToYOther}),
              "local_load of element [1] by thread 32 is in no order with the local_store by "
              "thread 1 at ");
  expectError(join({kLoadX, kAlloc, kStore, kLoadOther, kToYOther}),
              "; a ttg.barrier must stand between, at ");
}

// A thread's own accesses are in order.
TEST(SharedRaces, ReadByTheSameThread) {
  expectLegal(join({kLoadX, kAlloc, kStore, kLoadSame, kToY}), upTo64());
}

TEST(SharedRaces, AllocationWithAValue) {
  std::string alloc =
      "%m = ttg.local_alloc init(%v : tensor<64xi32, #a>) : !ttg.memdesc<64xi32, #m>\n";
  std::string load = "%w = ttg.local_load %m : !ttg.memdesc<64xi32, #m> -> tensor<64xi32, #r>\n";
  expectLegal(join({kLoadX, alloc, kBarrier, load, kToYOther}), upTo64());
  expectError(join({kLoadX, alloc, load, kToYOther}), "with the local_alloc by thread 1");
}

// Who holds an index reads what it names: thread t the element of thread 63 - t.
TEST(SharedRaces, Gather) {
  std::string index = "%last = arith.constant dense<63> : tensor<64xi32, #a>\n"
                      "%j = arith.subi %last, %i : tensor<64xi32, #a>\n",
              gather = "%w = ttg.local_gather %m[%j] along 0 : !ttg.memdesc<64xi32, #m, mutable>"
                       "[tensor<64xi32, #a>] -> tensor<64xi32, #a>\n";
  std::vector<int32_t> reversed = upTo64();
  std::reverse(reversed.begin(), reversed.end());
  expectLegal(join({kLoadX, index, kAlloc, kStore, kBarrier, gather, kToY}), reversed);
  expectError(join({kLoadX, index, kAlloc, kStore, gather, kToY}),
              "local_gather of element [0] by thread 0 is in no order with the local_store by "
              "thread 63 at ");
}

// Each thread that has an element counts it, in the element of thread 63: in any order, but behind
// who makes it zero, and before who reads it.
TEST(SharedRaces, Count) {
  std::string numbers = "%zero = arith.constant dense<0> : tensor<64xi32, #r>\n"
                        "%last = arith.constant dense<63> : tensor<64xi32, #a>\n",
              zeros = "ttg.local_store %zero, %m : tensor<64xi32, #r>, "
                      "!ttg.memdesc<64xi32, #m, mutable>\n",
              count = "ttg.local_count %last, %m : tensor<64xi32, #a>, "
                      "!ttg.memdesc<64xi32, #m, mutable>\n";
  std::vector<int32_t> counts(64);
  counts[63] = 128;
  expectLegal(join({numbers, kAlloc, zeros, kBarrier, count, count, kBarrier, kLoadSame, kToY}),
              counts);
  expectError(join({numbers, kAlloc, zeros, count, kBarrier, kLoadSame, kToY}),
              "local_count of element [0] by thread 0 is in no order with the local_store by "
              "thread 63 at ");
  expectError(join({numbers, kAlloc, zeros, kBarrier, count, kLoadSame, kToY}),
              "local_load of element [63] by thread 63 is in no order with the local_count by "
              "several threads at ");
  expectError(join({numbers, kAlloc, zeros, kBarrier, count, kBarrier, kLoadSame, count, kToY}),
              "local_count of element [0] by thread 0 is in no order with the local_load by "
              "thread 63 at ");
}

// Of several threads that have an element one counts it, and what names none is left out.
TEST(SharedRaces, CountOfCopies) {
  std::string zeros = "%zero = arith.constant dense<0> : tensor<64xi32, #a>\n"
                      "ttg.local_store %zero, %m : tensor<64xi32, #a>, "
                      "!ttg.memdesc<64xi32, #m, mutable>\n",
              count = "%all = ttg.convert_layout %v : tensor<64xi32, #a> -> tensor<64xi32, #all>\n"
                      "%eight = arith.constant dense<8> : tensor<64xi32, #all>\n"
                      "%far = arith.muli %all, %eight : tensor<64xi32, #all>\n"
                      "ttg.local_count %far, %m : tensor<64xi32, #all>, "
                      "!ttg.memdesc<64xi32, #m, mutable>\n";
  std::vector<int32_t> counts(64);
  for (int i = 0; i < 64; i += 8)
    counts[i] = 1;
  expectLegal(join({kLoadX, kAlloc, zeros, kBarrier, count, kBarrier, kLoadSame, kToY}), counts);
}

TEST(SharedRaces, WriteOfWhatAnotherThreadReads) {
  std::string again = "%z = arith.addi %v, %v : tensor<64xi32, #a>\n"
                      "ttg.local_store %z, %m : tensor<64xi32, #a>, "
                      "!ttg.memdesc<64xi32, #m, mutable>\n";
  std::string before = join({kLoadX, kAlloc, kStore, kBarrier, kLoadOther});
  expectLegal(join({before, kBarrier, again, kToYOther}), upTo64());
  expectError(join({before, again, kToYOther}),
              "local_store of element [1] by thread 1 is in no order with the local_load by "
              "thread 32");
}

// Of an element that all hold, thread 0 writes the first copy, and all read.
TEST(SharedRaces, Copies) {
  std::string all = "%u = ttg.convert_layout %v : tensor<64xi32, #a> -> tensor<64xi32, #all>\n"
                    "ttg.local_store %u, %m : tensor<64xi32, #all>, "
                    "!ttg.memdesc<64xi32, #m, mutable>\n";
  expectError(join({kLoadX, kAlloc, all, kLoadSame, kToY}), "by thread 0 at");
  std::string read = "%u = ttg.local_load %m : !ttg.memdesc<64xi32, #m, mutable> -> "
                     "tensor<64xi32, #all>\n";
  expectError(join({kLoadX, kAlloc, kStore, kBarrier, read, kStore}),
              "local_store of element [0] by thread 0 is in no order with the local_load by "
              "several threads");
}

// Of a scalar's element thread 0 is the writer.
TEST(SharedRaces, Scalars) {
  std::string begin = R"(
  %s = tt.load %x : !tt.ptr<i32>
  %m = ttg.local_alloc init(%s : i32) : !ttg.memdesc<1xi32, #m>
)",
              end = R"(
  %t = ttg.local_load %m : !ttg.memdesc<1xi32, #m> -> i32
  %w = tt.splat %t : i32 -> tensor<64xi32, #a>
)";
  expectLegal(join({begin, kBarrier, end, kToY}), std::vector<int32_t>(64, 0));
  expectError(join({begin, end, kToY}), "local_load by several threads is in no order with the "
                                        "local_alloc by thread 0");
}

// Two buffers at one place: the second overwrites what others may still read of the first.
TEST(SharedRaces, MemoryThatIsUsedAgain) {
  auto two = [&](const std::string &between, const char *offset) {
    return join({kLoadX, R"(
  %m = ttg.local_alloc init(%v : tensor<64xi32, #a>) {offset = 0 : i32} : !ttg.memdesc<64xi32, #m>
  ttg.barrier
  %w = ttg.local_load %m : !ttg.memdesc<64xi32, #m> -> tensor<64xi32, #r>
)",
                 between, "%n = ttg.local_alloc init(%v : tensor<64xi32, #a>) {offset = ", offset,
                 " : i32} : !ttg.memdesc<64xi32, #m>\n", kToYOther});
  };
  expectLegal(two("ttg.barrier", "0"), upTo64());
  expectLegal(two("", "256"), upTo64());
  expectError(two("", "0"), "local_alloc of element [1] by thread 1 is in no order with the "
                            "local_load by thread 32");
}

// Places that overlap while both live: the first buffer's value is gone.
TEST(SharedRaces, BuffersThatOverlap) {
  Outcome outcome = runThreads(join({kLoadX, R"(
  %m = ttg.local_alloc init(%v : tensor<64xi32, #a>) {offset = 0 : i32} : !ttg.memdesc<64xi32, #m>
  %n = ttg.local_alloc init(%i : tensor<64xi32, #a>) {offset = 16 : i32} : !ttg.memdesc<64xi32, #m>
  ttg.barrier
  %w = ttg.local_load %m : !ttg.memdesc<64xi32, #m> -> tensor<64xi32, #a>
)",
                                     kToY}));
  EXPECT_TRUE(!outcome.error.empty() || outcome.y != upTo64());
}

// In which order a swizzled layout has its elements matters to nobody but the hardware.
TEST(SharedRaces, LayoutsOfMemory) {
  for (const char *layout :
       {"#ttg.shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [0, 1]}>",
        "#ttg.shared<{vec = 2, perPhase = 2, maxPhase = 2, order = [1, 0]}>",
        "#ttg.shared_linear<{offsets = [9, 18, 36, 1, 2, 4], shape = [8, 8]}>"}) {
    Outcome outcome = runThreads(join(
        {kLoadX, R"(
  %q = tt.reshape %v : tensor<64xi32, #a> -> tensor<8x8xi32, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>>
  %m = ttg.local_alloc init(%q : tensor<8x8xi32, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>>) : !ttg.memdesc<8x8xi32, )",
         layout, R"(>
  %l = ttg.local_load %m : !ttg.memdesc<8x8xi32, )",
         layout,
         R"(> -> tensor<8x8xi32, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>>
  %w = tt.reshape %l : tensor<8x8xi32, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>> -> tensor<64xi32, #a>
)",
         kToY}));
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.y, upTo64());
  }
}

TEST(SharedRaces, BufferThatDoesNotExist) {
  expectError(R"(
  %m = ttg.local_alloc : !ttg.memdesc<3x64xi32, #m, mutable>
  %c = arith.constant 3 : i32
  %b = ttg.memdesc_index %m[%c] : !ttg.memdesc<3x64xi32, #m, mutable> -> !ttg.memdesc<64xi32, #m, mutable>
)",
              "buffer 3 of 3 does not exist");
}

//===----------------------------------------------------------------------===//
// Copies that arrive late
//===----------------------------------------------------------------------===//

// What a thread has copied it may read behind its wait, others behind a barrier after that.
TEST(AsyncCopies, WaitAndBarrier) {
  expectLegal(join({kAlloc, kCopy, kWait, kLoadSame, kToY}), upTo64());
  expectLegal(join({kAlloc, kCopy, kWait, kBarrier, kLoadOther, kToYOther}), upTo64());
  expectError(join({kAlloc, kCopy, kWait, kLoadOther, kToYOther}),
              "is in no order with the async_copy_global_to_local by thread 1");
  expectError(join({kAlloc, kCopy, kBarrier, kWait, kLoadOther, kToYOther}),
              "is in no order with the async_copy_global_to_local by thread 1");
}

TEST(AsyncCopies, MissingWait) {
  expectError(join({kAlloc, kCopy, kBarrier, kLoadSame, kToY}),
              "local_load of element [0]: it is read while a copy to it, the "
              "async_copy_global_to_local at ");
  expectError(join({kAlloc, kCopy, kBarrier, kLoadSame, kToY}),
              "is on its way; an async_wait for its group must stand before, at ");
  expectError(join({kLoadX, kAlloc, kCopy, kStore}), "it is written while a copy to it");
  // Before barriers are placed, too.
  EXPECT_NE(runThreads(join({kAlloc, kCopy, kLoadSame, kToY}), false).error, "");
}

// A wait that leaves one group leaves the last one.
TEST(AsyncCopies, GroupsInOrder) {
  auto two = [&](const char *left, const char *read) {
    return join({R"(
  %m0 = ttg.local_alloc : !ttg.memdesc<2x64xi32, #m, mutable>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = ttg.memdesc_index %m0[%c0] : !ttg.memdesc<2x64xi32, #m, mutable> -> !ttg.memdesc<64xi32, #m, mutable>
  %b = ttg.memdesc_index %m0[%c1] : !ttg.memdesc<2x64xi32, #m, mutable> -> !ttg.memdesc<64xi32, #m, mutable>
  ttg.async_copy_global_to_local %xp, %a : tensor<64x!tt.ptr<i32>, #a> -> !ttg.memdesc<64xi32, #m, mutable>
  ttg.async_commit_group
  ttg.async_copy_global_to_local %xp, %b : tensor<64x!tt.ptr<i32>, #a> -> !ttg.memdesc<64xi32, #m, mutable>
  ttg.async_commit_group
  ttg.async_wait {num = )",
                 left, " : i32}\n%w = ttg.local_load ", read,
                 " : !ttg.memdesc<64xi32, #m, mutable> -> tensor<64xi32, #a>\n", kToY});
  };
  expectLegal(two("1", "%a"), upTo64());
  expectLegal(two("0", "%b"), upTo64());
  expectError(two("1", "%b"), "is on its way");
  expectError(two("2", "%a"), "is on its way");
}

// Memory is read when the copy arrives: a store before that is too early.
TEST(AsyncCopies, SourceIsStoredTo) {
  std::string store = "tt.store %xp, %i : tensor<64x!tt.ptr<i32>, #a>\n";
  expectError(join({kAlloc, kCopy, store, kWait, kLoadSame, kToY}),
              "element [0] of an asynchronous copy is stored to before the copy has arrived");
  expectLegal(join({kAlloc, kCopy, kWait, store, kLoadSame, kToY}), upTo64());
}

// The destination is written as soon as it may be: who reads it must have read it.
TEST(AsyncCopies, DestinationIsStillRead) {
  std::string before = join({kLoadX, kAlloc, kStore, kBarrier, kLoadOther});
  expectLegal(join({before, kBarrier, kCopy, kWait, kToYOther}), upTo64());
  expectError(join({before, kCopy, kWait, kToYOther}),
              "async_copy_global_to_local of element [1] by thread 1 is in no order with the "
              "local_load by thread 32");
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

TEST(GlobalRaces, StoreThenLoad) {
  std::string store = "tt.store %yp, %i : tensor<64x!tt.ptr<i32>, #a>\n";
  auto load = [](const char *p, const char *layout) {
    return std::string("%w = tt.load %") + p + " : tensor<64x!tt.ptr<i32>, " + layout + ">\n";
  };
  expectLegal(join({store, load("yp", "#a")}), upTo64());
  expectLegal(join({store, kBarrier, load("yr", "#r")}), upTo64());
  expectError(join({store, load("yr", "#r")}),
              "load of element [1] by thread 32 is in no order with the store by thread 1");
  std::string other = "%ir = ttg.convert_layout %i : tensor<64xi32, #a> -> tensor<64xi32, #r>\n"
                      "tt.store %yr, %ir : tensor<64x!tt.ptr<i32>, #r>\n";
  expectError(join({store, other}), "store of element [1] by thread 32");
  expectError(join({load("yr", "#r"), store}), "with the load by thread 32");
  EXPECT_EQ(runThreads(join({store, other}), false).error, "");
}

// Scalars: thread 0 stores, all load.
TEST(GlobalRaces, Scalars) {
  std::string body = "%c = arith.constant 7 : i32\ntt.store %y, %c : !tt.ptr<i32>\n",
              load =
                  "%t = tt.load %y : !tt.ptr<i32>\n%w = tt.splat %t : i32 -> tensor<64xi32, #a>\n";
  expectError(join({body, load, kBarrier, kToY}), "by several threads");
  expectLegal(join({body, kBarrier, load, kBarrier, kToY}), std::vector<int32_t>(64, 7));
}

// Of atomics of one kind whose results nobody uses the order does not matter.
TEST(GlobalRaces, Atomics) {
  auto atomic = [](const char *kind, const char *p, const char *layout, const char *v) {
    std::string tile = std::string("tensor<64x!tt.ptr<i32>, ") + layout + ">",
                value = std::string("tensor<64xi32, ") + layout + ">";
    return std::string("%") + v + "o = tt.atomic_rmw " + kind + ", relaxed, gpu, %" + p + ", %" +
           v + " : (" + tile + ", " + value + ") -> " + value + "\n";
  };
  std::string values = "%ir = ttg.convert_layout %i : tensor<64xi32, #a> -> tensor<64xi32, #r>\n";
  expectLegal(join({values, atomic("max", "yp", "#a", "i"), atomic("max", "yr", "#r", "ir")}),
              upTo64());
  expectError(join({values, atomic("max", "yp", "#a", "i"), atomic("min", "yr", "#r", "ir")}),
              "atomic_rmw of element [1] by thread 32");
  expectError(join({values, atomic("exch", "yp", "#a", "i"), atomic("exch", "yr", "#r", "ir")}),
              "atomic_rmw of element [1] by thread 32");
  expectError(
      join({atomic("max", "yp", "#a", "i"), "%w = tt.load %yr : tensor<64x!tt.ptr<i32>, #r>\n"}),
      "with the atomic_rmw by thread 1");
}

// What only one thread has goes through memory to the others.
TEST(GlobalRaces, ResultOfOne) {
  std::string atomic = R"(
  %one = arith.constant 1 : i32
  %o = tt.atomic_rmw add, relaxed, gpu, %x, %one {ttg.result_of_one} : (!tt.ptr<i32>, i32) -> i32
)";
  expectError(join({atomic, "%w = tt.splat %o : i32 -> tensor<64xi32, #a>\n", kToY}),
              "an operand of tt.splat is the result of an atomic that only one thread has");
  expectLegal(join({atomic, R"(
  %m = ttg.local_alloc init(%o : i32) : !ttg.memdesc<1xi32, #m>
  ttg.barrier
  %t = ttg.local_load %m : !ttg.memdesc<1xi32, #m> -> i32
  %w = tt.splat %t : i32 -> tensor<64xi32, #a>
)",
                    kToY}),
              std::vector<int32_t>(64, 1)); // of the second program
}

// Without layouts there are no threads.
TEST(GlobalRaces, NoLayouts) {
  std::vector<int32_t> x{1, 2};
  EXPECT_EQ(run("%x: !tt.ptr<i32>", R"(
  %c = arith.constant 7 : i32
  tt.store %x, %c : !tt.ptr<i32>
  %t = tt.load %x : !tt.ptr<i32>)",
                {pointer(x)}, {range(x)}),
            "");
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

// Warp w holds half w of the 64 elements; in #r those that are w modulo 2.
TEST(WarpReduce, HalvesAndParities) {
  auto reduce = [](const char *layout) {
    return std::string("%u = ttg.convert_layout %i : tensor<64xi32, #a> -> tensor<64xi32, ") +
           layout + R"(>
  %p = "ttg.warp_reduce"(%u) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.reduce.return %s : i32
  }) : (tensor<64xi32, )" +
           layout + R"(>) -> tensor<2xi32, #a>
  %two = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32, #a>
  %q = tt.splat %y : !tt.ptr<i32> -> tensor<2x!tt.ptr<i32>, #a>
  %qp = tt.addptr %q, %two : tensor<2x!tt.ptr<i32>, #a>, tensor<2xi32, #a>
  tt.store %qp, %p : tensor<2x!tt.ptr<i32>, #a>
)";
  };
  std::vector<int32_t> y(64, -1);
  y[0] = 31 * 32 / 2, y[1] = 63 * 64 / 2 - y[0];
  expectLegal(reduce("#a"), y);
  y[0] = 31 * 32, y[1] = 31 * 32 + 32;
  expectLegal(reduce("#r"), y);
  expectError(reduce("#all"), "must be 1, found 2");
}

// Each warp scans its half, and the second half takes what the first comes to, in reverse the other
// way round.
TEST(WarpScan, Halves) {
  auto scan = [](const char *layout, int part, const char *reverse) {
    std::string parts = std::to_string(64 / part), region = R"(
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.scan.return %c : i32
  }) : )",
                own = "tensor<64xi32, " + std::string(layout) + ">",
                totals = "tensor<" + parts + "xi32, #all>",
                where = " <{axis = 0 : i32, part = " + std::to_string(part) + " : i32" + reverse +
                        "}> ({";
    return "%u = ttg.convert_layout %i : tensor<64xi32, #a> -> " + own +
           "\n%s, %t = \"ttg.warp_scan\"(%u)" + where + region + "(" + own + ") -> (" + own + ", " +
           totals + ")\n%p = \"tt.scan\"(%t) <{axis = 0 : i32" + reverse + "}> ({" + region + "(" +
           totals + ") -> " + totals + "\n%z = \"ttg.join_scans\"(%s, %p)" + where + region + "(" +
           own + ", " + totals + ") -> " + own + "\n%w = ttg.convert_layout %z : " + own +
           " -> tensor<64xi32, #a>\n" + kToY;
  };
  std::vector<int32_t> sums(64), reversed(64);
  for (int i = 0; i < 64; ++i) {
    sums[i] = i * (i + 1) / 2;
    reversed[i] = 63 * 64 / 2 - i * (i - 1) / 2;
  }
  expectLegal(scan("#a", 32, ""), sums);
  expectLegal(scan("#a", 32, ", reverse"), reversed);
  expectError(scan("#a", 16, ""), "of parts that do not lie in one warp each");
  expectError(scan("#r", 32, ""), "of parts that do not lie in one warp each");
}
