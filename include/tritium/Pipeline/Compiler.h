//===- Compiler.h - from a kernel's text to code ----------------*- C++ -*-===//
//
// The compiler as one function call. Thread-safe: every call has its own context. It
// includes no MLIR header, so that hosts and the runtime can use it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_PIPELINE_COMPILER_H
#define TRITIUM_PIPELINE_COMPILER_H

#include "tritium/Frontend/Scope.h"
#include "tritium/Support/Assertion.h"
#include "tritium/Support/Constant.h"
#include "tritium/Support/LaunchCondition.h"
#include "tritium/Support/Remark.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tritium {

/// How one parameter of the kernel is specialised, in the order of its parameters.
struct ArgumentSpec {
  bool isConstexpr = false;
  Constant value;           ///< constexpr: the value
  DType type;               ///< run-time argument: its type
  int64_t divisibility = 1; ///< run-time argument: value (or address) is a multiple of this
  /// Not empty: a tuple of arguments, or a tensor descriptor as what
  /// tl.make_tensor_descriptor takes.
  std::vector<ArgumentSpec> parts;
  bool isDescriptor = false;
};

/// The run-time arguments among `arguments`, parts included, in the order in which the
/// compiled kernel takes them.
std::vector<const ArgumentSpec *> runTimeArguments(const std::vector<ArgumentSpec> &arguments);

struct CompileOptions {
  /// "cpu", "interpret" (stops at ttir), "cuda:90" (a GPU of compute capability 9.0) or
  /// "sim:90" (the same on the simulator: PTX is the last stage).
  std::string target = "cpu";
  std::string cpu =
      "native"; ///< LLVM's name of the CPU: "native", "haswell", "skylake-avx512", ...
  /// Two pointer arguments may reach the same memory. When false, memory reached from
  /// different pointer arguments does not overlap.
  bool mayAlias = true;
  /// The code fits every launch. When false, it may rely on KernelMetadata::conditions.
  bool isUnconditional = true;
  /// Large outputs are stored past the caches, where that is possible: see
  /// ParameterInfo::streamedBytes.
  bool streamStores = false;
  bool debug = false; ///< device_assert and hints are checked; the interpreter checks hints anyway
  /// Other options that the launch named (num_warps, num_stages, ...): their kinds are
  /// checked by the host; kept in the metadata; without effect on a CPU.
  std::map<std::string, Constant> extra;
  /// Of "ttgir" "llir" "asm". "ttir" and what the target runs ("obj"; "ptx", "cubin") are
  /// always kept.
  std::vector<std::string> keepStages;
};

/// The PTX version of code for GPUs, 84 for 8.4, unless the option ptx_version names another.
inline constexpr unsigned kUsualPTXVersion = 84;

/// Whether CompileOptions::target is a GPU that is simulated.
inline bool isSimulatedTarget(const std::string &target) { return target.starts_with("sim:"); }
/// Whether CompileOptions::target is a GPU, also a simulated one.
inline bool isGPUTarget(const std::string &target) {
  return target.starts_with("cuda:") || isSimulatedTarget(target);
}

inline constexpr uint64_t kUnknownBytes = UINT64_MAX;

/// One run-time parameter of a compiled kernel.
struct ParameterInfo {
  std::string name;
  DType type;
  bool isWritten = false; ///< pointer: the kernel may write through it
  bool isRead = false;    ///< pointer: the kernel may read through it
  /// CPU, pointer: how much one program stores that CompileOptions::streamStores may stream;
  /// kUnknownBytes in a loop.
  uint64_t streamedBytes = 0;
  /// The code relies on the value or address being a multiple of this.
  int64_t divisibility = 1;
};

/// A variable of a kernel with assertions, 8 bytes of global memory: the address of what a
/// failed one fills in, six uint32 and a uint64: a flag that it sets by compare-and-swap from 0
/// to 1, the number of its AssertSite, the three program ids, the element and the value that
/// it reports, if any. After that its CTA ends.
inline constexpr const char *kAssertRecordSymbol = "tritium_assert_record";

struct KernelMetadata {
  std::string name;  ///< the kernel's name
  std::string entry; ///< symbol of the entry function in "obj"
  std::string target, cpu;
  std::vector<ParameterInfo> parameters; ///< run-time parameters only, in order
  uint64_t scratchBytes = 0; ///< per-thread scratch memory that the entry needs, 64-byte aligned
  /// A pointer loaded from memory is dereferenced: argument ranges do not bound accesses.
  bool hasIndirectPointers = false;
  bool hasIndirectWrites = false; ///< such a pointer may be written through
  bool mayWait = false; ///< a loop ends only when memory changes: programs wait for others
  // GPUs:
  unsigned numWarps = 0, numCtas = 1; ///< of a CTA; of a cluster
  uint64_t sharedBytes = 0;           ///< dynamic shared memory of a CTA
  /// A thread's, as ptxas says; 0 registers: the driver will assemble the code.
  unsigned registers = 0, spillBytes = 0;
  std::vector<AssertSite> asserts; ///< which report by their numbers
  /// For launches that break one there is code with CompileOptions::isUnconditional.
  std::vector<LaunchCondition> conditions;
  /// Loads run ahead of stores to other arguments, not only a few instructions: memory of which
  /// the extent is not known counts as overlapping.
  bool overtakes = false;
};

/// A note or an error, rendered with file, line, column, caret and notes.
struct CompileError {
  std::string kind;    ///< "CompilationError", "CompileTimeAssertionFailure",
                       ///< "UnsupportedLanguageConstruct", "InternalError"
  std::string message; ///< one line, without position
  std::string file;
  int line = 0, column = 0;
  std::string rendered; ///< what a terminal shows: all errors and notes with carets
};

struct CompiledKernel {
  KernelMetadata metadata;
  std::map<std::string, std::string> stages; ///< "ttir" -> text, "obj" -> ELF bytes, ...
  std::vector<Remark> remarks;
  std::string printed; ///< what static_print wrote
};

/// Calls of an entry function into its host. Passed as the last argument of the entry. Null: the
/// kernel prints nothing, asserts nothing, and cannot be interrupted.
/// Headers of code compiled ahead have the same in C (runtime/ahead/CHeaderText.cpp).
extern "C" {
struct TritiumHostCalls {
  void *user;
  /// Prints `count` elements; `shape[0..rank)` is the tile's shape. bits: element width;
  /// kind: 0 signed, 1 unsigned, 2 float, 3 pointer. pid: the three program ids.
  /// Elements are packed, i1 in bytes, floats narrower than f32 converted to f32. A
  /// prefix without a value comes with null `data` and 0 bits.
  void (*print)(void *user, const char *prefix, int hex, int kind, int bits, const void *data,
                const int64_t *shape, int rank, const uint32_t *pid);
  /// Records a failed assertion; the entry goes on with the next program. The other
  /// parameters are an AssertSite and what a FailedAssertion reports.
  void (*assertFailed)(void *user, const char *message, const char *file, int line,
                       const uint32_t *pid, int kind, const int64_t *shape, int rank,
                       uint32_t element, uint64_t value);
  /// A word that programs read each time round a loop, and after each program. While it is not
  /// 0 they call `attend`, and the entry returns at once if that answers not 0. Null: no word.
  const uint32_t *attention;
  int (*attend)(void *user);
  /// A program of the ids x, y, z has gone `rounds` times, a multiple of 64, round the loop at
  /// file:line, which it leaves when memory changes. The call may return late, when other
  /// programs have run. Not 0: the entry returns at once. Null: it just goes on.
  int (*wait)(void *user, const char *file, int line, uint32_t x, uint32_t y, uint32_t z,
              uint32_t rounds);
};
/// args: one 8-byte slot a run-time parameter, the value in its low bytes; f32 and
/// narrower floats are passed as f32 bits, f64 as f64 bits, i1 as 0 or 1.
/// Runs the programs [begin, end) of the flattened grid (x fastest).
typedef void (*TritiumCPUEntry)(const uint64_t *args, void *scratch, int64_t begin, int64_t end,
                                const uint32_t *grid, const TritiumHostCalls *host);
}

/// The parameters of a kernel, read from its text without compiling it.
struct KernelParameter {
  std::string name;
  bool isConstexpr = false;
  std::string annotation; ///< as written, empty if none
  std::optional<Constant> defaultValue;
  // Triton-C:
  std::optional<DType> type; ///< as declared; arguments convert to it
  /// What the kernel's author promises of the argument; launches in debug mode check it.
  int64_t aligned = 1, multipleOf = 1;
  bool isReadOnly = false, isWriteOnly = false, isNoAlias = false;
  bool isRetune = false; ///< another value tunes anew
};

/// A table in constant memory that the host fills by name. Each is one more run-time
/// parameter of the compiled kernel, a pointer, after those of the signature.
struct ConstantTable {
  std::string name;
  DType element;
  uint64_t bytes = 0;
};

/// A constant that the kernel's file leaves to tuning: `const tunable int TM = {16, 32};`
struct TunableConstant {
  std::string name;
  std::vector<int64_t> values; ///< empty: the host must define it
};

struct KernelSignature {
  std::string name;
  std::vector<KernelParameter> parameters;
  // Triton-C:
  std::vector<std::string> kernels; ///< of the same text, in its order
  std::vector<ConstantTable> tables;
  std::vector<TunableConstant> tunables;
  std::vector<std::string> usedDefines; ///< macros that the text tested or expanded
  std::vector<std::pair<std::string, std::string>> includedFiles; ///< path, text
};

/// Compiles `source` for one specialisation. On failure fills `error`, returns null.
std::unique_ptr<CompiledKernel> compileKernel(const frontend::FunctionSource &source,
                                              const std::vector<ArgumentSpec> &arguments,
                                              const CompileOptions &options, CompileError &error);

/// Goes on from a textual stage: `text` is a ttir module with one kernel.
std::unique_ptr<CompiledKernel> compileTileIR(const std::string &text,
                                              const CompileOptions &options, CompileError &error);

/// Reads a kernel's parameter list. On failure fills `error`.
std::optional<KernelSignature> readSignature(const frontend::FunctionSource &source,
                                             CompileError &error);

/// Changes with everything that affects generated code: the version of the compiler
/// and of LLVM, and the features of the CPU that `options` names. Part of cache keys.
std::string compilerFingerprint(const CompileOptions &options);

/// Prints what MLIR_ENABLE_DIAGNOSTICS asks for: "remarks" what was missed, "applied" what was
/// done, "warnings" those of the front end. Compiling does it; for a kernel that was kept its
/// owner does.
void printRemarks(const std::vector<Remark> &remarks);

} // namespace tritium

#endif // TRITIUM_PIPELINE_COMPILER_H
