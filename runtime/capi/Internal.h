//===- Internal.h - shared by the files of the C interface ------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_CAPI_INTERNAL_H
#define TRITIUM_RUNTIME_CAPI_INTERNAL_H

#include "../Kernel.h"

namespace tritium::capi {

/// Copies `from` into the caller's error, if there is one.
void report(const CompileError &from, tritium_error *to);

/// Runs `body`; an exception becomes an InternalError and `failed`.
template <typename Result, typename Body>
Result guarded(tritium_error *error, Result failed, Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    report(runtime::launchError("OutOfMemory", "out of memory"), error);
  } catch (const std::exception &exception) {
    report(
        runtime::launchError("InternalError", std::string("bug in Tritium: ") + exception.what()),
        error);
  } catch (...) {
    report(runtime::launchError("InternalError", "bug in Tritium: unknown exception"), error);
  }
  return failed;
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

/// A function whose scope is the host's. Takes `source.scope` over.
frontend::FunctionSource makeSource(const tritium_source &source);

} // namespace tritium::capi

#endif // TRITIUM_RUNTIME_CAPI_INTERNAL_H
