//===- Signature.h - how arguments specialise a kernel ----------*- C++ -*-===//
//
// A launch is keyed by what its arguments mean to the compiler: constants by value,
// the rest by type and by whether 16 divides them. An integer that is 1 counts as a
// constant. One classification gives both the key, which every launch computes, and the
// compiler's ArgumentSpec, so the two cannot disagree.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_SIGNATURE_H
#define TRITIUM_RUNTIME_SIGNATURE_H

#include "tritium/Kernel/ArgumentSpec.h"
#include "tritium/Kernel/CompileError.h"
#include "tritium/Kernel/CompileOptions.h"
#include "tritium/Kernel/KernelSignature.h"
#include "tritium/tritium.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>
#include <vector>

namespace tritium::runtime {

/// Words that identify a variant. Equal keys mean equal specialisations.
using Key = llvm::SmallVector<uint64_t, 48>;

DType toDType(tritium_dtype type);
tritium_dtype fromDType(const DType &type);
Constant toConstant(const tritium_value &value);
/// A view of `constant`, whose nested items live in `storage`.
tritium_value fromConstant(const Constant &constant,
                           std::vector<std::unique_ptr<tritium_value[]>> &storage);

struct Parameter {
  std::string name, annotation;
  bool isConstexpr = false;
  std::optional<DType> type; ///< fixed by the annotation
  bool isConst = false;      ///< annotated `tl.const`
  bool specializeValue = true, specializeAlignment = true;
  std::optional<Constant> defaultValue;
  tritium_value defaultView = {};
  tritium_argument defaultArgument = {}; ///< ABSENT if there is no default
  std::vector<std::unique_ptr<tritium_value[]>> storage;
  tritium_parameter view = {}; ///< this parameter, as the C interface shows it
};

/// What one argument means to the compiler.
struct ArgumentClass {
  bool isConstexpr = false;
  bool isComplex = false; ///< constexpr given as a tritium_value that no word holds
  DType type;             ///< run-time type, or the kind of the inline constant
  bool divisible = false;
  uint64_t payload = 0; ///< inline constant: its bits
  /// A tuple or a descriptor of this many items, which follow with their own classes.
  size_t items = 0;
  bool isDescriptor = false;
  unsigned parameter = 0; ///< number of the parameter that it belongs to
};

class Signature {
public:
  Signature(const KernelSignature &signature, const tritium_kernel_config *config);
  Signature(const Signature &) = delete; // defaults are viewed in place
  Signature &operator=(const Signature &) = delete;

  const std::string &name() const { return kernelName; }
  const std::vector<Parameter> &parameters() const { return params; }

  /// Classifies `count` arguments and appends their words to `key`. `bound` receives
  /// the arguments, with defaults in place of absent ones, and the items of aggregates
  /// behind them. On failure fills `error`.
  bool classify(const tritium_argument *arguments, size_t count,
                llvm::SmallVectorImpl<ArgumentClass> &classes,
                llvm::SmallVectorImpl<const tritium_argument *> &bound, Key &key,
                CompileError &error) const;
  /// The spec of the argument that is first in both lists, which are advanced behind it.
  static ArgumentSpec spec(llvm::ArrayRef<ArgumentClass> &classes,
                           llvm::ArrayRef<const tritium_argument *> &bound);

  /// `name` is neither a parameter nor an option: says so and names the nearest.
  CompileError unknownName(const std::string &name) const;
  /// A kernel may end in a `**name` parameter: a compile-time dict of all keywords that
  /// are no options.
  bool takesKeywords() const;
  /// Whether `name` is an option of launches.
  static bool isOption(const char *name);
  /// Checks the options of a launch and puts them into `options`.
  bool applyOptions(const tritium_option *options, size_t count, CompileOptions &result,
                    CompileError &error) const;

private:
  bool classifyOne(const Parameter &parameter, const tritium_argument &argument, bool isItem,
                   ArgumentClass &result, CompileError &error) const;
  bool classifyAll(const Parameter &parameter, unsigned number, const tritium_argument &argument,
                   bool isItem, llvm::SmallVectorImpl<ArgumentClass> &classes,
                   llvm::SmallVectorImpl<const tritium_argument *> &bound, Key &key,
                   CompileError &error) const;
  bool fitType(const Parameter &parameter, const tritium_argument &argument,
               CompileError &error) const;

  std::string kernelName;
  std::vector<Parameter> params;
};

bool isFloat(DTypeKind kind);
/// The least and the greatest number of an integer type, as far as int64 goes.
std::pair<int64_t, int64_t> integerRange(DTypeKind kind);
/// Whether an integer argument can be held by the integer type `kind`.
bool fitsInteger(const tritium_argument &argument, DTypeKind kind);

/// The 8-byte slot that passes `argument` as a value of `type`.
uint64_t argumentSlot(const tritium_argument &argument, const DType &type);

/// An error about a launch, without a position.
CompileError launchError(const char *kind, std::string message);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_SIGNATURE_H
