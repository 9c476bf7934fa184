//===- Shown.cpp - values as hosts are shown them -------------------------===//

#include "Shown.h"

#include <cstring>

namespace tritium::interpreter {

Shown::Shown(Tile tile, std::vector<int64_t> shape, bool isSigned)
    : tile(tile), bits(tile.element.isNarrow() ? 32 : tile.element.bits), shape(std::move(shape)) {
  kind = tile.element.isFloat()               ? StoppedValue::Float
         : tile.element.kind == Kind::Pointer ? StoppedValue::Pointer
         : isSigned                           ? StoppedValue::Signed
                                              : StoppedValue::Unsigned;
}

std::vector<char> Shown::packed(Machine &m) const {
  unsigned bytes = bits < 8 ? 1 : bits / 8;
  std::vector<char> data(tile.count * bytes);
  for (int64_t i = 0; i < tile.count; ++i)
    std::memcpy(&data[i * bytes], m.at(tile) + i, bytes);
  return data;
}

} // namespace tritium::interpreter
