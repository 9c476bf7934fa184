//===- OperatorKernelTest.cpp - casts and operators against C++ -----------===//

#include "KernelTestUtil.h"

#include <limits>

using namespace tritium;
using namespace tritium::testing;

// Every pair of types against C++, whose conversions are the same for these values.
template <typename From, typename To>
static void checkCast(const char *from, const char *to, std::vector<From> in) {
  using Stored = std::conditional_t<std::is_same_v<To, bool>, uint8_t, To>;
  std::vector<Stored> out(in.size());
  std::string n = std::to_string(in.size());
  Launch().array(in).array(out).run("@triton.jit\ndef kernel(x, y):\n"
                                    "    i = tl.arange(0, " +
                                        n +
                                        ")\n"
                                        "    v = tl.load(x + i)\n"
                                        "    tl.store(y + i, v.to(y.dtype.element_ty))\n",
                                    {std::string("*") + from, std::string("*") + to});
  for (size_t i = 0; i < in.size(); ++i)
    EXPECT_EQ(out[i], Stored(static_cast<To>(in[i]))) << from << " to " << to << ", element " << i;
}

template <typename From> static void checkCasts(const char *from, std::vector<From> in) {
  checkCast<From, int8_t>(from, "i8", in);
  checkCast<From, uint8_t>(from, "u8", in);
  checkCast<From, int16_t>(from, "i16", in);
  checkCast<From, uint16_t>(from, "u16", in);
  checkCast<From, int32_t>(from, "i32", in);
  checkCast<From, uint32_t>(from, "u32", in);
  checkCast<From, int64_t>(from, "i64", in);
  checkCast<From, uint64_t>(from, "u64", in);
  checkCast<From, float>(from, "fp32", in);
  checkCast<From, double>(from, "fp64", in);
  checkCast<From, bool>(from, "i1", in);
}

TEST(Kernel, CastsAgreeWithC) {
  checkCasts<int8_t>("i8", {0, 5, -1, -128, 127});
  checkCasts<uint8_t>("u8", {0, 5, 255, 128});
  checkCasts<int32_t>("i32", {0, 300, -1, INT32_MIN, INT32_MAX});
  checkCasts<uint32_t>("u32", {0, 70000, UINT32_MAX});
  checkCasts<int64_t>("i64", {0, 7, -1, INT64_MIN, INT64_MAX, (1ll << 53) + 1});
  checkCasts<uint64_t>("u64", {0, 7, UINT64_MAX, 1ull << 63});
  checkCasts<float>("fp32", {0, 1.75f, 100.5f});
  checkCasts<double>("fp64", {0, 1.75, 100.5});
}

template <typename T>
static void checkOperators(const char *type, std::vector<T> a, std::vector<T> b) {
  std::vector<T> out(a.size() * 7);
  std::vector<uint8_t> less(a.size());
  std::string n = std::to_string(a.size());
  Launch().array(a).array(b).array(out).array(less).run(
      "@triton.jit\ndef kernel(a, b, out, less):\n"
      "    i = tl.arange(0, " +
          n +
          ")\n"
          "    x = tl.load(a + i)\n"
          "    y = tl.load(b + i)\n"
          "    tl.store(out + i, x + y)\n"
          "    tl.store(out + " +
          n +
          " + i, x * y - x)\n"
          "    tl.store(out + 2 * " +
          n +
          " + i, x // y)\n"
          "    tl.store(out + 3 * " +
          n +
          " + i, x % y)\n"
          "    tl.store(out + 4 * " +
          n +
          " + i, (x & y) ^ (x | ~y))\n"
          "    tl.store(out + 5 * " +
          n +
          " + i, (x >> 3) + (x << 2))\n"
          "    tl.store(out + 6 * " +
          n +
          " + i, tl.maximum(x, y) - tl.minimum(-x, y))\n"
          "    tl.store(less + i, x < y)\n",
      {std::string("*") + type, std::string("*") + type, std::string("*") + type, "*i1"});
  for (size_t i = 0; i < a.size(); ++i) {
    using U = std::make_unsigned_t<T>;
    T x = a[i], y = b[i];
    T expected[] = {T(U(x) + U(y)),
                    T(U(x) * uint64_t(U(y)) - U(x)),
                    T(x / y),
                    T(x % y),
                    T((x & y) ^ (x | ~y)),
                    T(U(T(x >> 3)) + U(U(x) << 2)),
                    T(U(std::max(x, y)) - U(std::min(T(-U(x)), y)))};
    for (int op = 0; op < 7; ++op)
      EXPECT_EQ(out[op * a.size() + i], expected[op]) << type << " op " << op << " at " << i;
    EXPECT_EQ(less[i], x < y);
  }
}

TEST(Kernel, OperatorsAgreeWithC) {
  checkOperators<int8_t>("i8", {100, -7, 127, -100}, {50, 2, -3, -128});
  checkOperators<uint8_t>("u8", {100, 249, 127, 3}, {50, 2, 253, 128});
  checkOperators<int16_t>("i16", {30000, -7, INT16_MIN}, {30000, 2, 3});
  checkOperators<uint16_t>("u16", {65535, 7}, {2, 40000});
  checkOperators<int32_t>("i32", {INT32_MAX, -7, 123456}, {2, 2, -777});
  checkOperators<uint32_t>("u32", {UINT32_MAX, 7}, {2, 0x80000000});
  checkOperators<int64_t>("i64", {INT64_MAX, -7, 1}, {3, 2, INT64_MIN});
  checkOperators<uint64_t>("u64", {UINT64_MAX, 7}, {2, 1ull << 63});
}

TEST(Kernel, NanIsTrue) {
  std::vector<uint8_t> out(2);
  Launch()
      .array(out)
      .real(std::numeric_limits<float>::quiet_NaN())
      .run(R"(
@triton.jit
def kernel(out, x):
    tl.store(out, x.to(tl.int1))
    tl.store(out + 1, not x)
)",
           {"*i1", "fp32"});
  EXPECT_EQ(out, (std::vector<uint8_t>{1, 0}));
}
