//===- ArithmeticTest.cpp - integers, bits, floats, conversions -----------===//

#include "SimTest.h"

#include <cmath>
#include <random>

using namespace tritium::sim;
using namespace tritium::sim::test;

namespace {

using Rows = std::vector<std::vector<uint64_t>>;

Rows randomRows(unsigned bitsEach, unsigned seed) {
  std::mt19937_64 random(seed);
  const uint64_t edges[] = {0,
                            1,
                            2,
                            31,
                            32,
                            33,
                            0x7f,
                            0x80,
                            0xff,
                            0x7fff,
                            0x8000,
                            0xffff,
                            0x7fffffff,
                            0x80000000,
                            0xffffffff,
                            ~uint64_t(0),
                            uint64_t(1) << 63};
  Rows rows;
  for (int i = 0; i < 96; ++i) {
    std::vector<uint64_t> row;
    for (int k = 0; k < 3; ++k) {
      uint64_t x = i < 48 ? edges[random() % std::size(edges)] : random();
      row.push_back(bitsEach == 64 ? x : x & ((uint64_t(1) << bitsEach) - 1));
    }
    rows.push_back(row);
  }
  return rows;
}

/// Checks an instruction against a function of the three operands; those that a row lacks are 0.
template <typename F>
void check(const std::string &instruction, char kind, Rows rows, F &&expected) {
  std::vector<uint64_t> got = evaluate(instruction, kind, rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].resize(3);
    EXPECT_EQ(got[i], uint64_t(expected(rows[i][0], rows[i][1], rows[i][2])))
        << instruction << " on " << std::hex << rows[i][0] << " " << rows[i][1] << " "
        << rows[i][2];
  }
}

using u64 = uint64_t;
using u32 = uint32_t;
using s32 = int32_t;
using s64 = int64_t;

TEST(Integer, AddSubMul) {
  Rows w = randomRows(32, 1), d = randomRows(64, 2), h = randomRows(16, 3);
  check("add.s32 %rd, %ra, %rb;", 'r', w, [](u64 a, u64 b, u64) { return u32(a + b); });
  check("sub.s64 %dd, %da, %db;", 'd', d, [](u64 a, u64 b, u64) { return a - b; });
  check("mul.lo.s32 %rd, %ra, %rb;", 'r', w, [](u64 a, u64 b, u64) { return u32(a * b); });
  check("mul.hi.u32 %rd, %ra, %rb;", 'r', w, [](u64 a, u64 b, u64) { return a * b >> 32; });
  check("mul.hi.s32 %rd, %ra, %rb;", 'r', w,
        [](u64 a, u64 b, u64) { return u32(s64(s32(a)) * s32(b) >> 32); });
  check("mul.wide.s32 %dd, %ra, %rb;", 'd', w,
        [](u64 a, u64 b, u64) { return u64(s64(s32(a)) * s32(b)); });
  check("mul.wide.u16 %rd, %ha, %hb;", 'r', h, [](u64 a, u64 b, u64) { return a * b; });
  check("mad.lo.s32 %rd, %ra, %rb, %rc;", 'r', w,
        [](u64 a, u64 b, u64 c) { return u32(a * b + c); });
  check("mad.wide.u32 %dd, %ra, %rb, %dc;", 'd', w, [](u64 a, u64 b, u64 c) { return a * b + c; });
  check("mul.hi.u64 %dd, %da, %db;", 'd', d,
        [](u64 a, u64 b, u64) { return u64((unsigned __int128)a * b >> 64); });
  check("add.s16 %hd, %ha, %hb;", 'h', h, [](u64 a, u64 b, u64) { return (a + b) & 0xffff; });
  check("add.sat.s32 %rd, %ra, %rb;", 'r', w, [](u64 a, u64 b, u64) {
    s64 r = s64(s32(a)) + s32(b);
    return u32(r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : r);
  });
  check("{ .reg .b32 %x, %y; mov.b64 {%x, %y}, %da; .reg .b32 %u, %v; mov.b64 {%u, %v}, %db;\n"
        "add.cc.u32 %x, %x, %u;\naddc.u32 %y, %y, %v;\nmov.b64 %dd, {%x, %y}; }",
        'd', d, [](u64 a, u64 b, u64) { return a + b; });
  check("{ .reg .b32 %x, %y; mov.b64 {%x, %y}, %da; .reg .b32 %u, %v; mov.b64 {%u, %v}, %db;\n"
        "sub.cc.u32 %x, %x, %u;\nsubc.u32 %y, %y, %v;\nmov.b64 %dd, {%x, %y}; }",
        'd', d, [](u64 a, u64 b, u64) { return a - b; });
}

TEST(Integer, DivideMinMax) {
  Rows w = randomRows(32, 4);
  check("div.s32 %rd, %ra, %rb;", 'r', w, [](u64 a, u64 b, u64) {
    return !u32(b) ? ~0u : s32(b) == -1 ? u32(0 - a) : u32(s32(a) / s32(b));
  });
  check("rem.u32 %rd, %ra, %rb;", 'r', w, [](u64 a, u64 b, u64) { return b ? a % b : 0xffffffff; });
  check("min.s32 %rd, %ra, %rb;", 'r', w,
        [](u64 a, u64 b, u64) { return u32(std::min(s32(a), s32(b))); });
  check("max.u32 %rd, %ra, %rb;", 'r', w, [](u64 a, u64 b, u64) { return std::max(a, b); });
  check("abs.s32 %rd, %ra;", 'r', w, [](u64 a, u64, u64) { return u32(s32(a) < 0 ? 0 - a : a); });
  check("neg.s32 %rd, %ra;", 'r', w, [](u64 a, u64, u64) { return u32(0 - a); });
  check("sad.u32 %rd, %ra, %rb, %rc;", 'r', w,
        [](u64 a, u64 b, u64 c) { return u32(c + (a < b ? b - a : a - b)); });
  check("dp4a.s32.u32 %rd, %ra, %rb, %rc;", 'r', w, [](u64 a, u64 b, u64 c) {
    for (int i = 0; i < 32; i += 8)
      c += u64(s64(int8_t(a >> i)) * s64(uint8_t(b >> i)));
    return u32(c);
  });
}

TEST(Logic, Bits) {
  Rows w = randomRows(32, 5), d = randomRows(64, 6);
  check("and.b32 %rd, %ra, %rb;", 'r', w, [](u64 a, u64 b, u64) { return a & b; });
  check("xor.b64 %dd, %da, %db;", 'd', d, [](u64 a, u64 b, u64) { return a ^ b; });
  check("not.b32 %rd, %ra;", 'r', w, [](u64 a, u64, u64) { return u32(~a); });
  check("shl.b32 %rd, %ra, %rb;", 'r', w,
        [](u64 a, u64 b, u64) { return b > 31 ? 0 : u32(a << b); });
  check("shr.s32 %rd, %ra, %rb;", 'r', w,
        [](u64 a, u64 b, u64) { return u32(s32(a) >> (b > 31 ? 31 : b)); });
  check("shr.u64 %dd, %da, %rb;", 'd', d,
        [](u64 a, u64 b, u64) { return u32(b) > 63 ? 0 : a >> u32(b); });
  check("shf.l.wrap.b32 %rd, %ra, %rb, %rc;", 'r', w,
        [](u64 a, u64 b, u64 c) { return u32((b << 32 | a) << (c & 31) >> 32); });
  check("popc.b64 %rd, %da;", 'r', d, [](u64 a, u64, u64) { return std::popcount(a); });
  check("clz.b32 %rd, %ra;", 'r', w, [](u64 a, u64, u64) { return std::countl_zero(u32(a)); });
  check("bfind.s32 %rd, %ra;", 'r', w, [](u64 a, u64, u64) {
    u32 m = s32(a) < 0 ? ~u32(a) : u32(a);
    return m ? u32(31 - std::countl_zero(m)) : ~0u;
  });
  check("bfe.u32 %rd, %ra, 5, 9;", 'r', w, [](u64 a, u64, u64) { return a >> 5 & 0x1ff; });
  check("bfe.s32 %rd, %ra, 5, 9;", 'r', w, [](u64 a, u64, u64) { return u32(s32(a) << 18 >> 23); });
  check("bfi.b32 %rd, %ra, %rb, 4, 8;", 'r', w,
        [](u64 a, u64 b, u64) { return (b & ~0xff0ull) | (a & 0xff) << 4; });
  check("prmt.b32 %rd, %ra, %rb, 0x7531;", 'r', w, [](u64 a, u64 b, u64) {
    return (a >> 8 & 0xff) | (a >> 24 & 0xff) << 8 | (b >> 8 & 0xff) << 16 | (b >> 24 & 0xff) << 24;
  });
  check("lop3.b32 %rd, %ra, %rb, %rc, 0x96;", 'r', w,
        [](u64 a, u64 b, u64 c) { return a ^ b ^ c; });
  check("lop3.b32 %rd, %ra, %rb, %rc, 0xe8;", 'r', w,
        [](u64 a, u64 b, u64 c) { return (a & b) | (a & c) | (b & c); });
  check("brev.b32 %rd, %ra;", 'r', {{1}, {0x80000000}, {0xf0}}, [](u64 a, u64, u64) {
    return a == 1 ? 0x80000000 : a == 0xf0 ? 0x0f000000 : 1;
  });
  check("setp.lt.and.s32 %pd, %ra, %rb, %pa;", 'p', w,
        [](u64 a, u64 b, u64) { return s32(a) < s32(b) && a; });
  check("selp.b32 %rd, %rb, %rc, %pa;", 'r', w, [](u64 a, u64 b, u64 c) { return a ? b : c; });
}

Rows floatRows() {
  std::mt19937 random(7);
  const float edges[] = {0.0f, -0.0f,  1.0f,    -1.5f,   INFINITY,        -INFINITY,
                         NAN,  1e-40f, -1e-44f, 3.4e38f, 1.17549435e-38f, 0.1f};
  Rows rows;
  for (int i = 0; i < 128; ++i) {
    std::vector<u64> row;
    for (int k = 0; k < 3; ++k)
      row.push_back(i < 64 ? bits(edges[random() % std::size(edges)]) : random());
    rows.push_back(row);
  }
  return rows;
}
u64 canonical(float x) { return x != x ? 0x7fffffff : bits(x); }
float ftz(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

TEST(Float, Arithmetic) {
  Rows rows = floatRows();
  check("add.rn.f32 %fd, %fa, %fb;", 'f', rows,
        [](u64 a, u64 b, u64) { return canonical(single(a) + single(b)); });
  check("mul.f32 %fd, %fa, %fb;", 'f', rows,
        [](u64 a, u64 b, u64) { return canonical(single(a) * single(b)); });
  check("fma.rn.f32 %fd, %fa, %fb, %fc;", 'f', rows,
        [](u64 a, u64 b, u64 c) { return canonical(std::fma(single(a), single(b), single(c))); });
  check("add.ftz.f32 %fd, %fa, %fb;", 'f', rows,
        [](u64 a, u64 b, u64) { return canonical(ftz(ftz(single(a)) + ftz(single(b)))); });
  check("div.rn.f32 %fd, %fa, %fb;", 'f', rows,
        [](u64 a, u64 b, u64) { return canonical(single(a) / single(b)); });
  check("sqrt.rn.f32 %fd, %fa;", 'f', rows,
        [](u64 a, u64, u64) { return canonical(std::sqrt(single(a))); });
  check("mul.sat.f32 %fd, %fa, %fb;", 'f', rows, [](u64 a, u64 b, u64) {
    float r = single(a) * single(b);
    return bits(r != r || r <= 0 ? 0.0f : r > 1 ? 1.0f : r);
  });
  check("min.f32 %fd, %fa, %fb;", 'f', rows, [](u64 a, u64 b, u64) {
    float x = single(a), y = single(b);
    if (x == 0 && y == 0)
      return bits(std::signbit(x) ? x : y);
    return canonical(std::fmin(x, y));
  });
}

TEST(Float, RoundingModes) {
  // 1 + 2^-30 and its mirror: each mode goes its own way.
  Rows rows = {{bits(1.0f), bits(0x1p-30f)}, {bits(-1.0f), bits(-0x1p-30f)}};
  auto expect = [&](const char *mode, float positive, float negative) {
    std::vector<u64> got = evaluate(std::string("add.") + mode + ".f32 %fd, %fa, %fb;", 'f', rows);
    EXPECT_EQ(single(got[0]), positive) << mode;
    EXPECT_EQ(single(got[1]), negative) << mode;
  };
  float above = std::nextafter(1.0f, 2.0f);
  expect("rn", 1, -1);
  expect("rz", 1, -1);
  expect("rm", 1, -above);
  expect("rp", above, -1);
  std::vector<u64> third = evaluate("div.rp.f64 %gd, %ga, %gb;", 'g', {{bits(1.0), bits(3.0)}});
  EXPECT_EQ(third[0], bits(1.0 / 3.0) + 1);
  std::vector<u64> fused =
      evaluate("fma.rz.f32 %fd, %fa, %fb, %fc;", 'f', {{bits(1.0f), bits(1.0f), bits(-0x1p-30f)}});
  EXPECT_EQ(single(fused[0]), std::nextafter(1.0f, 0.0f));
}

TEST(Float, Approximate) {
  for (auto [name, function, low, high] :
       {std::tuple("ex2", (double (*)(double))std::exp2, -20.0, 20.0),
        {"lg2", (double (*)(double))std::log2, 0.001, 1000.0},
        {"sin", (double (*)(double))std::sin, -3.1, 3.1},
        {"cos", (double (*)(double))std::cos, -3.1, 3.1},
        {"tanh", (double (*)(double))std::tanh, -4.0, 4.0}}) {
    Rows rows;
    std::mt19937 random(9);
    for (int i = 0; i < 96; ++i)
      rows.push_back({bits(float(low + (high - low) * (random() % 10007) / 10007.0))});
    std::vector<u64> got = evaluate(std::string(name) + ".approx.f32 %fd, %fa;", 'f', rows);
    for (size_t i = 0; i < rows.size(); ++i) {
      double want = function(single(rows[i][0]));
      EXPECT_NEAR(single(got[i]), want, std::fabs(want) * 0x1p-23 + 1e-9) << name;
    }
  }
  std::vector<u64> zero = evaluate("rcp.approx.ftz.f32 %fd, %fa;", 'f', {{bits(1e-40f)}, {0}});
  EXPECT_EQ(single(zero[0]), INFINITY);
  EXPECT_EQ(single(zero[1]), INFINITY);
}

TEST(Half, Arithmetic) {
  // 1 + 2^-11 is half way: to even. 2048 + 1 needs 12 bits.
  Rows rows = {{0x3c00, 0x1000}, {0x6800, 0x3c00}, {0x7bff, 0x7bff}, {0x7c00, 0xfc00}, {0x0001, 1}};
  std::vector<u64> sums = evaluate("add.f16 %hd, %ha, %hb;", 'h', rows);
  EXPECT_EQ(sums, (std::vector<u64>{0x3c00, 0x6800, 0x7c00, 0x7fff, 0x0002}));
  // 1.0009765625^2 + 2^-24: above the half-way point only by the addend.
  std::vector<u64> fused =
      evaluate("fma.rn.f16 %hd, %ha, %hb, %hc;", 'h', {{0x3c01, 0x3c00, 0x1001}});
  EXPECT_EQ(fused[0], 0x3c02u);
  std::vector<u64> pairs = evaluate("mul.f16x2 %rd, %ra, %rb;", 'r', {{0x3c004000, 0x40003c00}});
  EXPECT_EQ(pairs[0], 0x40004000u);
  std::vector<u64> brain =
      evaluate("fma.rn.bf16x2 %rd, %ra, %rb, %rc;", 'r', {{0x3f804000, 0x40003f80, 0x3f803f80}});
  EXPECT_EQ(brain[0], 0x40404040u);
}

TEST(Convert, Numbers) {
  auto one = [](const char *instruction, char kind, u64 x, u64 y = 0) {
    return evaluate(instruction, kind, {{x, y}})[0];
  };
  EXPECT_EQ(one("cvt.rzi.s32.f32 %rd, %fa;", 'r', bits(-1.7f)), u32(-1));
  EXPECT_EQ(one("cvt.rni.s32.f32 %rd, %fa;", 'r', bits(2.5f)), 2u);
  EXPECT_EQ(one("cvt.rpi.s32.f32 %rd, %fa;", 'r', bits(2.1f)), 3u);
  EXPECT_EQ(one("cvt.rzi.s32.f32 %rd, %fa;", 'r', bits(1e20f)), 0x7fffffffu);
  EXPECT_EQ(one("cvt.rzi.u32.f32 %rd, %fa;", 'r', bits(-3.0f)), 0u);
  EXPECT_EQ(one("cvt.rzi.s32.f32 %rd, %fa;", 'r', bits(NAN)), 0u);
  EXPECT_EQ(one("cvt.rzi.s64.f64 %dd, %ga;", 'd', bits(double(NAN))), u64(1) << 63);
  EXPECT_EQ(one("cvt.rn.f32.u64 %fd, %da;", 'f', 0x8000008000000001), bits(0x1.000002p63f));
  EXPECT_EQ(one("cvt.rz.f32.s32 %fd, %ra;", 'f', 0x01000003), bits(16777218.0f));
  EXPECT_EQ(one("cvt.rn.f16.f32 %hd, %fa;", 'h', bits(65520.0f)), 0x7c00u);
  EXPECT_EQ(one("cvt.f32.f16 %fd, %ha;", 'f', 0x0001), bits(0x1p-24f));
  EXPECT_EQ(one("cvt.rn.bf16.f32 %hd, %fa;", 'h', bits(1.00390625f)), 0x3f80u);
  EXPECT_EQ(one("cvt.rn.f16x2.f32 %rd, %fa, %fb;", 'r', bits(1.0f), bits(2.0f)), 0x3c004000u);
  EXPECT_EQ(one("cvt.rn.satfinite.e4m3x2.f32 %hd, %fa, %fb;", 'h', bits(1000.0f), bits(1.0f)),
            0x7e38u);
  EXPECT_EQ(one("cvt.s32.s8 %rd, %ra;", 'r', 0x80), 0xffffff80u);
  EXPECT_EQ(one("cvt.u32.u8 %rd, %ra;", 'r', 0x1280), 0x80u);
  EXPECT_EQ(one("cvt.sat.s8.s32 %rd, %ra;", 'r', 1000), 127u);
  EXPECT_EQ(one("cvt.s64.s32 %dd, %ra;", 'd', 0x80000000), 0xffffffff80000000u);
  EXPECT_EQ(one("cvt.rna.tf32.f32 %rd, %fa;", 'r', bits(0x1.002p0f)), bits(0x1.004p0f));
}

} // namespace
