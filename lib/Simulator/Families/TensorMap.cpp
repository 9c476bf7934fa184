//===- TensorMap.cpp - tensor maps in memory, tensormap -------------------===//
//
// A map in global memory that a kernel writes is seen by copies through the tensor map proxy:
// the writer fences (tensormap.cp_fenceproxy does, or fence.proxy.tensormap::generic.release),
// and whoever copies acquires that address (fence.proxy.tensormap::generic.acquire).
//
//===----------------------------------------------------------------------===//

#include "../Machine/Access.h"
#include "../Machine/Proxy.h"
#include "../Machine/Race.h"
#include "BulkCopy.h"

#include <algorithm>

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

constexpr uint32_t mapBytes = sizeof(TensorMap::Bytes);

/// The bytes of a map; null after a report.
uint8_t *locateMap(Warp &warp, const Op &op, unsigned lane, Space space, uint64_t address,
                   uint32_t align, bool write, Located &located) {
  if (!isAligned(warp, op, lane, address, align, "a tensor map needs an address"))
    return nullptr;
  uint8_t *last = warp.resolve(op, space, address + mapBytes - 1, lane, 1, write, located);
  return last ? warp.resolve(op, space, address, lane, 1, write, located) : nullptr;
}

void noteMap(Warp &warp, const Op &op, unsigned lane, Located located, AccessMode mode) {
  constexpr uint32_t most = 32;
  for (uint32_t i = 0; i < mapBytes; i += most, located.offset += most)
    noteAccess(warp, op, lane, located, most, mode);
}

/// A map that this launch has written is to be fenced and acquired.
void checkAcquired(Warp &warp, const Op &op, unsigned lane, const Located &located) {
  const Cell *written = nullptr;
  bool isOrdered = true;
  located.shadow->visit(located.offset, mapBytes, [&](Cell &cell, uint64_t, uint32_t) {
    if (cell.write.present && (!written || cell.write.time > written->write.time))
      written = &cell;
    isOrdered &= !cell.write.present || ordered(warp, lane, cell.write);
    noteRead(warp, op, lane, !located.range, cell);
  });
  if (!written)
    return;
  const Access &last = written->write;
  uint64_t address = located.range->address + located.offset;
  bool isAcquired =
      std::any_of(warp.mapFences.begin(), warp.mapFences.end(), [&](const Warp::MapFence &fence) {
        return fence.address == address && fence.time > last.time && (fence.lanes >> lane & 1);
      });
  bool isReleased = isProxyFenced(warp, lane, last, ProxyTensorMap);
  if (isOrdered && isReleased && isAcquired)
    return;
  Fault *fault = warp.machine.report(
      isOrdered ? FaultKind::ProxyFence : FaultKind::GlobalRace, &op, &warp, int(lane),
      !isOrdered    ? "a tensor map races with a write to it by another thread"
      : !isReleased ? "a tensor map is used that its writer has not released: "
                      "tensormap.cp_fenceproxy does, or fence.proxy.tensormap::generic.release"
                    : "a tensor map that was changed is used, and this thread executes no "
                      "fence.proxy.tensormap::generic.acquire of it between");
  if (!fault)
    return;
  fault->hasAddress = fault->hasOther = true;
  fault->address = address;
  fault->other = warp.machine.placeOf(last);
  fault->otherIs = "written";
}

} // namespace

bool tritium::sim::readTensorMap(Warp &warp, const Op &op, unsigned lane, uint64_t address,
                                 TensorMap &map) {
  // A parameter's own address is taken for a generic one, too: no buffer lies there.
  const std::vector<uint8_t> &parameters = warp.machine.parameters;
  if (address < parameters.size())
    address |= parameterWindow;
  Located located;
  const uint8_t *first = locateMap(warp, op, lane, Space::Generic, address, TensorMap::alignment,
                                   /*write=*/false, located);
  if (!first)
    return false;
  bool isParameter = (address & ~windowMask) == parameterWindow;
  if (!isParameter && !located.range) {
    invalidCopy(warp, op, lane,
                "a tensor map of a copy lies in global, constant or parameter "
                "memory; this one does not");
    return false;
  }
  if (located.range && warp.machine.launch.checkRaces)
    checkAcquired(warp, op, lane, located);
  if (!TensorMap::decode(first, map)) {
    invalidCopy(warp, op, lane, "the 128 bytes are no tensor map");
    return false;
  }
  std::string wrong = map.check();
  if (wrong.empty() && map.interleave != TensorMap::InterleaveNone)
    wrong = "interleaved tensor maps are not known here";
  // How narrower rows lie in shared memory is not documented.
  uint32_t row = map.box[0] * TensorMap::bytesOf(map.type);
  if (wrong.empty() && map.swizzle != TensorMap::SwizzleNone && row != 16u << map.swizzle)
    wrong = "boxes whose rows are narrower than their swizzle are not known here: the row has " +
            std::to_string(row) + " bytes, the swizzle " + std::to_string(16u << map.swizzle);
  for (unsigned i = 0; wrong.empty() && i < map.rank; ++i)
    if (map.elementStrides[i] != 1)
      wrong = "tensor maps with element strides other than 1 are not known here";
  if (!wrong.empty())
    invalidCopy(warp, op, lane, wrong);
  return wrong.empty();
}

void tritium::sim::acquireTensorMap(Warp &warp, const Op &op) {
  fence(warp);
  uint32_t now = ++warp.machine.time;
  eachAddress(warp, op, [&](unsigned lane, uint64_t address) {
    auto known = std::find_if(warp.mapFences.begin(), warp.mapFences.end(),
                              [&](const Warp::MapFence &fence) {
                                return fence.address == address && fence.lanes == 1u << lane;
                              });
    if (known == warp.mapFences.end())
      warp.mapFences.push_back({address, now, 1u << lane});
    else
      known->time = now;
  });
}

namespace {

enum Field : int {
  GlobalAddress,
  Rank,
  BoxDim,
  GlobalDim,
  GlobalStride,
  ElementStride,
  ElementType,
  InterleaveLayout,
  SwizzleMode,
  FillMode
};

/// The numbers of elemtype.
constexpr TensorMap::Type types[] = {
    TensorMap::UInt8,      TensorMap::UInt16,  TensorMap::UInt32,   TensorMap::Int32,
    TensorMap::UInt64,     TensorMap::Int64,   TensorMap::Float16,  TensorMap::Float32,
    TensorMap::Float32Ftz, TensorMap::Float64, TensorMap::BFloat16, TensorMap::TFloat32,
    TensorMap::TFloat32Ftz};

void setField(TensorMap &map, Field field, uint32_t ordinal, uint64_t value) {
  switch (field) {
  case GlobalAddress:
    map.address = value;
    break;
  case Rank:
    map.rank = uint32_t(value) + 1;
    break;
  case BoxDim:
    map.box[ordinal] = uint32_t(value);
    break;
  case GlobalDim:
    map.dims[ordinal] = uint32_t(value) ? uint32_t(value) : uint64_t(1) << 32;
    break;
  case GlobalStride:
    map.strides[ordinal] = value;
    break;
  case ElementStride:
    map.elementStrides[ordinal] = uint32_t(value);
    break;
  case ElementType:
    map.type = types[value];
    break;
  case InterleaveLayout:
    map.interleave = TensorMap::Interleave(value);
    break;
  case SwizzleMode:
    map.swizzle = TensorMap::Swizzle(value);
    break;
  case FillMode:
    map.fill = TensorMap::Fill(value);
    break;
  }
}

// Op: a address, b the value, e the field, c the ordinal; bytes of the value.
void replace(Warp &warp, const Op &op) {
  warp.demand(op.b, warp.mask, op, "a field of a tensor map");
  eachAddress(warp, op, [&](unsigned lane, uint64_t address) {
    Located located;
    uint8_t *at = locateMap(warp, op, lane, op.space, address, TensorMap::alignment,
                            /*write=*/true, located);
    if (!at)
      return;
    TensorMap map;
    if (!TensorMap::decode(at, map)) {
      invalidCopy(warp, op, lane, "the 128 bytes are no tensor map");
      return;
    }
    noteMap(warp, op, lane, located, AccessMode::Write);
    setField(map, Field(op.e), op.c == none ? 0 : op.c,
             op.bytes == 8 ? warp.lanes<u64>(op.b)[lane] : warp.lanes<u32>(op.b)[lane]);
    TensorMap::Bytes bytes;
    map.encodeUnchecked(bytes);
    std::memcpy(at, bytes.data(), mapBytes);
  });
}

// tensormap.cp_fenceproxy. Op: a, offset, target: to; list: address from.
void copyMap(Warp &warp, const Op &op) {
  if (!warp.gather(op, warp.live))
    return;
  warp.demand(op.a, warp.mask, op, "an address");
  warp.demand(op.list[0], warp.mask, op, "an address");
  uint64_t to[32];
  laneAddresses(warp, op, to);
  unsigned lane = unsigned(std::countr_zero(warp.mask));
  uint64_t source = addressOf(warp, op.list, lane);
  Located located, read;
  uint8_t *target =
      locateMap(warp, op, lane, Space::Global, to[lane], mapBytes, /*write=*/true, located);
  const uint8_t *from =
      locateMap(warp, op, lane, Space::Shared, source, mapBytes, /*write=*/false, read);
  if (!target || !from)
    return;
  noteMap(warp, op, lane, read, AccessMode::Read);
  noteMap(warp, op, lane, located, AccessMode::Write);
  std::memcpy(target, from, mapBytes);
  fenceProxy(warp, ProxyTensorMap);
  fence(warp);
}

bool decodeReplace(Decoder &decoder, Modifiers &m) {
  int field =
      m.takeOne({"global_address", "rank", "box_dim", "global_dim", "global_stride",
                 "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "fill_mode"});
  if (!m.take("tile") || field < 0)
    return decoder.fail("replaces a field of a map in .tile mode");
  Space space = m.take("global") ? Space::Global : Space::Generic;
  if (m.take("shared::cta"))
    space = Space::Shared;
  m.take("b1024");
  bool isWide = field == GlobalAddress || field == GlobalStride;
  Type type = m.type();
  bool hasOrdinal = field >= BoxDim && field <= ElementStride, isNumber = field >= ElementType;
  if (bitsOf(type) != (isWide ? 64 : 32))
    return decoder.fail(isWide ? "needs .b64" : "needs .b32");
  if (!decoder.done(m) || !decoder.wants(2 + hasOrdinal))
    return false;
  uint64_t ordinal = 0, number = 0;
  constexpr uint64_t most[] = {12, 2, 3, 1};
  if (hasOrdinal && !decoder.immediate(1, ordinal))
    return false;
  if (ordinal >= TensorMap::mostRank - (field == GlobalStride))
    return decoder.fail("there is no such dimension");
  if (isNumber && !decoder.immediate(1, number))
    return false;
  if (isNumber && number > most[field - ElementType])
    return decoder.fail("there is no such value of the field");
  uint32_t b = decoder.source(1 + hasOrdinal, type);
  Op &op = decoder.emit(replace, Class::Other);
  if (!decoder.address(decoder.operand(0), op))
    return false;
  op.b = b;
  op.c = uint32_t(ordinal);
  op.e = uint32_t(field);
  op.bytes = isWide ? 8 : 4;
  op.space = space;
  return !decoder.failed();
}

bool decodeTensorMap(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  if (m.take("replace"))
    return decoder.isAccelerated() && decodeReplace(decoder, m);
  bool isKnown = m.take("cp_fenceproxy") && m.take("global") && m.take("shared::cta") &&
                 m.take("tensormap::generic") && m.take("release");
  if (!isKnown)
    return decoder.fail("this form is not known");
  m.takeOne({"cta", "cluster", "gpu", "sys"});
  m.take("sync");
  m.take("aligned");
  uint64_t size = 0;
  uint32_t *list = decoder.list(addressWords);
  if (!decoder.done(m) || !decoder.wants(3) || !decoder.immediate(2, size) ||
      !readAddress(decoder, 1, list))
    return false;
  if (size != mapBytes)
    return decoder.fail("copies 128 bytes");
  Op &op = decoder.emit(copyMap, Class::Other);
  if (!decoder.address(decoder.operand(0), op))
    return false;
  op.list = list;
  return !decoder.failed();
}

} // namespace

const Family tritium::sim::tensorMapFamily = {{"tensormap", decodeTensorMap}};
