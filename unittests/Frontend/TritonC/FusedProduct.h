//===- FusedProduct.h - the first tutorial's matrix product -----*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_FRONTEND_TRITONC_FUSEDPRODUCT_H
#define TRITIUM_UNITTESTS_FRONTEND_TRITONC_FUSEDPRODUCT_H

#include "tritium/Frontend/Scope.h"

namespace tritium::testing {

/// C = A B of TYPE, in tiles of TM x TN x TK. Each operand stands as it is or transposed in
/// memory; for A the definitions USE_A, STRIDE_AK, STRIDE_AM, SHAPE_A, BROADCAST_AK and
/// BROADCAST_AM say how, for B those with B and N.
inline constexpr const char *kFusedProduct = R"(
void dot(TYPE * A, TYPE * B, TYPE * C,
         int M, int N, int K,
         int lda __multipleof(8), int ldb __multipleof(8), int ldc __multipleof(8)) {
  int pm = get_program_id(0);
  int pn = get_program_id(1);
  int rm[TM] = pm * TM + 0 ... TM;
  int rn[TN] = pn * TN + 0 ... TN;
  int rk[TK] = 0 ... TK;
  float c[TM, TN] = 0;
  // pointers to operands
  TYPE* pa[SHAPE_A] = A + rk[BROADCAST_AK] * STRIDE_AK + rm[BROADCAST_AM] * STRIDE_AM;
  TYPE* pb[SHAPE_B] = B + rk[BROADCAST_BK] * STRIDE_BK + rn[BROADCAST_BN] * STRIDE_BN;
  TYPE a[SHAPE_A] = (*pa);
  TYPE b[SHAPE_B] = (*pb);
  for(int k = K; k > 0; k-= TK){
    c += USE_A @ USE_B;
    pa = pa + TK * STRIDE_AK;
    pb = pb + TK * STRIDE_BK;
    bool check = k > TK;
    a = check ? *pa : 0;
    b = check ? *pb : 0;
  }
  int rcm[TM] = pm * TM + 0 ... TM;
  int rcn[TN] = pn * TN + 0 ... TN;
  TYPE* pc[TM, TN] = C + rcn[newaxis, :] + rcm[:, newaxis] * ldc;
  *pc = c;
}
)";

/// Of halves, A transposed, B as it stands.
inline frontend::FunctionSource fusedProduct() {
  frontend::FunctionSource source;
  source.language = frontend::Language::TritonC;
  source.file = "kernel.tc";
  source.text = kFusedProduct;
  source.defines = {{"TYPE", "half"},
                    {"TM", "64"},
                    {"TN", "64"},
                    {"TK", "16"},
                    {"USE_A", "^a"},
                    {"STRIDE_AK", "lda"},
                    {"STRIDE_AM", "1"},
                    {"SHAPE_A", "TK,TM"},
                    {"BROADCAST_AK", ":,newaxis"},
                    {"BROADCAST_AM", "newaxis,:"},
                    {"USE_B", "b"},
                    {"STRIDE_BK", "ldb"},
                    {"STRIDE_BN", "1"},
                    {"SHAPE_B", "TK,TN"},
                    {"BROADCAST_BK", ":,newaxis"},
                    {"BROADCAST_BN", "newaxis,:"}};
  return source;
}

} // namespace tritium::testing

#endif // TRITIUM_UNITTESTS_FRONTEND_TRITONC_FUSEDPRODUCT_H
