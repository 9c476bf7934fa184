//===- KernelTest.cpp - whole kernels through the front end ---------------===//
//
// The kernels that the language's own documents show. What the IR computes is tested by
// running it (test/integration); here it must be built, and valid.
//
//===----------------------------------------------------------------------===//

#include "IRGenTestUtil.h"

using namespace tritium;
using namespace tritium::frontend;

namespace {
TEST(Kernels, VectorAdd) {
  Generated add =
      generate(R"(
@triton.jit
def kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    output = x + y
    tl.store(output_ptr + offsets, output, mask=mask)
)",
               {arg("*fp32", 16), arg("*kfp32", 16), arg("*fp32"), arg("i32", 16), constant(1024)});
  EXPECT_EQ(add.errors, "");
  EXPECT_TRUE(add.has("tt.func @kernel(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32, "
                      "tt.name = \"x_ptr\"}, %arg1: !tt.ptr<f32> {tt.const, tt.divisibility = "
                      "16 : i32, tt.name = \"y_ptr\"}"))
      << add.ir;
  EXPECT_TRUE(add.has("arith.addf")) << add.ir;
  EXPECT_TRUE(add.has("tt.store")) << add.ir;
}

TEST(Kernels, FusedSoftmax) {
  Generated softmax = generate(R"(
@triton.jit
def kernel(output_ptr, input_ptr, input_row_stride, output_row_stride, n_rows, n_cols,
           BLOCK_SIZE: tl.constexpr, num_stages: tl.constexpr):
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row_idx in tl.range(row_start, n_rows, row_step, num_stages=num_stages):
        row_start_ptr = input_ptr + row_idx * input_row_stride
        col_offsets = tl.arange(0, BLOCK_SIZE)
        input_ptrs = row_start_ptr + col_offsets
        mask = col_offsets < n_cols
        row = tl.load(input_ptrs, mask=mask, other=-float('inf'))
        row_minus_max = row - tl.max(row, axis=0)
        numerator = tl.exp(row_minus_max)
        denominator = tl.sum(numerator, axis=0)
        softmax_output = numerator / denominator
        output_row_start_ptr = output_ptr + row_idx * output_row_stride
        output_ptrs = output_row_start_ptr + col_offsets
        tl.store(output_ptrs, softmax_output, mask=mask)
)",
                               {arg("*fp32"), arg("*fp32"), arg("i32"), arg("i32"), arg("i32"),
                                arg("i32"), constant(1024), constant(4)});
  EXPECT_EQ(softmax.errors, "");
  EXPECT_TRUE(softmax.has("tt.num_stages = 4 : i32")) << softmax.ir;
  EXPECT_FALSE(softmax.has("iter_args")) << softmax.ir;
  EXPECT_FALSE(softmax.has("arith.select")) << softmax.ir;
}

const char *kMatmul = R"(
@triton.jit
def kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm,
           stride_cn, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
           BLOCK_SIZE_K: tl.constexpr, GROUP_SIZE_M: tl.constexpr, ACTIVATION: tl.constexpr):
    """Grouped matmul."""
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m
    offs_am = (pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)) % M
    offs_bn = (pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)) % N
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = a_ptr + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_SIZE_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_SIZE_K, other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_ptrs += BLOCK_SIZE_K * stride_ak
        b_ptrs += BLOCK_SIZE_K * stride_bk
    if ACTIVATION == "leaky_relu":
        accumulator = leaky_relu(accumulator)
    c = accumulator.to(tl.float16)
    offs_cm = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_cn = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
    c_mask = (offs_cm[:, None] < M) & (offs_cn[None, :] < N)
    tl.store(c_ptrs, c, mask=c_mask)

@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)
)";

std::vector<ArgumentSpec> matmulArguments(std::string activation) {
  std::vector<ArgumentSpec> arguments = {arg("*fp16"), arg("*fp16"), arg("*fp16")};
  for (int i = 0; i < 9; ++i)
    arguments.push_back(arg("i32", 16));
  for (int block : {64, 32, 16, 8})
    arguments.push_back(constant(block));
  arguments.push_back(constant(std::move(activation)));
  return arguments;
}

TEST(Kernels, GroupedMatmul) {
  Generated plain = generate(kMatmul, matmulArguments(""));
  EXPECT_EQ(plain.errors, "");
  EXPECT_TRUE(plain.has("tt.dot")) << plain.ir;
  EXPECT_TRUE(plain.has("iter_args(")) << plain.ir;
  EXPECT_FALSE(plain.has("arith.select")) << plain.ir;

  Generated relu = generate(kMatmul, matmulArguments("leaky_relu"));
  EXPECT_EQ(relu.errors, "");
  EXPECT_TRUE(relu.has("arith.select")) << relu.ir;
}

TEST(Kernels, TheAnnouncementsMatmul) {
  Generated matmul =
      generate(R"(
@jit
def kernel(A, B, C, M, N, K, stride_am, stride_ak,
stride_bk, stride_bn, stride_cm, stride_cn,
**META):
    BLOCK_M, GROUP_M = META['BLOCK_M'], META['GROUP_M']
    BLOCK_N = META['BLOCK_N']
    BLOCK_K = META['BLOCK_K']
    _pid_m = tl.program_id(0)
    _pid_n = tl.program_id(1)
    pid_m = _pid_m // GROUP_M
    pid_n = (_pid_n * GROUP_M) + (_pid_m % GROUP_M)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    A = A + (rm[:, None] * stride_am + rk[None, :] * stride_ak)
    B = B + (rk [:, None] * stride_bk + rn[None, :] * stride_bn)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(K, 0, -BLOCK_K):
        a = tl.load(A)
        b = tl.load(B)
        acc += tl.dot(a, b)
        A += BLOCK_K * stride_ak
        B += BLOCK_K * stride_bk
    C = C + (rm[:, None] * stride_cm + rn[None, :] * stride_cn)
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    tl.store(C, acc, mask=mask)
)",
               [] {
                 std::vector<ArgumentSpec> arguments = {arg("*fp32"), arg("*fp32"), arg("*fp32")};
                 for (int i = 0; i < 9; ++i)
                   arguments.push_back(arg("i32"));
                 Constant::Tuple meta;
                 for (const char *name : {"BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP_M"})
                   meta.push_back({Constant::Tuple{{std::string(name)}, {Constant::Int{16}}}});
                 arguments.push_back(constant(meta));
                 return arguments;
               }());
  EXPECT_EQ(matmul.errors, "");
  EXPECT_TRUE(matmul.has("tt.dot")) << matmul.ir;
}

TEST(Kernels, BareNamesAndGlobals) {
  Generated add = generate(R"(
@jit
def kernel(X, Y, Z, N):
    pid = tl.program_id(0)
    idx = pid * BLOCK + tl.arange(0, BLOCK)
    mask = idx < N
    tl.store(Z + idx, tl.load(X + idx, mask=mask) + tl.load(Y + idx, mask=mask), mask=mask)
)",
                           {arg("*i32"), arg("*i32"), arg("*i32"), arg("i32")},
                           {{"BLOCK", {Constant::Int{512}}}});
  EXPECT_EQ(add.errors, "");
  EXPECT_TRUE(add.has("tensor<512xi32>")) << add.ir;
}
} // namespace
