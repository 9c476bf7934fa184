//===- arguments.hpp - what a kernel can be given --------------*- C++ -*-===//

#ifndef TRITIUM_CPP_ARGUMENTS_HPP
#define TRITIUM_CPP_ARGUMENTS_HPP

#include "tritium/c/kernels.h"
#include "tritium/cpp/values.hpp"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace tritium {

/// Memory with an element type and a size that the C++ type does not tell. A span or a vector
/// stands for its elements alone: where a kernel reaches from one argument into another, pass both
/// as Buffers with the allocation that they are parts of, so that the order of accesses is kept.
struct Buffer {
  const void *data;
  DType type;   ///< of the elements: "bf16", ...
  size_t bytes; ///< TRITIUM_UNKNOWN_EXTENT if it is not known
  bool isReadOnly = false;
  int device = -1;                  ///< the GPU that `data` is on, from 0; -1: memory of the host
  const void *allocation = nullptr; ///< all that the kernel may reach; null: `bytes` from `data`
  size_t allocationBytes = 0;
};

namespace detail {

template <typename T> constexpr const char *elementName() {
  using E = std::remove_cv_t<T>;
  if constexpr (std::same_as<E, bool>)
    return "i1";
  else if constexpr (std::same_as<E, float>)
    return "fp32";
  else if constexpr (std::same_as<E, double>)
    return "fp64";
#ifdef __FLT16_MAX__
  else if constexpr (std::same_as<E, _Float16>)
    return "fp16";
#endif
  else if constexpr (std::integral<E>)
    return std::is_signed_v<E> ? (sizeof(E) == 1   ? "i8"
                                  : sizeof(E) == 2 ? "i16"
                                  : sizeof(E) == 4 ? "i32"
                                                   : "i64")
                               : (sizeof(E) == 1   ? "u8"
                                  : sizeof(E) == 2 ? "u16"
                                  : sizeof(E) == 4 ? "u32"
                                                   : "u64");
  else
    static_assert(sizeof(E) == 0, "pass a tritium::Buffer that names the element type");
}

inline tritium_argument pointer(const void *data, DType type, size_t bytes, bool isReadOnly) {
  tritium_argument argument = {};
  argument.kind = TRITIUM_ARG_POINTER;
  argument.read_only = isReadOnly;
  argument.type = type.get();
  argument.bits = argument.begin = reinterpret_cast<uint64_t>(data);
  argument.bytes = bytes;
  return argument;
}

template <typename T>
concept Range = requires(T &range) {
  { std::span(range) };
};

/// A bare pointer says nothing of its extent: the kernel is then compiled so that its
/// arguments may overlap. Pass a span or a vector where you can.
template <typename T>
  requires(!Range<const T>)
tritium_argument toArgument(const T &value) {
  tritium_argument argument = {};
  if constexpr (std::same_as<T, Buffer>) {
    tritium_argument buffer = pointer(value.data, value.type, value.bytes, value.isReadOnly);
    buffer.memory = value.device < 0 ? TRITIUM_HOST_MEMORY : TRITIUM_CUDA_MEMORY;
    buffer.device = static_cast<uint8_t>(value.device < 0 ? 0 : value.device);
    buffer.allocation_begin = reinterpret_cast<uint64_t>(value.allocation);
    buffer.allocation_bytes = value.allocationBytes;
    return buffer;
  } else if constexpr (std::same_as<T, Value>) {
    argument.kind = TRITIUM_ARG_VALUE;
    argument.value = &value.get();
  } else if constexpr (std::same_as<T, std::nullptr_t>) {
    static const tritium_value none = {};
    argument.kind = TRITIUM_ARG_VALUE;
    argument.value = &none;
  } else if constexpr (std::same_as<T, bool>) {
    argument.kind = TRITIUM_ARG_BOOL;
    argument.bits = value;
  } else if constexpr (std::integral<T>) {
    bool isLarge = !std::is_signed_v<T> && static_cast<uint64_t>(value) > INT64_MAX;
    argument.kind = isLarge ? TRITIUM_ARG_UINT : TRITIUM_ARG_INT;
    argument.bits = static_cast<uint64_t>(value);
  } else if constexpr (std::floating_point<T>) {
    argument.kind = TRITIUM_ARG_FLOAT;
    argument.bits = std::bit_cast<uint64_t>(static_cast<double>(value));
  } else if constexpr (std::is_pointer_v<T>) {
    using E = std::remove_pointer_t<T>;
    return pointer(value, elementName<E>(), TRITIUM_UNKNOWN_EXTENT, std::is_const_v<E>);
  } else {
    static_assert(sizeof(T) == 0, "this type cannot be passed to a kernel");
  }
  return argument;
}

template <typename T>
  requires Range<T>
tritium_argument toArgument(T &range) {
  std::span view(range);
  using E = typename decltype(view)::element_type;
  return pointer(view.data(), elementName<E>(), view.size_bytes(), std::is_const_v<E>);
}

} // namespace detail

} // namespace tritium

#endif // TRITIUM_CPP_ARGUMENTS_HPP
