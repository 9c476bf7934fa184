//===- Serialization.h - bytes of compiled kernels and keys -----*- C++ -*-===//
//
// A plain little-endian form for cache entries and for the text of hashes. A reader
// never trusts its input: every length is checked, and one failure makes all later
// reads return nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_SERIALIZATION_H
#define TRITIUM_RUNTIME_SERIALIZATION_H

#include "tritium/Kernel/ArgumentSpec.h"
#include "tritium/Kernel/CompileOptions.h"
#include "tritium/Kernel/CompiledKernel.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tritium::runtime {

class Writer {
public:
  void number(uint64_t value);
  void text(std::string_view value);
  void constant(const Constant &value);
  void dtype(const DType &type);
  std::string bytes;
};

class Reader {
public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}
  uint64_t number();
  std::string text();
  Constant constant(unsigned depth = 0);
  DType dtype();
  Target target();
  /// Reads a length, which can be no more than the bytes that are left.
  size_t length();
  bool failed() const { return bad; }
  bool atEnd() const { return rest.empty(); }

private:
  std::string_view take(size_t count);
  std::string_view rest;
  bool bad = false;
};

void write(Writer &writer, const CompiledKernel &kernel);
void read(Reader &reader, CompiledKernel &kernel);
void write(Writer &writer, const ArgumentSpec &argument);
void write(Writer &writer, const CompileOptions &options);

/// SHA-256 in lower-case base32, 52 characters.
std::string hashText(std::string_view bytes);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_SERIALIZATION_H
