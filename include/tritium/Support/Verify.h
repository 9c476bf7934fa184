//===- Verify.h - whether the compiler checks itself ------------*- C++ -*-===//

#ifndef TRITIUM_SUPPORT_VERIFY_H
#define TRITIUM_SUPPORT_VERIFY_H

namespace tritium {

/// Whether the IR is verified behind each pass, which takes a tenth of the time of a
/// compilation: the environment variable TRITIUM_VERIFY is set, and not to 0. All tests run
/// so.
bool verifiesIR();

} // namespace tritium

#endif // TRITIUM_SUPPORT_VERIFY_H
