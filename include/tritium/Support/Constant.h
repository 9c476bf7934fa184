//===- Constant.h - compile-time values and element types -------*- C++ -*-===//
//
// Values that are known while a kernel is compiled: constexpr arguments, globals,
// literals. They cross the library's boundary (hosts pass them in), so this header
// includes nothing of MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SUPPORT_CONSTANT_H
#define TRITIUM_SUPPORT_CONSTANT_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tritium {

/// Element types, in the order of the language's conversion rank within a kind.
enum class DTypeKind : uint8_t {
  Void,
  Int1,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float8E5,
  Float8E4NV,
  Float8E4B8,
  Float8E4B15,
  Float8E5B16,
  Float16,
  BFloat16,
  Float32,
  Float64
};

/// A scalar element type, or a pointer to one.
struct DType {
  DTypeKind kind = DTypeKind::Void;
  uint8_t pointerDepth = 0; ///< 0: a value; 1: pointer to `kind`; 2: pointer to pointer ...
  bool isConst = false;     ///< a pointer that may not be stored through

  bool isPointer() const { return pointerDepth > 0; }
  bool operator==(const DType &) const = default;

  /// The language's spelling: "fp32", "i32", "u8", "i1", "fp8e4nv", with "*" for each
  /// pointer level ("*k" for a const one), as in signatures.
  std::string signature() const;
  /// Parses what signature() prints; also "int32", "float32", "bfloat16", "int1", ...
  static std::optional<DType> parse(std::string_view text);
  /// The name in `triton.language`: "float32", "int32", "uint8", "int1", ...
  std::string_view languageName() const;
  /// Bits of a value (pointers: 64).
  unsigned bits() const;
};

/// A compile-time value. Integers are exact in the range of int64 and uint64.
struct Constant {
  using Int = __int128;
  using Tuple = std::vector<Constant>;
  struct None {
    bool operator==(const None &) const = default;
  };
  /// An object of the host, which knows it by this name and answers for its attributes. The name
  /// of a kernel function begins with "function".
  struct Object {
    std::string name;
    static bool isFunction(std::string_view name) { return name.starts_with("function "); }
    bool operator==(const Object &) const = default;
  };
  std::variant<None, bool, Int, double, std::string, DType, Tuple, Object> value;

  bool isNone() const { return std::holds_alternative<None>(value); }
  bool operator==(const Constant &) const = default;
  /// Whether it is True, or a number other than 0.
  bool isSet() const {
    const bool *flag = std::get_if<bool>(&value);
    const Int *integer = std::get_if<Int>(&value);
    return (flag && *flag) || (integer && *integer != 0);
  }
  /// As Python's repr would print it.
  std::string repr() const;
};

} // namespace tritium

#endif // TRITIUM_SUPPORT_CONSTANT_H
