//===- TutorialTest.cpp - the kernels of the first tutorial ---------------===//
//
// The four kernels of the language's first tutorial, with the semicolons that it lacks.
//
//===----------------------------------------------------------------------===//

#include "FusedProduct.h"
#include "ParserTestUtil.h"

using namespace tritium;
using namespace tritium::frontend::tritonc;
using tritium::testing::kFusedProduct;

namespace {
constexpr const char *kAdd = R"(
__global__ void add(int N, TYPE *a, TYPE *b, TYPE* c) {
  int id = get_program_id(0);
  int off[SIZE] = id * SIZE + (0 ... SIZE);
  *(c + off) = *(a + off) + *(b + off);
}
)";

constexpr const char *kTranspose = R"(
__global__ void transpose(TYPE * X, TYPE * Y, int M, int N, int ldx, int ldy) {
  int pidm = get_program_id(0); //(1)
  int pidn = get_program_id(1); //(2)
  int rm[TM] = pidm * TM + 0 ... TM; //(3)
  int rn[TN] = pidn * TN + 0 ... TN; //(4)
  TYPE* px[TM, TN] = X + rm[:, newaxis] + rn[newaxis, :] * ldx; //(5)
  TYPE* py[TN, TM] = Y + rm[newaxis, :] * ldy + rn[:, newaxis]; //(6)
  bool checkx[TM, TN] = (rm[:, newaxis] < M) && (rn[newaxis, :] < N); //(7a)
  bool checky[TN, TM] = (rm[newaxis, :] < M) && (rn[:, newaxis] < N); //(7b)
  *?(checky)py = ^(*?(checkx)px); //(7)
}
)";

TEST(TritonCTutorial, Intro) {
  EXPECT_EQ(body("float x[16, 8] = 3.14;\nfloat y[16, 8] = 5.17;\nfloat z[16, 8] = x + y;\n"
                 "float u[16] = z[:, +];\nfloat v[16, 32] = u[:, newaxis];"),
            "(decl (float[16, 8] x 3.1400000000000001:fp64)) (decl (float[16, 8] y "
            "5.1699999999999999:fp64)) "
            "(decl (float[16, 8] z (+ x y))) (decl (float[16] u ([] z : +))) "
            "(decl (float[16, 32] v ([] u : newaxis)))");
}

TEST(TritonCTutorial, Add) {
  EXPECT_EQ(parsed(kAdd, {{"TYPE", "float"}, {"SIZE", "128"}}),
            "(kernel add void ((int N) (float* a) (float* b) (float* c)) "
            "{(decl (int id (get_program_id 0))) "
            "(decl (int[128] off (+ (* id 128) (... 0 128)))) "
            "(= (* (+ c off)) (+ (* (+ a off)) (* (+ b off))))})");
}

TEST(TritonCTutorial, Transpose) {
  EXPECT_EQ(parsed(kTranspose, {{"TYPE", "half"}, {"TM", "8"}, {"TN", "16"}}),
            "(kernel transpose void ((half* X) (half* Y) (int M) (int N) (int ldx) (int ldy)) "
            "{(decl (int pidm (get_program_id 0))) (decl (int pidn (get_program_id 1))) "
            "(decl (int[8] rm (+ (* pidm 8) (... 0 8)))) "
            "(decl (int[16] rn (+ (* pidn 16) (... 0 16)))) "
            "(decl (half*[8, 16] px (+ (+ X ([] rm : newaxis)) (* ([] rn newaxis :) ldx)))) "
            "(decl (half*[16, 8] py (+ (+ Y (* ([] rm newaxis :) ldy)) ([] rn : newaxis)))) "
            "(decl (bool[8, 16] checkx (&& (< ([] rm : newaxis) M) (< ([] rn newaxis :) N)))) "
            "(decl (bool[16, 8] checky (&& (< ([] rm newaxis :) M) (< ([] rn : newaxis) N)))) "
            "(= (*? checky py) (^ (*? checkx px)))})");
}

/// The options of the tutorial for one of the four products.
Defines dotOptions(bool isATransposed, bool isBTransposed) {
  Defines all = {{"TYPE", "half"}, {"TM", "8"}, {"TN", "16"}, {"TK", "32"}};
  Defines a = {{"USE_A", "a"},
               {"STRIDE_AK", "1"},
               {"STRIDE_AM", "lda"},
               {"BROADCAST_AK", "newaxis,:"},
               {"BROADCAST_AM", ":,newaxis"},
               {"SHAPE_A", "TM,TK"}};
  Defines aTransposed = {{"USE_A", "^a"},
                         {"STRIDE_AK", "lda"},
                         {"STRIDE_AM", "1"},
                         {"BROADCAST_AK", ":,newaxis"},
                         {"BROADCAST_AM", "newaxis,:"},
                         {"SHAPE_A", "TK,TM"}};
  Defines b = {{"USE_B", "b"},
               {"STRIDE_BK", "ldb"},
               {"STRIDE_BN", "1"},
               {"BROADCAST_BK", ":,newaxis"},
               {"BROADCAST_BN", "newaxis,:"},
               {"SHAPE_B", "TK,TN"}};
  Defines bTransposed = {{"USE_B", "^b"},
                         {"STRIDE_BK", "1"},
                         {"STRIDE_BN", "ldb"},
                         {"BROADCAST_BK", "newaxis,:"},
                         {"BROADCAST_BN", ":,newaxis"},
                         {"SHAPE_B", "TN,TK"}};
  const Defines &ofA = isATransposed ? aTransposed : a, &ofB = isBTransposed ? bTransposed : b;
  all.insert(all.end(), ofA.begin(), ofA.end());
  all.insert(all.end(), ofB.begin(), ofB.end());
  return all;
}

/// The dump of the kernel with what depends on the options.
std::string dotTree(std::string shapeA, std::string pointersA, std::string shapeB,
                    std::string pointersB, std::string product, std::string strideA,
                    std::string strideB) {
  return "(function dot void ((half* A) (half* B) (half* C) (int M) (int N) (int K) "
         "(int lda multipleof:8) (int ldb multipleof:8) (int ldc multipleof:8)) "
         "{(decl (int pm (get_program_id 0))) (decl (int pn (get_program_id 1))) "
         "(decl (int[8] rm (+ (* pm 8) (... 0 8)))) (decl (int[16] rn (+ (* pn 16) (... 0 16)))) "
         "(decl (int[32] rk (... 0 32))) (decl (float[8, 16] c 0)) "
         "(decl (half*[" +
         shapeA + "] pa " + pointersA + ")) (decl (half*[" + shapeB + "] pb " + pointersB +
         ")) (decl (half[" + shapeA + "] a (* pa))) (decl (half[" + shapeB +
         "] b (* pb))) "
         "(for (decl (int k K)) (> k 0) (-= k 32) {(+= c " +
         product + ") (= pa (+ pa (* 32 " + strideA + "))) (= pb (+ pb (* 32 " + strideB +
         "))) (decl (bool check (> k 32))) (= a (?: check (* pa) 0)) "
         "(= b (?: check (* pb) 0))}) "
         "(decl (int[8] rcm (+ (* pm 8) (... 0 8)))) (decl (int[16] rcn (+ (* pn 16) (... 0 16)))) "
         "(decl (half*[8, 16] pc (+ (+ C ([] rcn newaxis :)) (* ([] rcm : newaxis) ldc)))) "
         "(= (* pc) c)})";
}

TEST(TritonCTutorial, Conformance3FusedTranspositions) {
  const std::string plainA = "(+ (+ A (* ([] rk newaxis :) 1)) (* ([] rm : newaxis) lda))";
  const std::string turnedA = "(+ (+ A (* ([] rk : newaxis) lda)) (* ([] rm newaxis :) 1))";
  const std::string plainB = "(+ (+ B (* ([] rk : newaxis) ldb)) (* ([] rn newaxis :) 1))";
  const std::string turnedB = "(+ (+ B (* ([] rk newaxis :) 1)) (* ([] rn : newaxis) ldb))";
  EXPECT_EQ(parsed(kFusedProduct, dotOptions(false, false)),
            dotTree("8, 32", plainA, "32, 16", plainB, "(@ a b)", "1", "ldb"));
  EXPECT_EQ(parsed(kFusedProduct, dotOptions(true, false)),
            dotTree("32, 8", turnedA, "32, 16", plainB, "(@ (^ a) b)", "lda", "ldb"));
  EXPECT_EQ(parsed(kFusedProduct, dotOptions(false, true)),
            dotTree("8, 32", plainA, "16, 32", turnedB, "(@ a (^ b))", "1", "1"));
  EXPECT_EQ(parsed(kFusedProduct, dotOptions(true, true)),
            dotTree("32, 8", turnedA, "16, 32", turnedB, "(@ (^ a) (^ b))", "lda", "1"));
}

TEST(TritonCTutorial, AMissingOptionIsNamedWithItsLine) {
  Defines options = dotOptions(false, false);
  std::erase_if(options, [](const auto &entry) { return entry.first == "SHAPE_A"; });
  std::string all = parsed(kFusedProduct, options);
  EXPECT_EQ(all.substr(0, all.find('\n')),
            "k.tc:12:12: error: the extent of a tile must be an integer constant, found "
            "'SHAPE_A'; if it is a macro, define it with -DSHAPE_A=...");
}
} // namespace
