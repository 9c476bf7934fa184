//===- TensorMap.cpp - tensor maps of simulated launches ------------------===//

#include "tritium/Simulator/TensorMap.h"

#include <cstring>

using namespace tritium::sim;

namespace {

constexpr uint64_t magic = 0x50414d524f534e54; // "TNSORMAP"

/// What stands in the 128 bytes.
struct Encoded {
  uint64_t magic;
  uint64_t address;
  uint64_t dims[TensorMap::mostRank];
  uint64_t strides[TensorMap::mostRank - 1];
  uint16_t box[TensorMap::mostRank];
  uint8_t elementStrides[TensorMap::mostRank];
  uint8_t type, rank, interleave, swizzle, promotion, fill;
};
static_assert(sizeof(Encoded) <= sizeof(TensorMap::Bytes));

bool isFloating(TensorMap::Type type) { return type >= TensorMap::Float16; }

std::string ofDimension(const char *what, unsigned i) {
  return std::string(what) + " of dimension " + std::to_string(i);
}

} // namespace

uint32_t TensorMap::bytesOf(Type type) {
  switch (type) {
  case UInt8:
    return 1;
  case UInt16:
  case Float16:
  case BFloat16:
    return 2;
  case UInt32:
  case Int32:
  case Float32:
  case Float32Ftz:
  case TFloat32:
  case TFloat32Ftz:
    return 4;
  case UInt64:
  case Int64:
  case Float64:
    return 8;
  }
  return 0;
}

std::string TensorMap::check() const {
  uint64_t size = bytesOf(type);
  if (!size)
    return "a tensor map's data type is 0 to 12, not " + std::to_string(type);
  if (!rank || rank > mostRank)
    return "a tensor map has 1 to 5 dimensions, not " + std::to_string(rank);
  if (interleave > Interleave32 || swizzle > Swizzle128 || promotion > Promote256 || fill > FillNaN)
    return "a tensor map's interleave, swizzle, promotion or fill is none that there is";
  uint64_t align = interleave == Interleave32 ? 32 : 16;
  if (address % align)
    return "a tensor map needs a global address that " + std::to_string(align) + " divides";
  for (unsigned i = 0; i < rank; ++i) {
    if (!dims[i] || dims[i] > uint64_t(1) << 32)
      return ofDimension("the extent", i) + " of a tensor map is 1 to 2^32, not " +
             std::to_string(dims[i]);
    if (!box[i] || box[i] > 256)
      return ofDimension("the box's extent", i) + " of a tensor map is 1 to 256, not " +
             std::to_string(box[i]);
    if (!elementStrides[i] || elementStrides[i] > 8)
      return ofDimension("the element stride", i) + " of a tensor map is 1 to 8, not " +
             std::to_string(elementStrides[i]);
  }
  for (unsigned i = 1; i < rank; ++i)
    if (strides[i - 1] % align || strides[i - 1] >= uint64_t(1) << 40)
      return ofDimension("the stride", i) + " of a tensor map is a multiple of " +
             std::to_string(align) + " bytes below 2^40, not " + std::to_string(strides[i - 1]);
  uint64_t inner = box[0] * size;
  if (interleave == InterleaveNone && inner % 16)
    return "a row of a tensor map's box is a multiple of 16 bytes, not " + std::to_string(inner);
  uint64_t widest = uint64_t(16) << swizzle;
  if (interleave == InterleaveNone && swizzle != SwizzleNone && inner > widest)
    return "with a swizzle of " + std::to_string(widest) +
           " bytes a row of a tensor map's box has no more than that, not " + std::to_string(inner);
  if (interleave != InterleaveNone && rank < 3)
    return "an interleaved tensor map has at least 3 dimensions";
  if (interleave == Interleave32 && swizzle != Swizzle32)
    return "a tensor map interleaved by 32 bytes has a swizzle of 32 bytes";
  if (fill == FillNaN && !isFloating(type))
    return "a tensor map fills with NaN only where its type is one of floats";
  return "";
}

std::string TensorMap::encode(Bytes &to) const {
  std::string wrong = check();
  if (wrong.empty())
    encodeUnchecked(to);
  return wrong;
}

void TensorMap::encodeUnchecked(Bytes &to) const {
  Encoded made = {};
  made.magic = magic;
  made.address = address;
  for (unsigned i = 0; i < mostRank; ++i) {
    made.dims[i] = dims[i];
    made.box[i] = uint16_t(box[i] > 0xffff ? 0xffff : box[i]);
    made.elementStrides[i] = uint8_t(elementStrides[i] > 0xff ? 0xff : elementStrides[i]);
  }
  for (unsigned i = 0; i + 1 < mostRank; ++i)
    made.strides[i] = strides[i];
  made.type = type;
  made.rank = uint8_t(rank > 0xff ? 0xff : rank);
  made.interleave = interleave;
  made.swizzle = swizzle;
  made.promotion = promotion;
  made.fill = fill;
  to.fill(0);
  std::memcpy(to.data(), &made, sizeof made);
}

bool TensorMap::decode(const uint8_t *from, TensorMap &to) {
  Encoded encoded;
  std::memcpy(&encoded, from, sizeof encoded);
  if (encoded.magic != magic)
    return false;
  to.address = encoded.address;
  for (unsigned i = 0; i < mostRank; ++i) {
    to.dims[i] = encoded.dims[i];
    to.box[i] = encoded.box[i];
    to.elementStrides[i] = encoded.elementStrides[i];
  }
  for (unsigned i = 0; i + 1 < mostRank; ++i)
    to.strides[i] = encoded.strides[i];
  to.type = Type(encoded.type);
  to.rank = encoded.rank;
  to.interleave = Interleave(encoded.interleave);
  to.swizzle = Swizzle(encoded.swizzle);
  to.promotion = Promotion(encoded.promotion);
  to.fill = Fill(encoded.fill);
  return true;
}
