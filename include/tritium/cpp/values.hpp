//===- values.hpp - errors, element types, compile-time values -*- C++ -*-===//

#ifndef TRITIUM_CPP_VALUES_HPP
#define TRITIUM_CPP_VALUES_HPP

#include "tritium/c/values.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tritium {

/// Anything that went wrong: in a kernel's text, in a launch's arguments, while it ran.
class Error : public std::runtime_error {
public:
  /// Takes what `error` holds and clears it.
  explicit Error(tritium_error &error)
      : std::runtime_error(error.rendered ? error.rendered : "unknown error"),
        kind(error.kind ? error.kind : ""), message(error.message ? error.message : ""),
        file(error.file ? error.file : ""), line(error.line), column(error.column) {
    tritium_error_clear(&error);
  }
  explicit Error(const std::string &text) : std::runtime_error(text), message(text) {}

  std::string kind;    ///< see tritium_error
  std::string message; ///< one line; what() has the source line and a caret, too
  std::string file;
  int line = 0, column = 0;
};

/// An element type by its name in signatures: "fp32", "bf16", "i64", ...
class DType {
public:
  DType(const char *name) {
    if (tritium_dtype_parse(name, &type) != 0)
      throw Error(std::string("no element type is called '") + name + "'");
  }
  tritium_dtype get() const { return type; }

private:
  tritium_dtype type = {};
};

/// A compile-time value: None, a bool, an int, a float, a string, a type or a tuple.
class Value {
public:
  Value() = default;
  Value(std::nullptr_t) {}
  Value(bool flag) {
    value.kind = TRITIUM_BOOL;
    value.as.boolean = flag;
  }
  template <std::integral T> Value(T number) {
    value.kind = TRITIUM_INT;
    value.as.integer.low = static_cast<uint64_t>(number);
    value.as.integer.high = std::is_signed_v<T> && number < T(0) ? -1 : 0;
  }
  Value(double number) {
    value.kind = TRITIUM_FLOAT;
    value.as.number = number;
  }
  Value(const char *text) : Value(std::string(text)) {}
  Value(std::string text) : text(std::make_shared<std::string>(std::move(text))) {
    value.kind = TRITIUM_STRING;
    value.as.string = {this->text->data(), this->text->size()};
  }
  Value(DType type) {
    value.kind = TRITIUM_DTYPE;
    value.as.dtype = type.get();
  }
  static Value tuple(std::vector<Value> items) {
    Value result;
    result.items = std::make_shared<std::vector<Value>>(std::move(items));
    result.views = std::make_shared<std::vector<tritium_value>>();
    for (const Value &item : *result.items)
      result.views->push_back(item.value);
    result.value.kind = TRITIUM_TUPLE;
    result.value.as.tuple = {result.views->data(), result.views->size()};
    return result;
  }

  const tritium_value &get() const { return value; }

private:
  tritium_value value = {};
  std::shared_ptr<std::string> text; // what `value` points to; copies share it
  std::shared_ptr<std::vector<Value>> items;
  std::shared_ptr<std::vector<tritium_value>> views;
};

} // namespace tritium

#endif // TRITIUM_CPP_VALUES_HPP
