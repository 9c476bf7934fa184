//===- CHeaderTest.cpp - C headers of code compiled ahead -----------------===//
//
// What a header's check says of a launch is compared with what our own launcher would.
//
//===----------------------------------------------------------------------===//

#include "ahead/CHeader.h"

#include "tritium/Kernel/LaunchABI.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <unistd.h>

using namespace tritium;
using namespace tritium::runtime;

namespace {

ParameterInfo parameter(const char *name, const char *type, bool isWritten = false) {
  ParameterInfo made;
  made.name = name;
  made.type = *DType::parse(type);
  made.isWritten = isWritten;
  return made;
}

KernelMetadata kernel(std::string name, std::vector<ParameterInfo> parameters,
                      const Target &target = {}) {
  KernelMetadata metadata;
  metadata.name = name;
  metadata.entry = name + "_entry";
  metadata.target = target;
  metadata.parameters = std::move(parameters);
  metadata.numWarps = 4;
  return metadata;
}

std::string headerOf(const KernelMetadata &metadata, bool mayAlias = true) {
  CompileOptions options;
  options.mayAlias = mayAlias;
  return cHeader(metadata, options);
}

/// What the C program prints, compiled without a warning; "failed" if it is not.
std::string runC(const std::string &program, const char *flags = "") {
  namespace fs = std::filesystem;
  const char *test = testing::UnitTest::GetInstance()->current_test_info()->name();
  fs::path folder = fs::temp_directory_path() /
                    ("tritium-" + std::string(test) + "-" + std::to_string(::getpid()));
  fs::create_directory(folder);
  auto path = [&](const char *name) { return (folder / name).string(); };
  std::ofstream(path("main.c")) << program;
  std::string compile = std::string("cc -std=c99 -pedantic -Wall -Wextra -Werror ") + flags +
                        " -o " + path("main") + " " + path("main.c") + " > " + path("log") +
                        " 2>&1 && " + path("main") + " > " + path("out");
  bool isGood = std::system(compile.c_str()) == 0;
  std::ifstream in(path(isGood ? "out" : "log"));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(isGood) << text;
  fs::remove_all(folder);
  return isGood ? text : "failed";
}

using Random = std::mt19937_64;
using Step = ScalarStep;

int64_t interesting(Random &random) {
  static const int64_t edges[] = {127, 128, 32767, INT32_MAX, 1u << 31, INT64_MAX, INT64_MAX / 2};
  int64_t value = random() % 3 ? int64_t(random() % 20) : edges[random() % std::size(edges)];
  return random() % 3 ? value : -value - 1;
}

/// A list that leaves one scalar, of three arguments of 32, 64 and 32 bits.
LaunchCondition randomScalar(Random &random) {
  LaunchCondition steps;
  static const uint8_t widths[] = {8, 32, 32, 64, 64, 64};
  size_t depth = 0;
  while (steps.size() < 4 || depth != 1) {
    uint8_t bits = widths[random() % std::size(widths)];
    bool isLeaf = depth < 2 || (depth < 6 && steps.size() < 10 && random() % 2);
    if (isLeaf) {
      switch (random() % 5) {
      case 0:
        steps.push_back({Step::Constant, 64, interesting(random)});
        break;
      case 1: {
        int64_t number = int64_t(random() % 3);
        steps.push_back({Step::Argument, uint8_t(number == 1 ? 64 : 32), number});
        break;
      }
      case 2:
        steps.push_back({Step::NumPrograms, 64, int64_t(random() % 3)});
        break;
      default:
        steps.push_back({Step::ProgramId, 32, int64_t(random() % 3)});
      }
      ++depth;
    } else if (depth >= 3 && random() % 6 == 0) {
      steps.push_back({Step::LoopIndex, bits, 0});
      depth -= 2;
    } else {
      steps.push_back({uint8_t(Step::Sum + random() % 7), bits, 0});
      --depth;
    }
  }
  return steps;
}

struct Launch {
  int64_t values[3];
  uint32_t grid[3];

  MaybeRange bounds(const LaunchCondition &scalar) const {
    uint64_t slots[3] = {uint64_t(values[0]), uint64_t(values[1]), uint64_t(values[2])};
    return boundsOf(scalar, slots, grid);
  }
};

/// Whether a scalar is at least 1 turns on its least bound, and of a number minus the scalar on
/// the greatest: around these of the launch.
std::vector<LaunchCondition> aroundBounds(const LaunchCondition &scalar, const Launch &launch) {
  std::vector<LaunchCondition> result{scalar};
  MaybeRange bounds = launch.bounds(scalar);
  for (int64_t more : {0, 1}) {
    if (bounds && bounds->low > INT64_MIN + 1) {
      LaunchCondition condition = scalar;
      condition.push_back({Step::Constant, 64, bounds->low - more});
      condition.push_back({Step::Difference, 64, 0});
      result.push_back(std::move(condition));
    }
    if (bounds && bounds->high < INT64_MAX - 1) {
      LaunchCondition condition{{Step::Constant, 64, bounds->high + more}};
      condition.insert(condition.end(), scalar.begin(), scalar.end());
      condition.push_back({Step::Difference, 64, 0});
      result.push_back(std::move(condition));
    }
  }
  return result;
}

TEST(CHeader, ScalarsAreBoundedAsInTheLauncher) {
  Random random(20);
  std::vector<Launch> launches(12);
  std::string table;
  for (Launch &launch : launches) {
    table += "  {";
    for (size_t i = 0; i < 3; ++i) {
      int64_t value = interesting(random);
      launch.values[i] = i == 1 ? value : int32_t(value);
      if (&launch == &launches[0] && i == 1)
        launch.values[i] = INT64_MIN;
      table += launch.values[i] == INT64_MIN
                   ? "INT64_MIN, "
                   : "INT64_C(" + std::to_string(launch.values[i]) + "), ";
    }
    for (uint32_t &extent : launch.grid) {
      extent = uint32_t(1 + random() % (random() % 3 ? 9 : 65535));
      table += std::to_string(extent) + ", ";
    }
    table += "},\n";
  }
  std::string program = "#include <stdio.h>\n", calls;
  std::vector<LaunchCondition> conditions;
  // What random lists hardly meet: sums that wrap to what is positive, remainders of less.
  std::vector<LaunchCondition> scalars = {
      {{Step::Argument, 64, 1}, {Step::Constant, 64, -5}, {Step::Sum, 64, 0}},
      {{Step::Argument, 64, 1}, {Step::Constant, 64, 5}, {Step::Difference, 64, 0}},
      {{Step::ProgramId, 32, 0},
       {Step::Constant, 64, 5},
       {Step::Sum, 64, 0},
       {Step::ProgramId, 32, 1},
       {Step::Constant, 64, 3},
       {Step::Sum, 64, 0},
       {Step::Remainder, 64, 0}}};
  while (scalars.size() < 120)
    scalars.push_back(randomScalar(random));
  for (size_t i = 0; i < scalars.size(); ++i)
    for (LaunchCondition &condition : aroundBounds(scalars[i], launches[i % launches.size()])) {
      std::string name = "k" + std::to_string(conditions.size());
      KernelMetadata metadata =
          kernel(name, {parameter("a", "i32"), parameter("b", "i64"), parameter("r0", "i32")},
                 Target(kCUDA, 80));
      metadata.conditions = {condition};
      program += headerOf(metadata);
      calls += "    printf(\"%d\\n\", " + name +
               "_check((int32_t)l[0], l[1], (int32_t)l[2], (uint32_t)l[3], (uint32_t)l[4], "
               "(uint32_t)l[5]));\n";
      conditions.push_back(std::move(condition));
    }
  std::string expected;
  size_t holding = 0, all = conditions.size() * launches.size();
  for (const Launch &launch : launches)
    for (const LaunchCondition &condition : conditions) {
      MaybeRange bounds = launch.bounds(condition);
      bool holds = bounds && bounds->low >= 1;
      holding += holds;
      expected += holds ? "0\n" : "3\n";
    }
  program += "static const int64_t launches[][6] = {\n" + table + "};\nint main(void) {\n" +
             "  for (size_t i = 0; i < sizeof launches / sizeof launches[0]; ++i) {\n"
             "    const int64_t *l = launches[i];\n" +
             calls + "  }\n  return 0;\n}\n";
  EXPECT_EQ(runC(program), expected);
  EXPECT_GT(holding, all / 10);
  EXPECT_LT(holding, all * 9 / 10);
}

TEST(CHeader, RulesAndTheirTexts) {
  KernelMetadata metadata = kernel("scale",
                                   {parameter("x", "*fp32", true), parameter("int", "*fp16"),
                                    parameter("n", "i32"), parameter("y.0", "*i64")},
                                   Target(kCUDA, 90));
  metadata.parameters[0].divisibility = 16;
  metadata.parameters[2].divisibility = 12;
  metadata.numCtas = 2;
  metadata.conditions = {{{Step::Argument, 32, 2},
                          {Step::ProgramId, 32, 0},
                          {Step::Constant, 32, 4},
                          {Step::Quotient, 32, 0},
                          {Step::Difference, 32, 0},
                          {Step::Constant, 32, 8},
                          {Step::Minimum, 32, 0}},
                         // program_id(0) * 1000 + [0, 8) in 32 bits
                         {{Step::ProgramId, 32, 0},
                          {Step::Constant, 32, 1000},
                          {Step::Product, 32, 0},
                          {Step::Constant, 64, 0},
                          {Step::Constant, 64, 8},
                          {Step::Constant, 64, 1},
                          {Step::LoopIndex, 64, 0},
                          {Step::Sum, 32, 0},
                          {Step::Constant, 64, 1},
                          {Step::Maximum, 64, 0}}};
  std::vector<std::string> texts;
  for (const LaunchRule &rule : launchRules(metadata, /*mayAlias=*/false))
    texts.push_back(rule.text);
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "each dimension of the grid is at least 1",
                       "the grid is at most (1073741823, 65535, 65535)",
                       "16 divides the address x",
                       "12 divides n",
                       "min(n - (program_id(0) / 4), 8) is at least 1 in every program",
                       "(program_id(0) * 1000) + range(0, 8) does not wrap in any program",
                       "the memory of x and of int does not overlap",
                       "the memory of x and of y.0 does not overlap",
                   }));
  std::string program = "#include <stdio.h>\n" + headerOf(metadata, /*mayAlias=*/false) + R"(
static int check(uint64_t x, size_t xs, uint64_t y, size_t ys, int32_t n, uint64_t z, size_t zs,
                 uint32_t gx, uint32_t gy, uint32_t gz) {
  return scale_check(x, xs, y, ys, n, z, zs, gx, gy, gz);
}
int main(void) {
  const uint64_t x = 1 << 20, y = 2 << 20, z = 3 << 20;
  printf("%d", check(x, 400, y, 200, 24, z, 8, 10, 1, 1));
  printf("%d", check(x, 400, y, 200, 24, z, 8, 0, 1, 1));
  printf("%d", check(x, 400, y, 200, 24, z, 8, 10, 1, 0));
  printf("%d", check(x, 400, y, 200, 24, z, 8, 1073741824, 1, 1));
  printf("%d", check(x, 400, y, 200, 24, z, 8, 10, 65536, 1));
  printf("%d", check(x + 8, 400, y, 200, 24, z, 8, 10, 1, 1));
  printf("%d", check(x, 400, y + 1, 200, 24, z, 8, 10, 1, 1));
  printf("%d", check(x, 400, y, 200, 25, z, 8, 10, 1, 1));
  printf("%d", check(x, 400, y, 200, -12, z, 8, 10, 1, 1));
  printf("%d", check(x, 400, y, 200, 24, z, 8, 96, 1, 1));
  printf("%d", check(x, 400, y, 200, 24, z, 8, 97, 1, 1));
  printf("%d", check(x, 400, y, 200, 2147483640, z, 8, 2147485, 1, 1));
  printf("%d", check(x, 400, y, 200, 2147483640, z, 8, 2147484, 1, 1));
  printf("%d", check(x, 400, x + 399, 200, 24, z, 8, 10, 1, 1));
  printf("%d", check(x, 400, x + 400, 200, 24, z, 8, 10, 1, 1));
  printf("%d", check(x, 400, x - 199, 200, 24, z, 8, 10, 1, 1));
  printf("%d", check(x, 400, x - 200, 200, 24, z, 8, 10, 1, 1));
  printf("%d", check(x, 400, x, 0, 24, z, 8, 10, 1, 1));
  printf("%d", check(x, 0, x, 200, 24, z, 8, 10, 1, 1));
  printf("%d", check(x, 400, y, SIZE_MAX, 24, z, 8, 10, 1, 1));
  printf("%d", check(x, SIZE_MAX, y, 0, 24, z, 8, 10, 1, 1));
  printf("%d", check(x, 400, y, 200, 24, x, 8, 10, 1, 1));
  printf("%d\n", check(x, 400, y, 200, 24, y, 8, 10, 1, 1)); /* both are only read */
  printf("%s|%s|%s\n", scale_rule(0), scale_rule(scale_rules), scale_rule(scale_rules + 1));
  printf("%s %s %d %d %d %d\n", scale_symbol, scale_target, scale_threads, scale_num_warps,
         scale_num_ctas, scale_shared_bytes);
  return 0;
}
)";
  EXPECT_EQ(runC(program), "0"
                           "11"
                           "22"
                           "3"
                           "0"
                           "4"
                           "5"
                           "05"
                           "60"
                           "7"
                           "0"
                           "7"
                           "0"
                           "00"
                           "7"
                           "8"
                           "8"
                           "0\n"
                           "|the memory of x and of y.0 does not overlap|\n"
                           "scale_entry cuda:90 128 4 2 0\n");
}

/// The launch of a CPU's code, on an entry that is written here.
TEST(CHeader, LaunchGivesScratchAndArguments) {
  KernelMetadata metadata =
      kernel("k", {parameter("p", "*i64", true), parameter("s", "i8"), parameter("u", "u16"),
                   parameter("flag", "i1"), parameter("h", "fp16"), parameter("d", "fp64")});
  metadata.scratchBytes = 1000;
  std::string program = headerOf(metadata) + R"(
void k_entry(const uint64_t *slots, void *scratch, int64_t begin, int64_t end,
             const uint32_t *grid, const tritium_host_calls *host) {
  int64_t *p = (int64_t *)(uintptr_t)slots[0], i;
  const uint32_t pid[3] = {1, 2, 3};
  const int64_t shape[2] = {1, 2};
  const int8_t tile[2] = {-1, 7};
  float h;
  double d;
  memset(scratch, 1, 1000);
  memcpy(&h, &slots[4], 4);
  memcpy(&d, &slots[5], 8);
  p[0] = (int8_t)slots[1];
  p[1] = (uint16_t)slots[2];
  p[2] = slots[3] & 1;
  p[3] = (int64_t)(h * 4);
  p[4] = (int64_t)(d * 4);
  p[5] = (int64_t)((uintptr_t)scratch % 64);
  for (i = begin; i < end; ++i)
    ++p[6];
  p[7] = grid[0] * 100 + grid[1] * 10 + grid[2];
  host->print(host->user, "x", 0, 0, 8, tile, shape, 2, pid);
  if (p[0] == 5)
    host->assert_failed(host->user, "no", "f.py", 3, pid, -1, shape, 0, 0, 0);
  if (host->attention || host->attend)
    p[7] = -1;
  if (p[0] == 6 && host->wait && host->wait(host->user, "f.py", 4, 0, 0, 0, 64))
    return;
}
int main(void) {
  int64_t p[8] = {0};
  int i, status = k_launch(p, -3, 65535, 2, 1.5f, -2.25, 2, 3, 4);
  printf("%d:", status);
  for (i = 0; i < 8; ++i)
    printf(" %d", (int)p[i]);
  printf("\n");
  status = k_launch(p, 5, 0, 0, 0, 0, 1, 1, 1);
  printf("%d ", status);
  status = k_launch(p, 6, 0, 0, 0, 0, 1, 1, 1);
  printf("%d\n", status);
  printf("%d %d\n", k_launch(p, 1, 0, 0, 0, 0, 1, 1, 0), k_check(p, 1, 0, 0, 0, 0, 1u << 31, 1, 1));
  printf("%d %d\n", k_check(p, 1, 0, 0, 0, 0, 0x7fffffff, 0x7fffffff, 1),
         k_check(p, 1, 0, 0, 0, 0, 0x7fffffff, 0x7fffffff, 2));
  return 0;
}
)";
  EXPECT_EQ(runC(program, "-O2"), "pid (1, 2, 3) idx (0, 0) x: -1\npid (1, 2, 3) idx (0, 1) x: 7\n"
                                  "0: -3 65535 1 6 -9 0 24 234\n"
                                  "pid (1, 2, 3) idx (0, 0) x: -1\npid (1, 2, 3) idx (0, 1) x: 7\n"
                                  "-2 pid (1, 2, 3) idx (0, 0) x: -1\n"
                                  "pid (1, 2, 3) idx (0, 1) x: 7\n-3\n1 2\n0 2\n");
}

/// The struct of calls is the one that entries are compiled for.
TEST(CHeader, HostCallsAreThoseOfEntries) {
  std::string program = headerOf(kernel("k", {})) +
                        "void k_entry(const uint64_t *s, void *m, int64_t b, int64_t e, "
                        "const uint32_t *g, const tritium_host_calls *h) {\n"
                        "  (void)s, (void)m, (void)b, (void)e, (void)g, (void)h;\n}\n"
                        "int main(void) {\n  printf(\"%d\", (int)sizeof(tritium_host_calls));\n";
  std::string expected = std::to_string(sizeof(TritiumHostCalls));
  auto member = [&](const char *name, size_t offset) {
    program += std::string("  printf(\" %d\", (int)offsetof(tritium_host_calls, ") + name + "));\n";
    expected += " " + std::to_string(offset);
  };
  member("print", offsetof(TritiumHostCalls, print));
  member("assert_failed", offsetof(TritiumHostCalls, assertFailed));
  member("attention", offsetof(TritiumHostCalls, attention));
  member("attend", offsetof(TritiumHostCalls, attend));
  member("wait", offsetof(TritiumHostCalls, wait));
  EXPECT_EQ(runC(program + "  return 0;\n}\n"), expected);
}

/// A failed assertion says in C what it says elsewhere.
TEST(CHeader, FailedAssertions) {
  std::string program = headerOf(kernel("k", {parameter("p", "*i64", true)})) + R"(
void k_entry(const uint64_t *slots, void *scratch, int64_t begin, int64_t end,
             const uint32_t *grid, const tritium_host_calls *host) {
  (void)slots, (void)scratch, (void)begin, (void)end, (void)grid, (void)host;
}
int main(void) {
  static const uint32_t pid[3] = {4, 5, 6};
  static const int64_t shape[3] = {2, 3, 4};
  jmp_buf failed;
  if (!freopen("/dev/stdout", "w", stderr))
    return 1;
)";
  std::string expected;
  auto add = [&](int kind, std::vector<int64_t> shape, uint32_t element, uint64_t value) {
    AssertSite site{"m", "k.py", 3, kind, std::move(shape)};
    expected += "k.py:3: error: " + failureText(site, {{4, 5, 6}, element, value}) + "\n";
    program +=
        "  if (!setjmp(failed))\n    tritium_assert_failed(&failed, \"m\", \"k.py\", 3, pid, " +
        std::to_string(kind) + ", shape, " + std::to_string(site.shape.size()) + ", " +
        std::to_string(element) + ", " + std::to_string(value) + "u);\n";
  };
  add(AssertSite::NoValue, {}, 0, 0);
  add(AssertSite::Signed, {}, 0, uint64_t(-7));
  add(AssertSite::Unsigned, {2}, 1, uint64_t(-7));
  add(AssertSite::Float, {2, 3}, 4, std::bit_cast<uint64_t>(-1.5));
  add(AssertSite::Pointer, {2, 3, 4}, 23, 4096);
  EXPECT_EQ(runC(program + "  return 0;\n}\n"), expected);
}

} // namespace
