//===- Signatures.h - the library's functions, as documentation needs them ===//

#ifndef TRITIUM_FRONTEND_SEMA_SIGNATURES_H
#define TRITIUM_FRONTEND_SEMA_SIGNATURES_H

#include <string>
#include <vector>

namespace tritium::sema {

/// A function of the language's library.
struct BuiltinSignature {
  std::string name;      ///< canonical: "load", "tensor_descriptor.store", "builtins.len"
  std::string signature; ///< Python's parameter list: "(pointer, mask=None)"
  std::string types;     ///< of the device library: a word for each overload, a letter for each
                         ///< argument (Libdevice.cpp); else empty
  bool isMethod = false; ///< also a method of tiles
};

/// All of them, sorted by name. Made once and never changed.
const std::vector<BuiltinSignature> &builtinSignatures();

} // namespace tritium::sema

#endif // TRITIUM_FRONTEND_SEMA_SIGNATURES_H
