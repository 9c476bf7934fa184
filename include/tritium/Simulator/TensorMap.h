//===- TensorMap.h - tensor maps of simulated launches ----------*- C++ -*-===//
//
// What cp.async.bulk.tensor copies boxes of: a tensor in global memory, the shape of a box,
// and how the box lies in shared memory. A kernel gets it as 128 bytes that it does not look
// into (`.param .align 64 .b8 map[128]`); a GPU's driver has its own encoding, this is the
// simulator's.
//
//   sim::TensorMap map;
//   map.type = sim::TensorMap::Float16;
//   map.rank = 2;
//   map.address = 0x7f0000000000;                // as the kernel sees it
//   map.dims = {columns, rows};                  // elements, the fastest first
//   map.strides = {2 * columns};                 // bytes, of dimensions 1 and up
//   map.box = {64, 128};
//   map.swizzle = sim::TensorMap::Swizzle128;
//   sim::TensorMap::Bytes bytes;
//   std::string wrong = map.encode(bytes);       // "" or what the driver would not take
//
// Fields and numbers are those of cuTensorMapEncodeTiled.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SIMULATOR_TENSORMAP_H
#define TRITIUM_SIMULATOR_TENSORMAP_H

#include <array>
#include <cstdint>
#include <string>

namespace tritium::sim {

struct TensorMap {
  enum Type : uint8_t {
    UInt8,
    UInt16,
    UInt32,
    Int32,
    UInt64,
    Int64,
    Float16,
    Float32,
    Float64,
    BFloat16,
    Float32Ftz,
    TFloat32,
    TFloat32Ftz,
  };
  enum Interleave : uint8_t { InterleaveNone, Interleave16, Interleave32 };
  enum Swizzle : uint8_t { SwizzleNone, Swizzle32, Swizzle64, Swizzle128 };
  enum Promotion : uint8_t { PromoteNone, Promote64, Promote128, Promote256 };
  enum Fill : uint8_t { FillZero, FillNaN };
  static constexpr unsigned mostRank = 5;

  Type type = UInt8;
  uint32_t rank = 1;
  uint64_t address = 0;
  std::array<uint64_t, mostRank> dims{};
  std::array<uint64_t, mostRank - 1> strides{}; ///< bytes; the fastest dimension is dense
  std::array<uint32_t, mostRank> box{};         ///< elements
  std::array<uint32_t, mostRank> elementStrides{1, 1, 1, 1, 1};
  Interleave interleave = InterleaveNone;
  Swizzle swizzle = SwizzleNone;
  Promotion promotion = PromoteNone;
  Fill fill = FillZero;

  using Bytes = std::array<uint8_t, 128>;
  static constexpr unsigned alignment = 64; ///< of the bytes in memory

  static uint32_t bytesOf(Type type); ///< an element's; 0: no such type
  /// "", or which limit of cuTensorMapEncodeTiled does not hold, and what does.
  std::string check() const;
  /// check(), and if it answers "", the bytes.
  std::string encode(Bytes &to) const;
  /// Without a check: of a map that a kernel changes field by field.
  void encodeUnchecked(Bytes &to) const;
  /// False: the bytes are no encoded map. What the map says is not checked.
  static bool decode(const uint8_t *from, TensorMap &to);
};

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_TENSORMAP_H
