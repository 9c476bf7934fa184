//===- pieces.cpp - speed of the compiler's own pieces --------------------===//
//
// The micro-kernel of products on packed tiles against chains of multiply-adds, functions of
// vectors against libm in f64, and the time of Triton-C's front end. What is compared runs by
// turns. Prints a line of JSON for each: its name, and what each turn measured.
//
//===----------------------------------------------------------------------===//

#include "Frontend/TritonC/FusedProduct.h"
#include "JitHarness.h"

#include "tritium/Conversion/Math/VectorMath.h"
#include "tritium/Conversion/TileToCPU/MicroKernel.h"
#include "tritium/Frontend/TritonC/IRGen.h"

#include <cmath>
#include <ctime>

using namespace mlir;
using namespace tritium;
using namespace tritium::cpu;

namespace {

constexpr int kTurns = 41;

/// The thread's own time on its CPU, so that waiting for other processes does not count.
double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

double secondsOf(llvm::function_ref<void()> run) {
  double begin = now();
  run();
  return now() - begin;
}

void printTurns(const char *name, ArrayRef<double> turns) {
  std::printf("%s[", name);
  for (size_t i = 0; i < turns.size(); ++i)
    std::printf("%s%.6g", i ? ", " : "", turns[i]);
  std::printf("]");
}

/// `amount` over the time of each turn, for both.
void compare(const std::string &name, const char *unit, double ours, double theirs,
             llvm::function_ref<void()> run, llvm::function_ref<void()> other) {
  SmallVector<double> a, b;
  run();
  other();
  for (int turn = 0; turn < kTurns; ++turn) {
    a.push_back(ours / secondsOf(run));
    b.push_back(theirs / secondsOf(other));
  }
  std::printf("{\"name\": \"%s\", \"unit\": \"%s\", ", name.c_str(), unit);
  printTurns("\"ours\": ", a);
  printTurns(", \"theirs\": ", b);
  std::printf("}\n");
}

//===-- Products ----------------------------------------------------------===//

using Dot = void (*)(float *, float *, float *);
constexpr int64_t M = 64, N = 64, K = 32, kSteps = 10000, kChains = 12;

Dot compileDot(JitHarness &jit) {
  return reinterpret_cast<Dot>(
      jit.compile(3, [&](OpBuilder &b, Location loc, ArrayRef<Value> args) {
        emitDot(b, loc, jit.target(), b.getF32Type(), M, N, K, {args[0], K, {}}, {args[1], N, {}},
                {args[2], N, {}});
      }));
}

/// Independent chains of multiply-adds on registers: the most that a core does.
void (*compileChains(JitHarness &jit))(float *) {
  return reinterpret_cast<void (*)(float *)>(
      jit.compile(1, [&](OpBuilder &b, Location loc, ArrayRef<Value> args) {
        auto vector = VectorType::get(jit.target().lanesF32(), b.getF32Type());
        auto index = [&](int64_t v) -> Value { return b.create<arith::ConstantIndexOp>(loc, v); };
        SmallVector<Value> chains, next;
        for (int64_t i = 0; i < kChains; ++i)
          chains.push_back(loadAt(b, loc, vector, args[0], index(16 * i), b.getF32Type()));
        auto loop = b.create<scf::ForOp>(loc, index(0), index(kSteps), index(1), chains);
        b.setInsertionPointToStart(loop.getBody());
        for (Value value : loop.getRegionIterArgs())
          next.push_back(b.create<math::FmaOp>(loc, value, chains[0], chains[0]));
        b.create<scf::YieldOp>(loc, next);
        b.setInsertionPointAfter(loop);
        for (int64_t i = 0; i < kChains; ++i)
          storeAt(b, loc, loop.getResult(i), args[0], index(16 * i), b.getF32Type());
      }));
}

void products() {
  JitHarness jit("native");
  Dot dot = compileDot(jit);
  auto chains = compileChains(jit);
  alignas(64) static float a[M * K], b[K * N], c[M * N], registers[16 * kChains];
  constexpr int calls = 30;
  compare(
      "product of packed tiles 64x64x32", "GFLOP/s", 2e-9 * M * N * K * calls,
      2e-9 * kSteps * kChains * jit.target().lanesF32(),
      [&] {
        for (int i = 0; i < calls; ++i)
          dot(a, b, c);
      },
      [&] { chains(registers); });
}

//===-- Functions ---------------------------------------------------------===//

struct Function {
  const char *name;
  Value (VectorMath::*emit)(Value);
  double (*reference)(double);
};

const Function kFunctions[] = {
    {"exp", &VectorMath::exp, std::exp},    {"exp2", &VectorMath::exp2, std::exp2},
    {"log", &VectorMath::log, std::log},    {"log2", &VectorMath::log2, std::log2},
    {"sin", &VectorMath::sin, std::sin},    {"cos", &VectorMath::cos, std::cos},
    {"tanh", &VectorMath::tanh, std::tanh}, {"erf", &VectorMath::erf, std::erf},
};

void functions() {
  constexpr int64_t count = 4032, lanes = 16;
  static float in[count], out[count];
  for (const Function &function : kFunctions) {
    JitHarness jit("native");
    auto map = reinterpret_cast<void (*)(const float *, float *)>(
        jit.compile(2, [&](OpBuilder &b, Location loc, ArrayRef<Value> args) {
          auto index = [&](int64_t v) -> Value { return b.create<arith::ConstantIndexOp>(loc, v); };
          auto loop = b.create<scf::ForOp>(loc, index(0), index(count), index(lanes));
          b.setInsertionPointToStart(loop.getBody());
          Value i = loop.getInductionVar();
          VectorMath math(b, loc, jit.target());
          Value x =
              loadAt(b, loc, VectorType::get(lanes, b.getF32Type()), args[0], i, b.getF32Type());
          storeAt(b, loc, (math.*function.emit)(x), args[1], i, b.getF32Type());
          b.setInsertionPointAfter(loop);
        }));
    bool isLog = StringRef(function.name).starts_with("log");
    for (int64_t i = 0; i < count; ++i)
      in[i] = isLog ? (i + 1) * 0.01f : (i % 2000 - 1000) * 0.003f;
    compare(
        std::string(function.name) + " of fp32, 16 lanes", "G/s", 1e-9 * count, 1e-9 * count,
        [&] { map(in, out); },
        [&] {
          for (int64_t i = 0; i < count; ++i)
            out[i] = static_cast<float>(function.reference(in[i]));
        });
  }
}

//===-- Front end ---------------------------------------------------------===//

bool frontEnd() {
  frontend::FunctionSource source = testing::fusedProduct();
  SmallVector<double> times;
  for (int turn = 0; turn < kTurns; ++turn) {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    SourceManager sources;
    tritium::DiagnosticEngine diagnostics(sources);
    auto signature = frontend::tritonc::readSignature(source, sources, diagnostics);
    if (!signature)
      return false;
    std::vector<ArgumentSpec> arguments;
    for (const KernelParameter &parameter : signature->parameters)
      arguments.push_back({false, {}, *parameter.type, 16});
    OwningOpRef<ModuleOp> module;
    times.push_back(1e3 * secondsOf([&] {
                      module = frontend::tritonc::generate(context, source, arguments, sources,
                                                           diagnostics, {});
                    }));
    if (!module)
      return false;
  }
  printTurns("{\"name\": \"Triton-C's front end, a fused product\", \"unit\": \"ms\", \"ours\": ",
             times);
  std::printf("}\n");
  return true;
}

} // namespace

int main() {
  products();
  functions();
  return frontEnd() ? 0 : 1;
}
