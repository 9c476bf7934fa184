//===- KernelTest.cpp - library functions, compiled and interpreted -------===//

#include "KernelTestUtil.h"

#include <cmath>
#include <limits>

using namespace tritium;
using namespace tritium::testing;

// The vectors of Random123's known-answer test for philox4x32-10.
TEST(Kernel, PhiloxKnownAnswers) {
  const uint32_t kVectors[][10] = {
      {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
      {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
      {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
       0x94fdcceb, 0x5001e420, 0x24126ea1}};
  for (const auto &v : kVectors) {
    std::vector<uint32_t> out(4);
    Launch()
        .array(out)
        .integer(int64_t(uint64_t(v[5]) << 32 | v[4]))
        .integer(v[0])
        .integer(v[1])
        .integer(v[2])
        .integer(v[3])
        .run(R"(
@triton.jit
def kernel(out, seed, c0, c1, c2, c3):
    a, b, c, d = tl.philox(seed, c0, c1, c2, c3)
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    tl.store(out + 3, d)
)",
             {"*u32", "i64", "u32", "u32", "u32", "u32"});
    EXPECT_EQ(out, std::vector<uint32_t>(v + 6, v + 10));
  }
}

// Random123's vectors for philox4x64-10, whose key here has no second half.
TEST(Kernel, Philox64KnownAnswer) {
  std::vector<uint64_t> out(4);
  Launch().array(out).integer(0).run(R"(
@triton.jit
def kernel(out, seed):
    zero = tl.full((), 0, tl.uint64)
    a, b, c, d = tl.philox(seed, zero, zero, zero, zero)
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    tl.store(out + 3, d)
)",
                                     {"*u64", "i64"});
  EXPECT_EQ(out, (std::vector<uint64_t>{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b,
                                        0x7e68b68aec7ba23b}));
}

namespace {
/// The first word of philox4x32-10 with the counter (low, high, 0, 0).
uint32_t philoxFirst(uint64_t seed, uint64_t counter) {
  uint32_t c[4] = {uint32_t(counter), uint32_t(counter >> 32), 0, 0};
  uint32_t k[2] = {uint32_t(seed), uint32_t(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(0xD2511F53) * c[0], b = uint64_t(0xCD9E8D57) * c[2];
    uint32_t next[4] = {uint32_t(b >> 32) ^ c[1] ^ k[0], uint32_t(b),
                        uint32_t(a >> 32) ^ c[3] ^ k[1], uint32_t(a)};
    std::memcpy(c, next, sizeof c);
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c[0];
}
} // namespace

TEST(Kernel, RandomNumbers) {
  std::vector<uint32_t> ints(100);
  std::vector<float> uniform(100), normal(100);
  Launch().array(ints).array(uniform).array(normal).integer(-7).run(
      R"(
@triton.jit
def kernel(ints, uniform, normal, seed):
    i = tl.arange(0, 100)
    tl.store(ints + i, tl.randint(seed, i))
    tl.store(uniform + i, tl.rand(seed, i))
    tl.store(normal + i, tl.randn(seed, i))
)",
      {"*u32", "*fp32", "*fp32", "i32"});
  for (uint32_t i = 0; i < 100; ++i) {
    uint32_t expected = philoxFirst(uint64_t(int64_t(-7)), i);
    EXPECT_EQ(ints[i], expected) << i;
    int32_t folded = int32_t(expected) < 0 ? ~int32_t(expected) : int32_t(expected);
    EXPECT_EQ(uniform[i], float(folded) * 4.6566127342e-10f) << i;
    EXPECT_TRUE(std::isfinite(normal[i]));
  }
}

TEST(Kernel, RandomWithWideOffsetsAndConstants) {
  std::vector<uint32_t> ints(4);
  Launch().array(ints).run(R"(
@triton.jit
def kernel(ints):
    i = tl.arange(0, 2).to(tl.int64) + (5 << 32)
    tl.store(ints + tl.arange(0, 2), tl.randint(1234567890123, i))
    tl.store(ints + 2, tl.randint(0, 3))
    a, b, c, d = tl.randint4x(0, 3)
    tl.store(ints + 3, a)
)",
                           {"*u32"});
  EXPECT_EQ(ints[0], philoxFirst(1234567890123, uint64_t(5) << 32));
  EXPECT_EQ(ints[1], philoxFirst(1234567890123, (uint64_t(5) << 32) + 1));
  EXPECT_EQ(ints[2], philoxFirst(0, 3));
  EXPECT_EQ(ints[3], ints[2]);
}

TEST(Kernel, SoftmaxOnEitherAxis) {
  for (int axis : {0, 1}) {
    std::vector<float> x(3 * 5), y(3 * 5);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i * i % 11);
    Launch().array(x).array(y).run(R"(
@triton.jit
def kernel(x, y):
    i = tl.arange(0, 3)[:, None] * 5 + tl.arange(0, 5)[None, :]
    tl.store(y + i, tl.softmax(tl.load(x + i), )" +
                                       std::to_string(axis) + R"())
)",
                                   {"*fp32", "*fp32"});
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 5; ++c) {
        double sum = 0;
        for (int k = 0; k < (axis ? 5 : 3); ++k)
          sum += std::exp(double(axis ? x[r * 5 + k] : x[k * 5 + c]));
        EXPECT_NEAR(y[r * 5 + c], std::exp(double(x[r * 5 + c])) / sum, 1e-6);
      }
  }
}

TEST(Kernel, ArgmaxTiesAndNan) {
  const float kNan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> x{1, 7, kNan, 7, -3, 7, 2}, values(2);
  std::vector<int32_t> out(4);
  Launch().array(x).array(values).array(out).run(R"(
@triton.jit
def kernel(x, values, out):
    v = tl.load(x + tl.arange(0, 7))
    tl.store(out, tl.argmax(v, 0))
    tl.store(out + 1, tl.argmin(v, axis=0))
    m, i = tl.max(v, return_indices=True)
    tl.store(values, m)
    tl.store(out + 2, i)
    n, j = v.min(0, return_indices=True)
    tl.store(values + 1, n)
    tl.store(out + 3, j)
)",
                                                 {"*fp32", "*fp32", "*i32"});
  EXPECT_EQ(out, (std::vector<int32_t>{1, 4, 1, 4}));
  EXPECT_EQ(values, (std::vector<float>{7, -3}));
}

TEST(Kernel, ArgmaxOfUnsignedAndOfRows) {
  std::vector<uint8_t> x{1, 200, 3, 250, 250, 0};
  std::vector<int32_t> rows(2), columns(3), all(1);
  Launch().array(x).array(rows).array(columns).array(all).run(R"(
@triton.jit
def kernel(x, rows, columns, all):
    i = tl.arange(0, 2)[:, None] * 3 + tl.arange(0, 3)
    v = tl.load(x + i)
    tl.store(rows + tl.arange(0, 2), tl.argmax(v, 1))
    tl.store(columns + tl.arange(0, 3), tl.argmin(v, 0, keep_dims=True).ravel())
    tl.store(all, tl.argmax(v, None))
)",
                                                              {"*u8", "*i32", "*i32", "*i32"});
  EXPECT_EQ(rows, (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(columns, (std::vector<int32_t>{0, 0, 1}));
  EXPECT_EQ(all[0], 3);
}

TEST(Kernel, ReductionsWidenNarrowIntegers) {
  std::vector<int8_t> x{100, 100, 100, -1};
  std::vector<uint8_t> u{200, 200, 200, 1};
  std::vector<int64_t> out(5);
  Launch().array(x).array(u).array(out).run(R"(
@triton.jit
def kernel(x, u, out):
    i = tl.arange(0, 4)
    a = tl.load(x + i)
    b = tl.load(u + i)
    tl.static_assert(tl.sum(a).dtype == tl.int32)
    tl.static_assert(tl.sum(b).dtype == tl.uint32)
    tl.static_assert(tl.sum(a > 0).dtype == tl.uint32)
    tl.static_assert(tl.max(a).dtype == tl.int32)
    tl.static_assert(tl.sum(a.to(tl.float16)).dtype == tl.float16)
    tl.static_assert(tl.max(a.to(tl.bfloat16)).dtype == tl.float32)
    tl.static_assert(tl.max(a.to(tl.float16)).dtype == tl.float32)
    tl.static_assert(tl.sum(a, keep_dims=True).shape == (1,))
    tl.store(out, tl.sum(a))
    tl.store(out + 1, tl.sum(b))
    tl.store(out + 2, tl.sum(a > 0))
    tl.store(out + 3, tl.max(b))
    tl.store(out + 4, tl.xor_sum(b))
)",
                                            {"*i8", "*u8", "*i64"});
  EXPECT_EQ(out, (std::vector<int64_t>{299, 601, 3, 200, 200 ^ 1}));
}

TEST(Kernel, ReduceWithCombineFunction) {
  std::vector<float> x{2, -3, 4, 0.5}, y{1, 2, 3, 4}, out(3);
  Launch().array(x).array(y).array(out).run(R"(
@triton.jit
def mul(a, b):
    return a * b

@triton.jit
def both(a, p, b, q):
    return a + b, tl.maximum(p, q)

@triton.jit
def kernel(x, y, out):
    i = tl.arange(0, 4)
    a = tl.load(x + i)
    tl.store(out, tl.reduce(a, 0, mul))
    s, m = tl.reduce((a, tl.load(y + i)), 0, both)
    tl.store(out + 1, s)
    tl.store(out + 2, m)
)",
                                            {"*fp32", "*fp32", "*fp32"});
  EXPECT_EQ(out, (std::vector<float>{-12, 3.5, 4}));
}

TEST(Kernel, Atomics) {
  std::vector<float> f{1.5f, -2, 0, -0.5f};
  std::vector<int32_t> i{5, 5, 12, 0};
  std::vector<uint32_t> u{5, 5};
  Launch().array(f).array(i).array(u).run(R"(
@triton.jit
def kernel(f, i, u):
    tl.atomic_add(f, 2)
    tl.atomic_max(f + 1, -1.0)
    tl.atomic_min(f + 2, -3.0)
    tl.atomic_max(f + 3, 0.25, mask=False)
    old = tl.atomic_max(i, -7)
    tl.atomic_min(i + 1, -7)
    tl.atomic_and(i + 2, 10, sem="relaxed", scope="cta")
    tl.atomic_xchg(i + 3, old)
    tl.atomic_max(u, 0x80000000)
    prior = tl.atomic_cas(u + 1, 5, 9)
    tl.device_assert(prior == 5)
)",
                                          {"*fp32", "*i32", "*u32"});
  EXPECT_EQ(f, (std::vector<float>{3.5f, -1, -3, -0.5f}));
  EXPECT_EQ(i, (std::vector<int32_t>{5, -7, 8, 5}));
  EXPECT_EQ(u, (std::vector<uint32_t>{0x80000000, 9}));
}

TEST(Kernel, FloatMinMaxAtomicsOverSigns) {
  const float kValues[] = {-2, -1, -0.0f, 0.0f, 1, 2};
  for (float before : kValues)
    for (float value : kValues) {
      std::vector<float> x{before, before};
      Launch().array(x).real(value).run(R"(
@triton.jit
def kernel(x, v):
    a = tl.atomic_max(x, v)
    b = tl.atomic_min(x + 1, v)
    tl.device_assert(a == b)
)",
                                        {"*fp32", "fp32"});
      EXPECT_EQ(x[0], std::max(before, value));
      EXPECT_EQ(x[1], std::min(before, value));
    }
}

TEST(Kernel, BoolMemory) {
  std::vector<uint8_t> in{0, 1, 2, 255, 0}, out(5, 77);
  Launch().array(in).array(out).run(R"(
@triton.jit
def kernel(x, y):
    i = tl.arange(0, 5)
    b = tl.load(x + i, mask=i < 4, other=True)
    tl.static_assert(b.dtype == tl.int1)
    tl.store(y + i, b, mask=i != 1)
)",
                                    {"*i1", "*i1"});
  EXPECT_EQ(out, (std::vector<uint8_t>{0, 77, 1, 1, 1}));
}

TEST(Kernel, CastsAndBits) {
  std::vector<float> f{1.5f, -2.75f, 3e5f, 1.0000001f};
  std::vector<int32_t> out(8);
  Launch().array(f).array(out).run(R"(
@triton.jit
def kernel(f, out):
    i = tl.arange(0, 4)
    x = tl.load(f + i)
    tl.store(out + i, x)
    y = x.to(tl.float16, fp_downcast_rounding="rtz").to(tl.float32)
    tl.store(out + 4 + i, y.to(tl.int32, bitcast=True))
)",
                                   {"*fp32", "*i32"});
  EXPECT_EQ(out, (std::vector<int32_t>{
                     1, -2, 300000, 1, std::bit_cast<int32_t>(1.5f), std::bit_cast<int32_t>(-2.75f),
                     std::bit_cast<int32_t>(65504.0f), std::bit_cast<int32_t>(1.0f)}));
}

TEST(Kernel, DivisionTruncatesOnTensorsAndFloorsOnConstants) {
  std::vector<int32_t> out(7);
  Launch().array(out).integer(-7).run(R"(
@triton.jit
def kernel(out, n):
    tl.store(out, n // 2)
    tl.store(out + 1, n % 2)
    tl.store(out + 2, -7 // 2)
    tl.store(out + 3, -7 % 2)
    tl.store(out + 4, tl.cdiv(n, 2))
    tl.store(out + 5, triton.cdiv(7, 2))
    tl.store(out + 6, n >> 1)
)",
                                      {"*i32", "i32"});
  EXPECT_EQ(out, (std::vector<int32_t>{-3, -1, -4, 1, -3, 4, -4}));
}

TEST(Kernel, ShiftsBySignedness) {
  std::vector<int64_t> out(3);
  Launch()
      .array(out)
      .integer(-8)
      .integer(uint32_t(-8))
      .run(R"(
@triton.jit
def kernel(out, s, u):
    tl.store(out, s >> 1)
    tl.store(out + 1, u >> 1)
    tl.store(out + 2, s >> 40)
)",
           {"*i64", "i32", "u32"});
  EXPECT_EQ(out, (std::vector<int64_t>{-4, 0x7ffffffc, -1}));
}

TEST(Kernel, NanRules) {
  const float kNan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> out(6);
  std::vector<int32_t> flags(3);
  Launch().array(out).array(flags).real(kNan).run(R"(
@triton.jit
def kernel(out, flags, nan):
    tl.store(out, tl.maximum(nan, 1.0))
    tl.store(out + 1, tl.minimum(1.0, nan))
    tl.store(out + 2, tl.maximum(nan, 1.0, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out + 3, tl.clamp(nan, -1.0, 2.0))
    tl.store(out + 4, tl.clamp(nan, -1.0, 2.0, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out + 5, tl.max(tl.where(tl.arange(0, 3) == 1, nan, 3.0)))
    tl.store(flags, nan == nan)
    tl.store(flags + 1, nan != nan)
    tl.store(flags + 2, nan < 1.0)
)",
                                                  {"*fp32", "*i32", "fp32"});
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 1);
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_EQ(out[3], -1);
  EXPECT_TRUE(std::isnan(out[4]));
  EXPECT_EQ(out[5], 3);
  EXPECT_EQ(flags, (std::vector<int32_t>{0, 1, 0}));
}

TEST(Kernel, Dot) {
  std::vector<int8_t> a{1, 2, 3, 4, 5, 6}, b{7, 8, 9, 10, 11, 12};
  std::vector<int32_t> c(4);
  Launch().array(a).array(b).array(c).run(R"(
@triton.jit
def kernel(a, b, c):
    x = tl.load(a + tl.arange(0, 2)[:, None] * 3 + tl.arange(0, 3)[None, :])
    y = tl.load(b + tl.arange(0, 3)[:, None] * 2 + tl.arange(0, 2)[None, :])
    acc = tl.full((2, 2), 100, tl.int32)
    tl.static_assert(tl.dot(x.to(tl.float16), y.to(tl.float16)).dtype == tl.float32)
    tl.static_assert(tl.dot(x.to(tl.float16), y.to(tl.float16), out_dtype=tl.float16).dtype
                     == tl.float16)
    tl.static_assert(tl.dot(x.to(tl.float64), y.to(tl.float64)).dtype == tl.float64)
    tl.static_assert(tl.dot(x.to(tl.bfloat16), y.to(tl.bfloat16), allow_tf32=False).dtype
                     == tl.float32)
    i = tl.arange(0, 2)[:, None] * 2 + tl.arange(0, 2)
    tl.store(c + i, tl.dot(x, y, acc))
    z = tl.dot(x[None, None, :, :], y[None, None, :, :])
    tl.static_assert(z.shape == (1, 1, 2, 2))
)",
                                          {"*i8", "*i8", "*i32"});
  EXPECT_EQ(c, (std::vector<int32_t>{158, 164, 239, 254}));
}

TEST(Kernel, ShapesAndPermutations) {
  std::vector<int32_t> out(24);
  Launch().array(out).run(R"(
@triton.jit
def kernel(out):
    i = tl.arange(0, 24)
    x = tl.reshape(i, (2, 3, 4))
    y = tl.permute(x, (2, 0, 1))
    tl.static_assert(y.shape == (4, 2, 3))
    tl.static_assert(x.T.shape == (4, 3, 2))
    tl.static_assert(tl.trans(x).shape == (2, 4, 3))
    tl.static_assert(x.trans(1, 0, 2).shape == (3, 2, 4))
    tl.static_assert(tl.expand_dims(i, (0, 2)).shape == (1, 24, 1))
    tl.static_assert(i[None, :, None].shape == (1, 24, 1))
    tl.static_assert(tl.broadcast_to(i[:, None], (24, 2)).shape == (24, 2))
    tl.static_assert(i[:, None].broadcast_to(24, 2).numel == 48)
    a, b = tl.broadcast(x, tl.arange(0, 4))
    tl.static_assert(b.shape == x.shape)
    tl.static_assert(x.type.element_ty == tl.int32 and len(x.shape) == 3 and x.shape[-1] == 4)
    tl.store(out + i, y.ravel())
)",
                          {"*i32"});
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        EXPECT_EQ(out[k * 6 + i * 3 + j], i * 12 + j * 4 + k);
}

TEST(Kernel, PointersAsIntegers) {
  std::vector<float> x{1, 2, 3}, y{0};
  std::vector<uint64_t> addresses{reinterpret_cast<uint64_t>(&x[1])};
  Launch().array(addresses).array(y).array(x).run(R"(
@triton.jit
def kernel(addresses, y, x):
    p = tl.load(addresses).to(tl.pointer_type(tl.float32))
    tl.static_assert(p.dtype.element_ty == tl.float32 and p.dtype.is_ptr())
    tl.store(y, tl.load(p + 1))
    tl.device_assert((p.to(tl.int64) - x.to(tl.int64)) == 4)
    tl.device_assert(p > x)
)",
                                                  {"*i64", "*fp32", "*fp32"});
  EXPECT_EQ(y[0], 3);
}

TEST(Kernel, CompileTimeHelpers) {
  Compiled c = compile(R"(
SIZES = (1, 2, 3)

@triton.jit
def kernel(x):
    tl.static_print("sizes", SIZES, float("inf"), float("-inf"), math.pi > 3, sep="|", end="!")
    tl.static_print(tl.float32, x.dtype, x.dtype.element_ty, f"{0.5:.2f} {42:#x} {7:>3}")
    tl.static_assert(isinstance(x, tl.tensor) and not isinstance(3, tl.tensor))
    tl.static_assert(isinstance(3, int) and isinstance("a", (int, str)))
    tl.static_assert(hasattr(x, "dtype") and not hasattr(x, "nothing"))
    tl.static_assert(getattr(x, "nothing", 5) == 5)
    tl.static_assert(min(3, 1, 2) == 1 and max(SIZES) == 3 and abs(-4) == 4)
    tl.static_assert(len(SIZES) == 3 and SIZES[1:] == (2, 3) and SIZES[::-1] == (3, 2, 1))
    tl.static_assert(triton.next_power_of_2(781) == 1024 and math.ceil(2.1) == 3)
    tl.static_assert(tl.int8.primitive_bitwidth == 8 and tl.float16.is_floating())
    tl.static_assert(tl.uint8.get_int_max_value() == 255 and tl.int8.get_int_min_value() == -128)
    tl.static_assert(tl.TRITON_MAX_TENSOR_NUMEL == 1048576)
    tl.static_assert(tl.constexpr(4) + 1 == 5)
)",
                       {"*fp16"});
  EXPECT_EQ(c.error, "");
  EXPECT_EQ(c.printed, "sizes|(1, 2, 3)|inf|-inf|True!fp32 pointer<fp16> fp16 0.50 0x2a   7\n");
}

// Hints stand where they hold: on the argument, on the operation, or on an identity.
TEST(Kernel, Hints) {
  Compiled c = compile(R"(
@triton.jit
def kernel(x, n, m):
    n = tl.multiple_of(n, 24)
    i = tl.max_contiguous(tl.multiple_of((tl.arange(0, 8) + n) % m, 8), 8)
    if n > 4:
        m = tl.multiple_of(m, 4)
        tl.store(x + i, m)
    tl.assume(m > 0)
    tl.store(x + i, m)
)",
                       {"*i32", "i32", "i32"});
  ASSERT_EQ(c.error, "");
  for (const char *expected :
       {"%arg1: i32 {tt.divisibility = 24 : i32", "arith.remsi",
        "{tt.contiguity = array<i32: 8>, tt.divisibility = array<i32: 8>}",
        "tt.bitcast %arg2 {tt.divisibility = array<i32: 4>}", "tl.assume(m > 0) does not hold"})
    EXPECT_NE(c.ttir.find(expected), std::string::npos) << expected << "\n" << c.ttir;
  // Hints are checked here, and what is checked is not assumed.
  EXPECT_EQ(c.ttir.find("tt.assume"), std::string::npos) << c.ttir;
}

TEST(Kernel, UnsupportedNames) {
  Compiled c =
      compile("@triton.jit\ndef kernel(x):\n    y = tl.extra.cuda.convert_custom_float8_sm80(x)\n",
              {"i32"});
  EXPECT_NE(c.error.find("kernel.py:6:9: error: 'tl.extra.cuda.convert_custom_float8_sm80' is not "
                         "supported by this compiler"),
            std::string::npos)
      << c.error;
}
