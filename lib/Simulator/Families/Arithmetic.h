//===- Arithmetic.h - opcodes that several families share -------*- C++ -*-===//

#ifndef TRITIUM_SIMULATOR_ARITHMETIC_H
#define TRITIUM_SIMULATOR_ARITHMETIC_H

#include "../Machine/Decoder.h"
#include "../Machine/Lanes.h"

namespace tritium::sim {

enum class FloatOp : uint8_t { Add, Sub, Mul, Fma, Min, Max, Abs, Neg, Div };

/// add.f32 and the like: type was taken from the modifiers.
bool decodeFloat(Decoder &decoder, FloatOp what, Modifiers modifiers, ptx::Type type);
/// ex2, tanh of f16 and bf16.
bool decodeHalfSpecial(Decoder &decoder, Modifiers modifiers, ptx::Type type);
/// f16, bf16 and their pairs.
bool decodeHalf(Decoder &decoder, FloatOp what, Modifiers modifiers, ptx::Type type);

template <typename T> using Slot = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
/// A slot's bits of a value: the upper ones are 0.
template <typename T> inline Slot<T> put(T value) {
  return Slot<T>(std::make_unsigned_t<T>(value));
}

/// Calls f with a value of the C++ type; false if the type is none of 16, 32, 64 bits.
template <typename F> bool withInteger(ptx::Type type, F &&f) {
  switch (type) {
  case ptx::Type::U16:
  case ptx::Type::B16:
    return f(uint16_t()), true;
  case ptx::Type::U32:
  case ptx::Type::B32:
    return f(uint32_t()), true;
  case ptx::Type::U64:
  case ptx::Type::B64:
    return f(uint64_t()), true;
  case ptx::Type::S16:
    return f(int16_t()), true;
  case ptx::Type::S32:
    return f(int32_t()), true;
  case ptx::Type::S64:
    return f(int64_t()), true;
  default:
    return false;
  }
}

/// F<T>::f(T, ...) -> T on integers.
template <template <typename> class F, typename T> void integerUnary(Warp &warp, const Op &op) {
  unary<[](Slot<T> a) { return put<T>(F<T>::f(T(a))); }, Slot<T>, Slot<T>>(warp, op);
}
template <template <typename> class F, typename T> void integerBinary(Warp &warp, const Op &op) {
  binary<[](Slot<T> a, Slot<T> b) { return put<T>(F<T>::f(T(a), T(b))); }, Slot<T>, Slot<T>,
         Slot<T>>(warp, op);
}
template <template <typename> class F, typename T> void integerTernary(Warp &warp, const Op &op) {
  ternary<[](Slot<T> a, Slot<T> b, Slot<T> c) { return put<T>(F<T>::f(T(a), T(b), T(c))); },
          Slot<T>, Slot<T>, Slot<T>, Slot<T>>(warp, op);
}

/// d = run(a, b, c) with operands 1.. of the types; tracked.
bool emitSimple(Decoder &decoder, Handler run, InstructionClass kind, ptx::Type to,
                std::initializer_list<ptx::Type> from);

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_ARITHMETIC_H
