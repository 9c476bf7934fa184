//===- BuiltinSupport.h - registering and reading arguments -----*- C++ -*-===//
//
// Each family of library functions has a file with functions from Sema and bound
// arguments to a result, and one that registers them. A function that is called `f` in
// the language and takes `x` reads its arguments with the helpers below, which name
// the function and the parameter in their errors.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_FRONTEND_SEMA_BUILTINSUPPORT_H
#define TRITIUM_LIB_FRONTEND_SEMA_BUILTINSUPPORT_H

#include "tritium/Frontend/Sema/Builtins.h"
#include "tritium/Frontend/Sema/Sema.h"

#include <map>

namespace tritium::sema {

using BuildFn = Result (*)(Sema &, const BoundArguments &);

class Registry {
public:
  /// `signature` is Python's parameter list with literal defaults. A method takes the
  /// tensor as its first parameter.
  void add(std::string name, std::string_view signature, BuildFn build);
  void addMethod(std::string name, std::string_view signature, BuildFn build);
  /// A function in the kernel language.
  void add(std::shared_ptr<frontend::FunctionSource> function, bool isMethod);
  /// A function of the device library: see Builtin::overloads.
  void addLibdevice(std::string name, std::vector<std::string> overloads, std::string rounding,
                    std::shared_ptr<frontend::FunctionSource> function);
  const Builtin *find(std::string_view name) const;
  const std::map<std::string, Builtin, std::less<>> &all() const { return builtins; }

private:
  std::map<std::string, Builtin, std::less<>> builtins;
};

void addCreationBuiltins(Registry &registry);
void addMemoryBuiltins(Registry &registry);
void addAtomicBuiltins(Registry &registry);
void addDescriptorBuiltins(Registry &registry);
void addBlockPointerBuiltins(Registry &registry);
void addMathBuiltins(Registry &registry);
void addShapeBuiltins(Registry &registry);
void addJoinBuiltins(Registry &registry);
void addRearrangeBuiltins(Registry &registry);
void addSortBuiltins(Registry &registry);
void addHistogramBuiltins(Registry &registry);
void addReductionBuiltins(Registry &registry);
void addScanBuiltins(Registry &registry);
void addDotBuiltins(Registry &registry);
void addElementBuiltins(Registry &registry);
void addAggregateBuiltins(Registry &registry);
void addDotScaledBuiltins(Registry &registry);
void addHintBuiltins(Registry &registry);
void addDebugBuiltins(Registry &registry);
void addPythonBuiltins(Registry &registry);
void addSequenceBuiltins(Registry &registry);
void addTypeBuiltins(Registry &registry);
void addTextBuiltins(Registry &registry);
void addKernelLanguageBuiltins(Registry &registry);

/// Functions in the kernel language by their names.
using FunctionTable = std::map<std::string, std::shared_ptr<frontend::FunctionSource>, std::less<>>;
/// The device library; `functions` is what its files define.
void addLibdeviceBuiltins(Registry &registry, const FunctionTable &functions);

/// Binds a call to the parameters; an error names the function and its signature.
std::optional<BoundArguments> bindArguments(Sema &sema, const Builtin &builtin,
                                            const Arguments &arguments);

/// The arguments of a function of the device library as its function in the kernel language takes
/// them: of one of its overloads' types, and of one shape.
std::optional<Arguments> chooseOverload(Sema &sema, const Builtin &builtin,
                                        const BoundArguments &arguments);

/// The name as a user writes it: "tl.load", "len", "triton.next_power_of_2".
std::string displayName(std::string_view canonicalName);

//===--- Reading arguments ----------------------------------------------===//

/// A compile-time int within int64; bools count.
std::optional<int64_t> constantInt(Sema &sema, const Value &value, std::string_view what);
std::optional<bool> constantBool(Sema &sema, const Value &value, std::string_view what);
std::optional<std::string> constantString(Sema &sema, const Value &value, std::string_view what);
std::optional<DType> dtypeArgument(Sema &sema, const Value &value, std::string_view what);
/// A list of ints; one int counts as a list of one.
std::optional<llvm::SmallVector<int64_t>> constantInts(Sema &sema, const Value &value,
                                                       std::string_view what);
/// A dimension of a tile of that rank; negative ones count from the end.
std::optional<int> axisArgument(Sema &sema, const Value &value, int64_t rank,
                                std::string_view what);
/// Brings tensors to one shape; false after an error.
bool broadcastAll(Sema &sema, llvm::MutableArrayRef<Tensor> tensors);
/// Variadic arguments that may be given as one tuple.
Value spread(const Value &variadic);

} // namespace tritium::sema

#endif // TRITIUM_LIB_FRONTEND_SEMA_BUILTINSUPPORT_H
