//===- Attributes.h - looking for an attribute ------------------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_SEMA_ATTRIBUTES_H
#define TRITIUM_LIB_FRONTEND_SEMA_ATTRIBUTES_H

#include "tritium/Frontend/Sema/Sema.h"

namespace tritium::sema {

/// Sema::attribute without an error: absent if there is none that a kernel can use.
std::optional<Value> findAttribute(Sema &sema, const Value &base, std::string_view name);

/// The name that Triton gives a type: "fp32", "int32", "bf16", "pointer<fp32>".
std::string typeName(DType dtype);

} // namespace tritium::sema

#endif // TRITIUM_LIB_FRONTEND_SEMA_ATTRIBUTES_H
