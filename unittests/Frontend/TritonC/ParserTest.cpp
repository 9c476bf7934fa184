//===- ParserTest.cpp - trees of Triton-C ---------------------------------===//
//
// The numbers in names of tests are those of the language's conformance list.
//
//===----------------------------------------------------------------------===//

#include "ParserTestUtil.h"

using namespace tritium;
using namespace tritium::frontend::tritonc;

namespace {
TEST(TritonCParser, Conformance1Spacing) {
  EXPECT_EQ(expression("0...8"), "(... 0 8)");
  EXPECT_EQ(expression("*? (m)p"), "(*? m p)");
  EXPECT_EQ(expression("* ?(m) p"), "(*? m p)");
  EXPECT_EQ(expression("rk [newaxis, :]"), "([] rk newaxis :)");
  EXPECT_EQ(expression("a @b"), "(@ a b)");
}

TEST(TritonCParser, Conformance1AttributePositions) {
  std::string expected = "(function f void ((int* a aligned:16 readonly)) {})";
  EXPECT_EQ(parsed("void f(int *a __aligned(16) __readonly) {}"), expected);
  EXPECT_EQ(parsed("void f(__aligned(16) __readonly int *a) {}"), expected);
  EXPECT_EQ(parsed("void f(int __readonly __aligned(8 * 2) *a) {}"), expected);
  EXPECT_EQ(parsed("void f(read_only align(16) int *a) {}"), expected);
  EXPECT_EQ(body("int x __multipleof(8) = 1, y[4] __multipleof(2), z __retune;"),
            "(decl (int x multipleof:8 1) (int[4] y multipleof:2) (int z retune))");
  EXPECT_EQ(body("multiple_of(8) int d[4];"), "(decl (int[4] d multipleof:8))");
}

TEST(TritonCParser, Conformance2Precedence) {
  EXPECT_EQ(expression("p * 8 + 0 ... 8"), "(+ (* p 8) (... 0 8))");
  EXPECT_EQ(expression("0 ... 8 / B"), "(/ (... 0 8) B)");
  EXPECT_EQ(expression("^a @ ^b"), "(@ (^ a) (^ b))");
  EXPECT_EQ(expression("2 * a @ b"), "(* 2 (@ a b))");
  EXPECT_EQ(expression("exp(x)[+]"), "([] (exp x) +)");
  EXPECT_EQ(expression("(float)acc[+] / N"), "(/ (cast<float> ([] acc +)) N)");
  EXPECT_EQ(expression("(check ? y : 0)[+]"), "([] (?: check y 0) +)");
  EXPECT_EQ(expression("(rm < M)[:, newaxis]"), "([] (< rm M) : newaxis)");
  EXPECT_EQ(expression("(*px)[max]"), "([] (* px) max)");
  EXPECT_EQ(expression("(float[4])-I"), "(cast<float[4]> (- I))");
  EXPECT_EQ(expression("(float[4]) - I"), "(cast<float[4]> (- I))");
  EXPECT_EQ(expression("-(float[4]) * px"), "(- (cast<float[4]> (* px)))");
  EXPECT_EQ(expression("(float[4]) *?(m)px"), "(cast<float[4]> (*? m px))");
  EXPECT_EQ(expression("*?(m)(P + i) = v"), "(= (*? m (+ P i)) v)");
  EXPECT_EQ(expression("*?(a < b && c < d) p = v"), "(= (*? (&& (< a b) (< c d)) p) v)");
  EXPECT_EQ(expression("a * *p[newaxis, :]"), "(* a (* ([] p newaxis :)))");
}

TEST(TritonCParser, COperators) {
  EXPECT_EQ(expression("a || b && c | d ^ e & f == g < h << i + j * k"),
            "(|| a (&& b (| c (^ d (& e (== f (< g (<< h (+ i (* j k))))))))))");
  EXPECT_EQ(expression("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(expression("a = b += c <<= 1"), "(= a (+= b (<<= c 1)))");
  EXPECT_EQ(expression("a ? b : c ? d : e"), "(?: a b (?: c d e))");
  EXPECT_EQ(expression("a ?: b"), "(?: a _ b)");
  EXPECT_EQ(expression("i++ + --j, !k"), "(, (+ (_++ i) (--_ j)) (! k))");
  EXPECT_EQ(expression("sizeof(int[4]) + sizeof x"), "(+ (sizeof int[4]) (sizeof x))");
  EXPECT_EQ(expression("bitcast<uint32[4, 8]>(acc) & 0xFF"),
            "(& (bitcast<unsigned int[4, 8]> acc) 255)");
}

TEST(TritonCParser, Subscripts) {
  EXPECT_EQ(expression("x[:, +, max, min, newaxis]"), "([] x : + max min newaxis)");
  EXPECT_EQ(expression("x[^1, ^(2 - 2)]"), "([] x ^1 ^0)");
  EXPECT_EQ(expression("x[max(a, b)]"), "([] x (max a b))");
  EXPECT_EQ(expression("x[i + 1]"), "([] x (+ i 1))");
}

TEST(TritonCParser, Numbers) {
  EXPECT_EQ(expression("1 + 1u + 1l + 1ul + 3000000000"), "(+ (+ (+ (+ 1 1:u32) 1:i64) 1:u64) "
                                                          "3000000000:i64)");
  EXPECT_EQ(expression("0x7F800000 + 0xFFFFFFFF + 017"), "(+ (+ 2139095040 4294967295:u32) 15)");
  EXPECT_EQ(expression("0xFFFFFFFFFFFFFFFF"), "18446744073709551615:u64");
  EXPECT_EQ(expression("1.5 + 2.f + 1e3 + 0x1p-2"),
            "(+ (+ (+ 1.5:fp64 2:fp32) 1000:fp64) 0.25:fp64)");
  EXPECT_EQ(expression("'a' + '\\n' + '\\0' + '\\x41'"), "(+ (+ (+ 97 10) 0) 65)");
}

TEST(TritonCParser, Types) {
  EXPECT_EQ(body("unsigned long int a; long unsigned b; int short c; signed char d; long long e;"),
            "(decl (unsigned long a)) (decl (unsigned long b)) (decl (short c)) (decl (char d)) "
            "(decl (long e))");
  EXPECT_EQ(body("bool a; _Bool b; half c; bfloat16 d; fp32 e; uint8 f; uchar g; int1 h;"),
            "(decl (bool a)) (decl (bool b)) (decl (half c)) (decl (bfloat16 d)) (decl (float e)) "
            "(decl (unsigned char f)) (decl (unsigned char g)) (decl (bool h))");
  EXPECT_EQ(body("float *a, **b, c[4], *d[2, 3]; const half *e; float * const g = a;"),
            "(decl (float* a) (float** b) (float[4] c) (float*[2, 3] d)) (decl (const half* e)) "
            "(decl (float* g a))");
  EXPECT_EQ(body("int __constant__* t = (int __constant__*)p;"),
            "(decl (int __constant__* t (cast<int __constant__*> p)))");
  EXPECT_EQ(body("float x[2 * 8, sizeof(int) == 4 ? 3 : 1] = {0};"), "(decl (float[16, 3] x 0))");
}

TEST(TritonCParser, TypedefsFollowScopes) {
  EXPECT_EQ(body("typedef float row[4]; row a; { int row = 3; row * a; } row b;"),
            "(decl) (decl (float[4] a)) {(decl (int row 3)) (* row a)} "
            "(decl (float[4] b))");
  EXPECT_NE(body("{ typedef int T; (T)(x); } (T)(x);").find("only functions can be called"),
            std::string::npos);
  EXPECT_EQ(body("int uint = 3; (uint) + 1;"), "(decl (int uint 3)) (+ uint 1)");
  EXPECT_EQ(parsed("typedef char int8; typedef int T; typedef int T; T f(T x) { return x; }"),
            "(function f int ((int x)) {(return x)})");
}

TEST(TritonCParser, Statements) {
  EXPECT_EQ(body("if (a) b; else if (c) { d; } else ;"), "(if a b (if c {d} ;))");
  EXPECT_EQ(body("for (int i = 0, j = 1; i < n; i++, j--) continue;"),
            "(for (decl (int i 0) (int j 1)) (< i n) (, (_++ i) (_-- j)) (continue))");
  EXPECT_EQ(body("for (;;) break;"), "(for _ _ _ (break))");
  EXPECT_EQ(body("for (int r = 1; r == 1; r = atomic_cas(lock, 0, 1));"),
            "(for (decl (int r 1)) (== r 1) (= r (atomic_cas lock 0 1)) ;)");
  EXPECT_EQ(body("while (n > 0) n -= 1; do { n++; } while (n < 3); return;"),
            "(while (> n 0) (-= n 1)) (do {(_++ n)} (< n 3)) (return)");
  EXPECT_EQ(body("static_assert(sizeof(int) == 4, \"four\" \" bytes\");"),
            "(static_assert (== (sizeof int) 4))");
}

TEST(TritonCParser, Conformance3Macros) {
  EXPECT_EQ(expression("rk[B] * S + OP(a)", {{"B", "newaxis, :"}, {"S", "lda"}, {"OP(x)", "^x"}}),
            "(+ (* ([] rk newaxis :) lda) (^ a))");
  EXPECT_EQ(
      body("TYPE a[SHAPE];", {{"TYPE", "half"}, {"SHAPE", "TM, TK"}, {"TM", "4"}, {"TK", "8"}}),
      "(decl (half[4, 8] a))");
  EXPECT_EQ(parsed("__global__ void NAME(int x) {\n#ifdef A\n#if B == 1\nx;\n#else\ny;\n#endif\n"
                   "#else\nz;\n#endif\n}",
                   {{"NAME", "sdd"}, {"A", "1"}, {"B", "2"}}),
            "(kernel sdd void ((int x)) {y})");
  EXPECT_EQ(expression("-INFINITY", {{"INFINITY", "F16_INFINITY"}}),
            "(- (bitcast<half> (cast<short> 31744)))");
}

TEST(TritonCParser, OlderSpellings) {
  EXPECT_EQ(expression("get_range_id(0) * get_num_program(1)"),
            "(* (get_program_id 0) (get_num_programs 1))");
  EXPECT_EQ(body("int r[8] = get_global_range[8](1); int q[4] = get_global_range(0);"),
            "(decl (int[8] r (+ (* (get_program_id 1) 8) (... 0 8)))) "
            "(decl (int[4] q (+ (* (get_program_id 0) 4) (... 0 4))))");
  EXPECT_EQ(expression("atomic_add(float, 64, 64)(p, v, m)"), "(atomic_add p v m)");
  EXPECT_EQ(expression("atomic_add_half_1x1(p, v, m) + f32_atomic_add(p, v) + __atomic_add(p, v)"),
            "(+ (+ (atomic_add p v m) (atomic_add p v)) (atomic_add p v))");
  EXPECT_EQ(expression("__atomic_cas(p, 0, 1) + __atomic_exch(p, 0) + __atomic_exchg(p, 0)"),
            "(+ (+ (atomic_cas p 0 1) (atomic_xchg p 0)) (atomic_xchg p 0))");
  EXPECT_EQ(body("@check *p = v; @(a < b) x = y;"), "(@ check (= (* p) v)) (@ (< a b) (= x y))");
  EXPECT_EQ(
      parsed("const tunable int TM = {16, 32}; kernel void k(int x) { int r[TM] = 0 ... TM; }"),
      "(kernel k void ((int x)) {(decl (int[16] r (... 0 16)))})");
  EXPECT_EQ(parsed("const tunable int TM = {16, 32}; void k(int x) { int r[TM]; }", {{"TM", "8"}}),
            "(function k void ((int x)) {(decl (int[8] r))})");
  EXPECT_EQ(body("float x[{2, 3}];"), "(decl (float[2, 3] x))");
}

TEST(TritonCParser, Units) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  SourceUnit source{"k.tc",
                    "extern int get_program_id(int);\n"
                    "char __constant__* lut = calloc(64);\n"
                    "__constant__ int *delta = alloc_const int[8];\n"
                    "const tunable int TM = {16, 32}, TN;\n"
                    "float helper(float x) { return x; }\n"
                    "void second(int n) {}\n"
                    "__global__ void first(int n) {}\n",
                    {},
                    {}};
  auto tokens = preprocess(source, sources, diagnostics);
  ASSERT_TRUE(tokens) << diagnostics.render();
  auto unit = parse(*tokens, source, diagnostics);
  ASSERT_TRUE(unit) << diagnostics.render();
  ASSERT_EQ(unit->tables.size(), 2u);
  EXPECT_EQ(unit->tables[0].bytes, 64u);
  EXPECT_EQ(unit->tables[1].bytes, 32u);
  EXPECT_EQ(unit->tables[1].element, DType{DTypeKind::Int32});
  ASSERT_EQ(unit->tunables.size(), 2u);
  EXPECT_EQ(unit->tunables[0].values, (std::vector<int64_t>{16, 32}));
  EXPECT_TRUE(unit->tunables[1].values.empty());
  EXPECT_EQ(findKernel(*unit, "", source, diagnostics)->name, "first");
  EXPECT_EQ(findKernel(*unit, "second", source, diagnostics)->name, "second");
  EXPECT_EQ(findKernel(*unit, "helper", source, diagnostics), nullptr);
  EXPECT_EQ(findKernel(*unit, "third", source, diagnostics), nullptr);
  EXPECT_NE(diagnostics.render().find("its kernels are 'second', 'first'"), std::string::npos);
}

TEST(TritonCParser, DeepInputIsRefused) {
  std::string parentheses = std::string(100000, '(') + "x" + std::string(100000, ')');
  EXPECT_NE(expression(parentheses).find("nested too deeply"), std::string::npos);
  std::string sum = "x";
  for (int i = 0; i < 5000; ++i)
    sum += "+x";
  EXPECT_NE(expression(sum).find("nested too deeply"), std::string::npos);
  EXPECT_NE(body(std::string(100000, '{')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(expression(std::string(100000, '-') + "x").find("nested too deeply"),
            std::string::npos);
  std::string branches;
  for (int i = 0; i < 5000; ++i)
    branches += "if (x) ";
  EXPECT_NE(body(branches + ";").find("nested too deeply"), std::string::npos);
}
} // namespace
