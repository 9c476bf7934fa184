//===- GroupedDotTest.cpp - products of several k at once, by running them -===//

#include "Assembly.h"
#include "JitHarness.h"

#include "tritium/Conversion/TileToCPU/MicroKernel.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace mlir;
using namespace tritium::cpu;

namespace {

template <typename T> Type elementType(OpBuilder &b) {
  return std::is_same_v<T, float> ? Type(b.getF32Type()) : b.getI32Type();
}

int64_t roundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

template <typename T> struct Buffer {
  explicit Buffer(size_t count) : count(count) {
    data = static_cast<T *>(std::aligned_alloc(64, roundUp(count * sizeof(T), 64)));
  }
  ~Buffer() { std::free(data); }
  T *data;
  size_t count;
};

float toFloat(uint16_t bf16) {
  uint32_t bits = uint32_t(bf16) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

//===----------------------------------------------------------------------===//
// AMX, in C++
//===----------------------------------------------------------------------===//

struct Tile {
  uint8_t bytes[16][64];
  int rows = 16, rowBytes = 64; ///< as configured
};
Tile tiles[8];
bool isConfigured = false;

/// A program uses all tile registers, and leaves them released.
void configure(const uint8_t *content) {
  ASSERT_EQ(content[0], 1);
  for (int number = 0; number < 8; ++number) {
    Tile &tile = tiles[number];
    tile.rowBytes = content[16 + 2 * number] + 256 * content[17 + 2 * number];
    tile.rows = content[48 + number];
    ASSERT_TRUE(tile.rowBytes > 0 && tile.rowBytes <= 64 && tile.rows > 0 && tile.rows <= 16);
    std::memset(tile.bytes, 0xcc, sizeof tile.bytes);
  }
  ASSERT_FALSE(isConfigured);
  isConfigured = true;
}

void release() { isConfigured = false; }

void clear(int64_t number) {
  ASSERT_TRUE(isConfigured);
  std::memset(tiles[number].bytes, 0, sizeof tiles[number].bytes);
}

void loadTile(int64_t number, const uint8_t *from, int64_t stride) {
  ASSERT_TRUE(isConfigured);
  for (int row = 0; row < tiles[number].rows; ++row)
    std::memcpy(tiles[number].bytes[row], from + row * stride, tiles[number].rowBytes);
}

void storeTile(int64_t number, uint8_t *to, int64_t stride) {
  ASSERT_TRUE(isConfigured);
  for (int row = 0; row < tiles[number].rows; ++row)
    std::memcpy(to + row * stride, tiles[number].bytes[row], tiles[number].rowBytes);
}

/// sums[i][j] += the products of row i of a, in groups of four bytes, and group j of row k of b.
template <typename Operand, typename Sum> void multiply(int64_t sums, int64_t a, int64_t b) {
  ASSERT_TRUE(isConfigured);
  constexpr int group = 4 / sizeof(Operand);
  ASSERT_EQ(tiles[a].rowBytes, 4 * tiles[b].rows);
  ASSERT_TRUE(tiles[a].rows == 16 && tiles[sums].rows == 16 && tiles[b].rowBytes == 64);
  auto at = [](int64_t number, int row, int column) {
    Operand value;
    std::memcpy(&value, tiles[number].bytes[row] + column * sizeof(Operand), sizeof(Operand));
    if constexpr (sizeof(Operand) == 2)
      return toFloat(value);
    else
      return Sum(value);
  };
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      Sum sum;
      std::memcpy(&sum, tiles[sums].bytes[i] + 4 * j, 4);
      for (int k = 0; k < tiles[b].rows * group; ++k)
        sum += at(a, i, k) * at(b, k / group, j * group + k % group);
      std::memcpy(tiles[sums].bytes[i] + 4 * j, &sum, 4);
    }
}

/// What takes the place of an intrinsic; null for one that stays.
void *emulated(StringRef name) {
  return llvm::StringSwitch<void *>(name)
      .Case("llvm.x86.ldtilecfg", reinterpret_cast<void *>(configure))
      .Case("llvm.x86.tilerelease", reinterpret_cast<void *>(release))
      .Case("llvm.x86.tilezero", reinterpret_cast<void *>(clear))
      .Case("llvm.x86.tileloadd64", reinterpret_cast<void *>(loadTile))
      .Case("llvm.x86.tilestored64", reinterpret_cast<void *>(storeTile))
      .Case("llvm.x86.tdpbf16ps", reinterpret_cast<void *>(multiply<uint16_t, float>))
      .Case("llvm.x86.tdpbssd", reinterpret_cast<void *>(multiply<int8_t, uint32_t>))
      .Case("llvm.x86.tdpbuud", reinterpret_cast<void *>(multiply<uint8_t, uint32_t>))
      .Default(nullptr);
}

/// Puts calls in the place of AMX in the function that is emitted.
void callEmulated(OpBuilder &builder) {
  SmallVector<LLVM::CallIntrinsicOp> found;
  Operation *function = builder.getInsertionBlock()->getParentOp();
  function->walk([&](LLVM::CallIntrinsicOp op) {
    if (emulated(op.getIntrin()))
      found.push_back(op);
  });
  for (LLVM::CallIntrinsicOp op : found) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value address = b.create<arith::ConstantIntOp>(
        loc, reinterpret_cast<int64_t>(emulated(op.getIntrin())), 64);
    SmallVector<Value> operands{b.create<LLVM::IntToPtrOp>(loc, pointer, address)};
    SmallVector<Type> types;
    for (Value operand : op.getArgs()) {
      if (operand.getType().isInteger(8))
        operand = b.create<arith::ExtUIOp>(loc, b.getI64Type(), operand);
      operands.push_back(operand);
      types.push_back(operand.getType());
    }
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types);
    b.create<LLVM::CallOp>(loc, type, operands);
    op.erase();
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// What a form multiplies, and how its operands are laid out.
template <typename Operand, typename Sum> struct GroupedDot {
  DotForm form;
  bool onTiles;
  int64_t m, n, k, group = groupOf(form), groups = (k + group - 1) / group;
  int64_t aStride = k + 3, cStride = roundUp(n, 16);
  Buffer<Operand> a{size_t(m * aStride)}, b{size_t(k * n)};
  Buffer<Operand> packed{size_t((groups + 1) * (cStride + 16) * group)};
  Buffer<Sum> c{size_t(m * cStride)};
  int64_t panel = 0; ///< lanes of a panel that b is packed in; 0: there are none

  GroupedDot(DotForm form, bool onTiles, int64_t m, int64_t n, int64_t k)
      : form(form), onTiles(onTiles), m(m), n(n), k(k) {}

  void packInPanels(const JitHarness &jit) {
    panel = panelLanes(jit.target(), form, jit.target().vectorBits / 32, n);
  }

  int64_t laneOfPacked(int64_t row, int64_t j) const {
    return panel ? (j / panel * (groups + 1) + row) * panel + j % panel : row * cStride + j;
  }

  void pack() {
    std::fill_n(packed.data, packed.count, Operand(0));
    for (int64_t kk = 0; kk < k; ++kk)
      for (int64_t j = 0; j < n; ++j)
        packed.data[laneOfPacked(kk / group, j) * group + kk % group] = b.data[kk * n + j];
  }

  void run(JitHarness &jit, bool fromZero, bool anyRows) {
    auto dot = reinterpret_cast<void (*)(Operand *, Operand *, Sum *)>(
        jit.compile(3, [&](OpBuilder &builder, Location loc, ArrayRef<Value> args) {
          Value bytes;
          if (anyRows)
            bytes =
                builder.create<arith::ConstantIntOp>(loc, int64_t(aStride * sizeof(Operand)), 64);
          PackedMatrix left{args[0], aStride, bytes};
          PackedMatrix right{args[1], panel ? panel : cStride, {}, panel ? groups + 1 : 0};
          PackedMatrix acc{args[2], cStride, {}};
          if (onTiles)
            emitTileDot(builder, loc, form, m, n, k, left, right, acc, fromZero);
          else
            emitDot(builder, loc, jit.target(), elementType<Sum>(builder), m, n, k, left, right,
                    acc, fromZero, {}, form);
          callEmulated(builder);
        }));
    dot(a.data, packed.data, c.data);
  }
};

/// Words that hold bytes of either kind.
void checkWordDot(JitHarness &jit, int64_t m, int64_t n, int64_t k, bool variant, bool inPanels) {
  GroupedDot<int16_t, int32_t> dot(DotForm::WordPairs, /*onTiles=*/false, m, n, k);
  std::mt19937 random(m * 10007 + n * 101 + k);
  for (Buffer<int16_t> *buffer : {&dot.a, &dot.b})
    std::generate_n(buffer->data, buffer->count, [&] { return int16_t(random() % 384) - 128; });
  if (inPanels)
    dot.packInPanels(jit);
  dot.pack();
  std::generate_n(dot.c.data, dot.c.count, [&] { return int32_t(random()); });
  std::vector<uint32_t> expected(dot.c.data, dot.c.data + dot.c.count);
  if (variant)
    std::fill(expected.begin(), expected.end(), 0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t kk = 0; kk < k; ++kk)
      for (int64_t j = 0; j < n; ++j)
        expected[i * dot.cStride + j] += dot.a.data[i * dot.aStride + kk] * dot.b.data[kk * n + j];
  dot.run(jit, variant, !variant);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      ASSERT_EQ(uint32_t(dot.c.data[i * dot.cStride + j]), expected[i * dot.cStride + j])
          << jit.target().cpu << " " << m << "x" << n << "x" << k << " at " << i << "," << j;
}

/// All bytes there are, and sums that wrap.
template <typename Byte>
void checkByteDot(JitHarness &jit, bool onTiles, int64_t m, int64_t n, int64_t k, bool variant,
                  bool inPanels) {
  GroupedDot<Byte, int32_t> dot(
      std::is_signed_v<Byte> ? DotForm::SignedQuads : DotForm::UnsignedQuads, onTiles, m, n, k);
  std::mt19937 random(m * 10007 + n * 101 + k);
  for (Buffer<Byte> *buffer : {&dot.a, &dot.b})
    std::generate_n(buffer->data, buffer->count, [&] { return Byte(random()); });
  if (inPanels)
    dot.packInPanels(jit);
  dot.pack();
  auto *start = reinterpret_cast<int32_t *>(dot.packed.data);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t kk = 0; kk < k; ++kk)
      start[dot.laneOfPacked(dot.groups, j)] +=
          (std::is_signed_v<Byte> ? -128 : 128) * dot.b.data[kk * n + j];
  std::generate_n(dot.c.data, dot.c.count, [&] { return int32_t(random()); });
  std::vector<uint32_t> expected(dot.c.data, dot.c.data + dot.c.count);
  if (variant)
    std::fill(expected.begin(), expected.end(), 0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t kk = 0; kk < k; ++kk)
      for (int64_t j = 0; j < n; ++j)
        expected[i * dot.cStride + j] += dot.a.data[i * dot.aStride + kk] * dot.b.data[kk * n + j];
  dot.run(jit, variant, !variant);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      ASSERT_EQ(uint32_t(dot.c.data[i * dot.cStride + j]), expected[i * dot.cStride + j])
          << m << "x" << n << "x" << k << " at " << i << "," << j;
}

float flushed(float value) {
  return std::abs(value) < 0x1p-126f ? std::copysign(0.f, value) : value;
}

/// VDPBF16PS, bit by bit: of each pair the second product is added first, each with one rounding;
/// what is below 2^-126 is zero, going in and coming out.
void checkBF16Dot(JitHarness &jit, int64_t m, int64_t n, int64_t k, bool variant, bool inPanels) {
  GroupedDot<uint16_t, float> dot(DotForm::BF16Pairs, /*onTiles=*/false, m, n, k);
  std::mt19937 random(m * 10007 + n * 101 + k);
  // Exponents around 2^-63, so that products are around the least number that is not flushed.
  for (Buffer<uint16_t> *buffer : {&dot.a, &dot.b})
    std::generate_n(buffer->data, buffer->count, [&] {
      unsigned bits = random();
      return uint16_t((bits & 0x807f) | (bits % 8 ? 64 - 6 + (bits >> 16) % 12 : 0) << 7);
    });
  if (inPanels)
    dot.packInPanels(jit);
  dot.pack();
  std::generate_n(dot.c.data, dot.c.count, [&] { return std::ldexp(int(random() % 99), -130); });
  std::vector<float> expected(dot.c.data, dot.c.data + dot.c.count);
  if (variant)
    std::fill(expected.begin(), expected.end(), 0.f);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float &sum = expected[i * dot.cStride + j];
      for (int64_t kk = 0; kk < k; kk += 2)
        for (int64_t at : {kk + 1, kk}) {
          float x = at < k ? toFloat(dot.a.data[i * dot.aStride + at]) : 0;
          float y = at < k ? toFloat(dot.b.data[at * n + j]) : 0;
          sum = flushed(std::fma(flushed(x), flushed(y), flushed(sum)));
        }
    }
  dot.run(jit, variant, !variant);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      ASSERT_EQ(dot.c.data[i * dot.cStride + j], expected[i * dot.cStride + j])
          << m << "x" << n << "x" << k << " at " << i << "," << j;
}

/// Sums from memory or from zero with an `a` of either kind, b in one piece or in panels.
constexpr std::pair<bool, bool> kVariants[] = {{false, false}, {true, false}, {false, true}};

class GroupedDots : public testing::TestWithParam<const char *> {};

TEST_P(GroupedDots, EdgeShapes) {
  JitHarness jit(GetParam());
  if (!jit.canRun() || !jit.target().isX86)
    GTEST_SKIP();
  const int64_t shapes[][3] = {{1, 1, 1},    {1, 64, 7},  {2, 3, 5},   {3, 17, 4},
                               {7, 33, 8},   {8, 32, 2},  {9, 47, 9},  {13, 100, 3},
                               {16, 16, 16}, {17, 1, 31}, {64, 64, 6}, {65, 80, 13}};
  for (auto [m, n, k] : shapes)
    for (auto [variant, inPanels] : kVariants) {
      checkWordDot(jit, m, n, k, variant, inPanels);
      if (jit.target().hasByteDot) {
        checkByteDot<int8_t>(jit, false, m, n, k, variant, inPanels);
        checkByteDot<uint8_t>(jit, false, m, n, k, variant, inPanels);
      }
      if (jit.target().hasBF16Dot)
        checkBF16Dot(jit, m, n, k, variant, inPanels);
    }
}

INSTANTIATE_TEST_SUITE_P(Cpu, GroupedDots, testing::Values("native", "haswell", "x86-64"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Beside the products there is at most one other instruction for each, also where bytes change
/// their signs.
TEST(GroupedDot, InnerLoop) {
  struct Case {
    const char *cpu, *name;
    DotForm form;
  };
  const Case cases[] = {{"znver4", "vdpbf16ps", DotForm::BF16Pairs},
                        {"znver4", "vpdpbusd", DotForm::SignedQuads},
                        {"cascadelake", "vpdpbusd", DotForm::UnsignedQuads},
                        {"neoverse-v1", "bfmmla", DotForm::BF16Blocks},
                        {"neoverse-v1", "smmla", DotForm::SignedBlocks}};
  for (const Case &each : cases) {
    SCOPED_TRACE(testing::Message() << each.cpu << " " << each.name);
    JitHarness jit(each.cpu);
    auto emit = [&](OpBuilder &b, Location loc, ArrayRef<Value> args) {
      Type sum = takesBF16(each.form) ? Type(b.getF32Type()) : b.getI32Type();
      emitDot(b, loc, jit.target(), sum, 64, 64, 64, {args[0], 64, {}},
              {args[1], 64 * rowsOf(each.form), {}}, {args[2], 64, {}}, false, {}, each.form);
    };
    std::vector<std::string> block = blockWithMost(jit.assemble(3, emit), each.name);
    size_t products = countOf(block, each.name);
    EXPECT_GE(products, 8u);
    EXPECT_LE(block.size(), 2 * products + 4);
    EXPECT_EQ(countOf(block, jit.target().isX86 ? "%rsp" : "[sp"), 0u);
  }
}

/// Whole numbers, for AMX adds in an order of its own.
void checkBF16Tiles(JitHarness &jit, int64_t m, int64_t n, int64_t k, bool variant, bool inPanels) {
  GroupedDot<uint16_t, float> dot(DotForm::BF16Pairs, /*onTiles=*/true, m, n, k);
  std::mt19937 random(m * 10007 + n * 101 + k);
  for (Buffer<uint16_t> *buffer : {&dot.a, &dot.b})
    std::generate_n(buffer->data, buffer->count, [&] {
      float value = int(random() % 17) - 8;
      uint32_t bits;
      std::memcpy(&bits, &value, 4);
      return uint16_t(bits >> 16);
    });
  if (inPanels)
    dot.packInPanels(jit);
  dot.pack();
  std::generate_n(dot.c.data, dot.c.count, [&] { return int(random() % 99); });
  std::vector<float> expected(dot.c.data, dot.c.data + dot.c.count);
  if (variant)
    std::fill(expected.begin(), expected.end(), 0.f);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t kk = 0; kk < k; ++kk)
        expected[i * dot.cStride + j] +=
            toFloat(dot.a.data[i * dot.aStride + kk]) * toFloat(dot.b.data[kk * n + j]);
  dot.run(jit, variant, !variant);
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(dot.c.data[i], expected[i]) << m << "x" << n << "x" << k << " at " << i;
}

/// AMX itself need not be there.
TEST(TileDot, Shapes) {
  JitHarness jit("native");
  if (!jit.target().isX86)
    GTEST_SKIP();
  const int64_t shapes[][3] = {{32, 32, 64}, {16, 128, 64},  {128, 16, 64}, {48, 80, 128},
                               {64, 64, 64}, {112, 48, 192}, {96, 32, 64},  {48, 80, 80},
                               {64, 48, 20}, {32, 64, 108}};
  for (auto [m, n, k] : shapes) {
    ASSERT_TRUE(fitsTiles(DotForm::SignedQuads, m, n, k));
    for (auto [variant, inPanels] : kVariants) {
      checkByteDot<int8_t>(jit, true, m, n, k, variant, inPanels);
      checkByteDot<uint8_t>(jit, true, m, n, k, variant, inPanels);
      checkBF16Tiles(jit, m, n, k, variant, inPanels);
      checkBF16Tiles(jit, m, n, k + 32, variant, inPanels);
    }
  }
  for (auto [m, n, k] : {std::array<int64_t, 3>{64, 64, 98}, {60, 64, 64}, {64, 40, 64}})
    EXPECT_FALSE(fitsTiles(DotForm::SignedQuads, m, n, k));
  EXPECT_FALSE(fitsTiles(DotForm::HalfParts, 64, 64, 80));
}

/// Four loads for four products, and one configuration for all of them.
TEST(TileDot, InnerLoop) {
  JitHarness jit("sapphirerapids");
  auto emit = [&](OpBuilder &b, Location loc, ArrayRef<Value> args) {
    emitTileDot(b, loc, DotForm::BF16Pairs, 64, 64, 128, {args[0], 128, {}}, {args[1], 64, {}},
                {args[2], 64, {}}, true);
  };
  std::string text = jit.assemble(3, emit);
  std::vector<std::string> block = blockWithMost(text, "tdpbf16ps");
  EXPECT_EQ(countOf(block, "tdpbf16ps"), 4u);
  EXPECT_EQ(countOf(block, "tileloadd"), 4u);
  EXPECT_EQ(countOf(block, "%rsp"), 0u);
  EXPECT_NE(text.find("ldtilecfg"), std::string::npos);
  EXPECT_LT(text.find("ldtilecfg"), text.find("tilezero"));
  EXPECT_LT(text.rfind("tilestored"), text.find("tilerelease"));
}

} // namespace
