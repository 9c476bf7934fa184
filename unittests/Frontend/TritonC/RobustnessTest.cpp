//===- RobustnessTest.cpp - any text compiles or has an error -------------===//
//
// Kernels with tokens deleted, repeated, exchanged or replaced: whatever comes out, the
// compiler reports the user's error or compiles it, and never its own.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include <cstdlib>
#include <random>
#include <regex>

using namespace tritium;
using namespace tritium::testing;

static const char *const kSeeds[] = {
    R"(float helper(float *p, int n) { for (int i = 0; i < n; ++i) { if (*(p + i) > 1) return i; }
  return -1; }
__global__ void k(float *x, float *out, int n) {
  int r[16] = get_program_id(0) * 16 + 0 ... 16; bool m[16] = r < n;
  float v[16] = m ? exp(*(x + r)) : -1; *?(m)(out + r) = v - v[max];
  *out = helper(x, n) + v[+]; atomic_add(out + r, v, m); })",
    R"(__global__ void k(half *A, half *B, half *C, int K, int lda) {
  int rm[16] = 0 ... 16; int rk[8] = 0 ... 8; float c[16, 16] = 0;
  half *pa[16, 8] = A + rm[:, newaxis] * lda + rk[newaxis, :];
  half *pb[8, 16] = B + rk[:, newaxis] * lda + rm[newaxis, :];
  for (int k = K; k > 0; k -= 8) { half a[16, 8] = *pa; half b[8, 16] = *pb; c += a @ b;
    pa += 8; pb += 8 * lda; }
  half *pc[16, 16] = C + rm[:, newaxis] * lda + rm[newaxis, :]; *pc = ^c; })",
    R"(typedef int pair[2];
__global__ void k(int *p, long n, double d, unsigned u, char c, bool b) {
  pair t = 0 ... 2; int i = 0; int j;
  while (i < n) { if (i == 3) { i += 2; continue; } do { j++; if (j > 9) break; } while (j % 5);
    i = i + 1; u >>= 1; d = d * 2 - i; }
  @(t > 0) t = t * i; if (b && d > 1.5) return; else *p = c ? u : ~i;
  int x[2, 3, 4] = (0 ... 2)[:, newaxis, newaxis] + (0 ... 4); int y[4, 2] = x[^2, +, ^0];
  for (int s = 1; s == 1; s = atomic_cas(p, 0, 1)); atomic_xchg(p, 0);
  *(p + t) = y[max, :] + bitcast<int[2]>((float[2])t) - (int)sizeof(y); })",
};

static std::vector<std::string> tokensOf(const std::string &text) {
  static const std::regex token(
      R"([A-Za-z_]\w*|\d+\.?\d*|\.\.\.|[-+*/%&|^<>=!]=|<<|>>|&&|\|\||\+\+|--|[^\s\w])");
  std::vector<std::string> tokens;
  for (std::sregex_iterator it(text.begin(), text.end(), token), end; it != end; ++it)
    tokens.push_back(it->str());
  return tokens;
}

static int classOf(const std::string &token) {
  static const std::regex type("void|int|long|half|float|double|unsigned|char|bool|pair|typedef");
  static const std::regex word("if|else|for|while|do|return|break|continue|__global__");
  static const std::regex binary("[-+*/%@<>]|&&|<<|>>|<=|>=|==|!=");
  static const std::regex assignment("[-+*/%&|^]?=|>>=|<<=");
  if (std::regex_match(token, type))
    return 1;
  if (std::regex_match(token, word))
    return 2;
  if (std::regex_match(token, binary))
    return 3;
  if (std::regex_match(token, assignment))
    return 4;
  return std::isalpha(token[0]) || token[0] == '_' ? 5 : std::isdigit(token[0]) ? 6 : 7;
}

TEST(Robustness, MutatedKernelsCompileOrHaveAnError) {
  const char *count = std::getenv("TRITIUM_TEST_MUTATIONS");
  int mutations = count ? std::atoi(count) : 400;
  std::mt19937 random(count ? std::random_device{}() : 1);
  int compiled = 0;
  for (const char *seed : kSeeds) {
    std::vector<std::string> original = tokensOf(seed);
    for (int i = 0; i < mutations; ++i) {
      std::vector<std::string> tokens = original;
      for (int edits = 1 + int(random() % 2); edits-- > 0;) {
        size_t at = random() % tokens.size(), other = random() % tokens.size();
        // Mostly one name for another, one operator for another: those still parse.
        for (int tries = 0; tries < 50 && classOf(tokens[at]) != classOf(tokens[other]); ++tries)
          other = random() % tokens.size();
        switch (random() % 8) {
        case 0:
          tokens.erase(tokens.begin() + long(at));
          break;
        case 1:
          tokens.insert(tokens.begin() + long(at), tokens[other]);
          break;
        case 2:
        case 3:
          std::swap(tokens[at], tokens[other]);
          break;
        default:
          tokens[at] = tokens[other];
        }
      }
      std::string text;
      for (const std::string &token : tokens)
        text += token + (token == ";" || token == "{" ? "\n" : " ");
      CompileError error;
      frontend::FunctionSource source = sourceOf(text);
      if (count)
        if (FILE *last = std::fopen("/tmp/tritonc-mutation.tc", "w")) {
          std::fputs(text.c_str(), last);
          std::fclose(last);
        }
      auto signature = readSignature(source, error);
      if (!signature) {
        EXPECT_EQ(error.kind, "CompilationError") << text;
        continue;
      }
      std::vector<ArgumentSpec> specs;
      for (const KernelParameter &parameter : signature->parameters)
        specs.push_back({false, {}, *parameter.type, 1});
      CompileOptions options;
      options.target = Target(random() % 4 ? kInterpreter : kCPU);
      options.debug = random() % 2;
      auto kernel = compileKernel(source, specs, options, error);
      compiled += kernel != nullptr;
      if (!kernel) {
        EXPECT_EQ(error.kind, "CompilationError") << text << error.rendered;
      }
    }
  }
  EXPECT_GT(compiled, mutations / 10);
}
