//===- Verify.cpp - whether the compiler checks itself --------------------===//

#include "tritium/Support/Verify.h"

#include <cstdlib>
#include <string_view>

bool tritium::verifiesIR() {
  const char *value = std::getenv("TRITIUM_VERIFY");
  return value && *value && std::string_view(value) != "0";
}
