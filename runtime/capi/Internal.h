//===- Internal.h - shared by the files of the C interface ------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_CAPI_INTERNAL_H
#define TRITIUM_RUNTIME_CAPI_INTERNAL_H

#include "../Kernel.h"

namespace tritium::capi {

/// Copies `from` into the caller's error, if there is one. What there is no memory for is null.
void report(const CompileError &from, tritium_error *to) noexcept;

/// Puts the exception that is handled now into the caller's error, if there is one.
void reportException(tritium_error *to) noexcept;

/// Runs `body`; an exception becomes an InternalError and `failed`. Each function of the interface
/// that does more than read a field runs in it: no exception leaves.
template <typename Result, typename Body>
Result guarded(tritium_error *error, Result failed, Body body) noexcept {
  try {
    return body();
  } catch (...) {
    reportException(error);
    return failed;
  }
}

/// The same for a function that answers nothing.
template <typename Body> void guarded(tritium_error *error, Body body) noexcept {
  guarded(error, 0, [&] {
    body();
    return 0;
  });
}

/// Runs a function of the host's. What it throws becomes `thrown`, as text, and false.
template <typename Call> bool callHost(std::string &thrown, Call call) {
  try {
    call();
    return true;
  } catch (const std::exception &exception) {
    thrown = std::string("a function of the host threw an exception: ") + exception.what();
  } catch (...) {
    thrown = "a function of the host threw an exception";
  }
  return false;
}

inline runtime::Kernel *unwrap(tritium_kernel *kernel) {
  return reinterpret_cast<runtime::Kernel *>(kernel);
}
inline const runtime::Kernel *unwrap(const tritium_kernel *kernel) {
  return reinterpret_cast<const runtime::Kernel *>(kernel);
}
inline runtime::Variant *unwrap(tritium_compiled *compiled) {
  return reinterpret_cast<runtime::Variant *>(compiled);
}

/// Hands a reference over to the caller.
tritium_kernel *release(llvm::IntrusiveRefCntPtr<runtime::Kernel> kernel);
tritium_compiled *release(runtime::VariantRef variant);

/// Reads the name of a target, or of a CPU alone; it may be null or empty. False with `error` if
/// it is neither.
bool readTarget(const char *name, std::optional<Target> &target, CompileError &error);

/// The arguments of a launch of `variant`, whose number the launch checks. False with `error` for
/// one that is no value of its parameter.
bool bindAll(const runtime::Variant &variant, const tritium_argument *arguments, size_t count,
             llvm::SmallVectorImpl<runtime::BoundArgument> &bound, CompileError &error);

/// A function whose scope is the host's. Takes `source.scope` over.
frontend::FunctionSource makeSource(const tritium_source &source);

} // namespace tritium::capi

#endif // TRITIUM_RUNTIME_CAPI_INTERNAL_H
