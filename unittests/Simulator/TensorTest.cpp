//===- TensorTest.cpp - tensor maps and copies of boxes -------------------===//

#include "SimTest.h"
#include "tritium/Simulator/TensorMap.h"

#include <numeric>
#include <random>

using namespace tritium::sim;
using namespace tritium::sim::test;

namespace {

constexpr uint64_t inputAddress = 0x7f0000000000;
constexpr uint32_t sharedBytes = 65536;

/// Parameters p (a tensor), q (64 KiB), map, c0 to c4; %d0 holds p, %d1 q, %d2 the map, %r10 and
/// up the coordinates; one warp; %p0 of its first lane; s begins at 1024.
std::string tensorKernel(const std::string &body) {
  std::string parameters = ".param .u64 p, .param .u64 q, .param .align 64 .b8 map[128]";
  std::string reads = "ld.param.u64 %d1, [q];\nmov.b64 %d2, map;\ncvta.param.u64 %d2, %d2;\n";
  for (int i = 0; i < 5; ++i) {
    parameters += ", .param .u32 c" + std::to_string(i);
    reads += "ld.param.u32 %r1" + std::to_string(i) + ", [c" + std::to_string(i) + "];\n";
  }
  std::string text = kernel(reads + "setp.eq.u32 %p0, %r0, 0;\n" + body,
                            ".file 1 \"kernel.py\"\n.shared .align 1024 .b8 s[65536];\n"
                            ".shared .align 8 .b64 bar;\n");
  text.replace(text.find(".target sm_90"), 13, ".target sm_90a");
  return text.replace(text.find(".param .u64 p"), 13, parameters);
}

std::string coordinates(unsigned rank) {
  std::string text;
  for (unsigned i = 0; i < rank; ++i)
    text += (i ? ", %r1" : "%r1") + std::to_string(i);
  return "{" + text + "}";
}
std::string dimension(unsigned rank) { return std::to_string(rank) + "d"; }

std::string loadsBox(unsigned rank, uint64_t bytes, const std::string &map = "%d2") {
  return "@%p0 mbarrier.init.shared::cta.b64 [bar], 1;\n"
         "@%p0 fence.mbarrier_init.release.cluster;\nbar.warp.sync -1;\n"
         "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], " +
         std::to_string(bytes) + ";\n\n.loc 1 77 0\n@%p0 cp.async.bulk.tensor." + dimension(rank) +
         ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [" + map + ", " +
         coordinates(rank) +
         "], [bar];\n.loc 1 5 0\nW:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;\n"
         "@!%p1 bra W;\n";
}
/// Words of s and q, one after another: `what` with the addresses in %r3 and %d3.
std::string eachWord(uint64_t bytes, const std::string &what) {
  return "mov.u32 %r4, %r0;\nC:\nmov.u32 %r3, s;\nmad.lo.u32 %r3, %r4, 4, %r3;\n"
         "mad.wide.u32 %d3, %r4, 4, %d1;\nsetp.lt.u32 %p2, %r4, " +
         std::to_string(bytes / 4) + ";\n" + what +
         "add.u32 %r4, %r4, 32;\nsetp.lt.u32 %p3, %r4, " +
         std::to_string((bytes + 127) / 128 * 32) + ";\n@%p3 bra C;\n";
}
std::string copiesOut(uint64_t bytes) {
  return eachWord(bytes, "@%p2 ld.shared.u32 %r5, [%r3];\n@%p2 st.global.u32 [%d3], %r5;\n");
}
std::string copiesIn(uint64_t bytes) {
  return eachWord(bytes, "@%p2 ld.global.u32 %r5, [%d3];\n@%p2 st.shared.u32 [%r3], %r5;\n") +
         "fence.proxy.async.shared::cta;\nbar.warp.sync -1;\n";
}
std::string storesBox(unsigned rank, const std::string &reduction = "") {
  return "\n.loc 1 77 0\n@%p0 cp." + std::string(reduction.empty() ? "" : "reduce.") +
         "async.bulk.tensor." + dimension(rank) + ".global.shared::cta" + reduction +
         ".tile.bulk_group [%d2, " + coordinates(rank) +
         "], [s];\n.loc 1 5 0\n@%p0 cp.async.bulk.commit_group;\n"
         "@%p0 cp.async.bulk.wait_group 0;\n";
}

struct Tensor {
  TensorMap map;
  std::vector<uint8_t> data, box = std::vector<uint8_t>(sharedBytes);
  std::array<int32_t, 5> at{};

  uint64_t boxBytes() const {
    uint64_t bytes = TensorMap::bytesOf(map.type);
    for (unsigned i = 0; i < map.rank; ++i)
      bytes *= map.box[i];
    return bytes;
  }

  Result run(const std::string &body) {
    TensorMap::Bytes bytes;
    EXPECT_EQ(map.encode(bytes), "");
    SimRun run(tensorKernel(body));
    run.buffer(data, "tensor").buffer(box, "box").value(bytes);
    for (int32_t c : at)
      run.value(c);
    return run.run();
  }

  /// f(element's first byte in the tensor or -1, in the box), as PTX describes swizzles: of the
  /// byte's place in a pattern of 1024 bytes, chunk ^ row within each 128 bytes.
  template <typename F> void eachElement(F &&f) const {
    uint32_t size = TensorMap::bytesOf(map.type);
    std::array<uint32_t, 5> i{};
    for (uint64_t n = 0, count = boxBytes() / size; n < count; ++n) {
      int64_t from = 0;
      bool isInside = true;
      for (unsigned k = 0; k < map.rank; ++k) {
        int64_t c = int64_t(at[k]) + i[k];
        isInside &= c >= 0 && c < int64_t(map.dims[k]);
        from += c * int64_t(k ? map.strides[k - 1] : size);
      }
      uint64_t byte = n * size, line = byte / 128, chunk = byte / 16 % 8;
      if (map.swizzle == TensorMap::Swizzle128)
        chunk ^= line % 8;
      else if (map.swizzle == TensorMap::Swizzle64)
        chunk ^= line % 4;
      else if (map.swizzle == TensorMap::Swizzle32)
        chunk ^= line % 2;
      f(isInside ? from : -1, line * 128 + chunk * 16 + byte % 16);
      for (unsigned k = 0; k < map.rank && ++i[k] == map.box[k]; ++k)
        i[k] = 0;
    }
  }
};

Tensor randomTensor(std::mt19937 &random) {
  auto from = [&](unsigned least, unsigned most) { return least + random() % (most - least + 1); };
  Tensor made;
  TensorMap &map = made.map;
  constexpr TensorMap::Type types[] = {TensorMap::UInt8, TensorMap::Float16, TensorMap::Int32,
                                       TensorMap::Float64};
  map.type = types[from(0, 3)];
  uint32_t size = TensorMap::bytesOf(map.type);
  map.rank = from(1, 5);
  map.swizzle = TensorMap::Swizzle(from(0, 3));
  uint32_t row = map.swizzle == TensorMap::SwizzleNone ? 16 * from(1, 8) : 16u << map.swizzle;
  map.box[0] = row / size;
  map.dims[0] = from(1, 70);
  uint64_t stride = (map.dims[0] * size + 15) / 16 * 16;
  for (unsigned i = 1; i < map.rank; ++i) {
    map.box[i] = from(1, i == 1 ? 20 : 3);
    map.dims[i] = from(1, 9);
    map.strides[i - 1] = stride + 16 * from(0, 2);
    stride = map.strides[i - 1] * map.dims[i];
  }
  for (unsigned i = 0; i < map.rank; ++i)
    made.at[i] = int32_t(from(0, uint32_t(map.dims[i] + map.box[i]))) - int32_t(map.box[i]);
  // Rows of a box begin at chunks of 16 bytes.
  made.at[0] &= -int32_t(16 / size);
  map.address = inputAddress;
  made.data.resize(stride);
  for (uint8_t &byte : made.data)
    byte = uint8_t(1 + random() % 255);
  return made;
}

/// Boxes of random tensors, partly outside of them, against plain loops.
TEST(Tensors, LoadsAndStores) {
  std::mt19937 random(1);
  for (int n = 0; n < 200; ++n) {
    Tensor tensor = randomTensor(random);
    uint32_t size = TensorMap::bytesOf(tensor.map.type);
    std::vector<uint8_t> expected(tensor.boxBytes());
    tensor.eachElement([&](int64_t from, uint64_t to) {
      if (from >= 0)
        std::memcpy(&expected[to], &tensor.data[from], size);
    });
    std::vector<uint8_t> before = tensor.data;
    uint64_t bytes = tensor.boxBytes();
    Result result = tensor.run(loadsBox(tensor.map.rank, bytes) + copiesOut(bytes));
    ASSERT_TRUE(result.clean()) << n << result.renderFaults();
    ASSERT_EQ(tensor.data, before);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), tensor.box.begin())) << n;

    // Nothing is stored in front of a tensor, and rows end at such chunks.
    for (int32_t &at : tensor.at)
      at = std::max(at, 0);
    tensor.map.dims[0] = (tensor.map.dims[0] * size + 15) / 16 * 16 / size;
    for (uint8_t &byte : tensor.box)
      byte = uint8_t(random());
    std::vector<uint8_t> after = before;
    tensor.eachElement([&](int64_t to, uint64_t from) {
      if (to >= 0)
        std::memcpy(&after[to], &tensor.box[from], size);
    });
    result = tensor.run(copiesIn(bytes) + storesBox(tensor.map.rank));
    ASSERT_TRUE(result.clean()) << n << result.renderFaults();
    ASSERT_EQ(tensor.data, after) << n;
  }
}

Tensor words(TensorMap::Type type = TensorMap::Int32) {
  Tensor made;
  made.map.type = type;
  made.map.rank = 2;
  made.map.address = inputAddress;
  made.map.dims = {24, 10};
  made.map.strides = {24u * TensorMap::bytesOf(type)};
  made.map.box = {16, 8};
  made.data.resize(24 * 10 * TensorMap::bytesOf(type));
  return made;
}

TEST(Tensors, Reductions) {
  auto run = [](const char *reduction, TensorMap::Type type, auto &&apply, auto zero) {
    using T = decltype(zero);
    Tensor tensor = words(type);
    tensor.at = {16, 4};
    T *data = reinterpret_cast<T *>(tensor.data.data()),
      *box = reinterpret_cast<T *>(tensor.box.data());
    for (int i = 0; i < 240; ++i)
      data[i] = T(i % 7);
    for (int i = 0; i < 128; ++i)
      box[i] = T(i % 5);
    std::vector<T> expected(data, data + 240);
    tensor.eachElement([&](int64_t to, uint64_t from) {
      if (to >= 0)
        expected[size_t(to) / sizeof(T)] =
            apply(expected[size_t(to) / sizeof(T)], box[from / sizeof(T)]);
    });
    Result result = tensor.run(copiesIn(tensor.boxBytes()) + storesBox(2, reduction));
    EXPECT_TRUE(result.clean()) << result.renderFaults();
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), data)) << reduction;
  };
  auto add = [](auto a, auto b) { return decltype(a)(a + b); };
  run(".add", TensorMap::Int32, add, int32_t());
  run(".add", TensorMap::Float32, add, float());
  run(".min", TensorMap::Int32, [](int32_t a, int32_t b) { return std::min(a, b); }, int32_t());
  run(".max", TensorMap::UInt32, [](uint32_t a, uint32_t b) { return std::max(a, b); }, uint32_t());
  run(".xor", TensorMap::UInt64, [](uint64_t a, uint64_t b) { return a ^ b; }, uint64_t());
  run(
      ".inc", TensorMap::UInt32, [](uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; },
      uint32_t());
}

/// Outside of the tensor a load of floats may fill with NaN.
TEST(Tensors, FillsWithNaN) {
  Tensor tensor = words(TensorMap::Float32);
  tensor.map.fill = TensorMap::FillNaN;
  tensor.at = {16, 0};
  Result result = tensor.run(loadsBox(2, 512) + copiesOut(512));
  EXPECT_TRUE(result.clean()) << result.renderFaults();
  const float *box = reinterpret_cast<const float *>(tensor.box.data());
  EXPECT_EQ(box[7], 0);
  EXPECT_NE(box[8], box[8]);
}

/// Loads of tf32 round to the nearest, ties to even; what an H200 does, of NaN and subnormals too.
TEST(Tensors, RoundsToTF32) {
  constexpr uint32_t cases[][2] = {{0x3f800fff, 0x3f800000}, {0x3f801001, 0x3f802000},
                                   {0x3f801000, 0x3f800000}, {0x3f803000, 0x3f804000},
                                   {0xbf803000, 0xbf804000}, {0x00001001, 0x00002000},
                                   {0x7f7ff000, 0x7f800000}, {0xff800000, 0xff800000},
                                   {0x7f800001, 0x7fffe000}, {0xffc95e2f, 0x7fffe000}};
  for (auto [before, after] : cases) {
    Tensor tensor = words(TensorMap::TFloat32);
    uint32_t *data = reinterpret_cast<uint32_t *>(tensor.data.data());
    std::fill_n(data, tensor.data.size() / 4, before);
    Result result = tensor.run(loadsBox(2, 512) + copiesOut(512));
    EXPECT_TRUE(result.clean()) << result.renderFaults();
    EXPECT_EQ(reinterpret_cast<const uint32_t *>(tensor.box.data())[5], after) << before;
  }
}

TEST(Tensors, OtherForms) {
  for (const char *form :
       {"mov.u16 %h0, 1;\n@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx"
        "::bytes.multicast::cluster [s], [%d2, {%r10, %r11}], [bar], %h0;\n",
        "mov.u64 %d9, 0;\n@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
        "complete_tx::bytes.L2::cache_hint [s], [%d2, {%r10, 0}], [bar], %d9;\n",
        "mov.b64 %d2, map;\nprefetch.tensormap [%d2];\n"
        "@%p0 cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%d2, {%r10, %r11}];\n"
        "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s], "
        "[%d2, {%r10, %r11}], [bar];\n"}) {
    Tensor tensor = words();
    std::iota(tensor.data.begin(), tensor.data.end(), 0);
    std::string body = loadsBox(2, 512) + copiesOut(512);
    size_t from = body.find("\n.loc 1 77 0\n"), to = body.find(".loc 1 5 0\n");
    Result result = tensor.run(body.replace(from, to - from, "\n" + std::string(form)));
    EXPECT_TRUE(result.clean()) << result.renderFaults();
    EXPECT_EQ(tensor.box[100], tensor.data[132]);
  }
}

/// A map in shared memory gets fields, is copied to global memory, and used there.
std::string changesMap(const std::string &release, const std::string &acquire) {
  std::string copy;
  for (int i = 0; i < 128; i += 8)
    copy += "@%p0 ld.param.u64 %d5, [map+" + std::to_string(i) + "];\n@%p0 st.shared.u64 [s+" +
            std::to_string(i + 1024) + "], %d5;\n";
  return copy +
         "mov.u32 %r3, s;\nadd.u32 %r3, %r3, 1024;\nmov.u32 %r20, 12;\nadd.u64 %d6, %d0, 96;\n"
         "@%p0 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r3], %d6;\n"
         "@%p0 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r3], 0, %r20;\n"
         "mov.u64 %d6, 96;\n"
         "@%p0 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r3], 0, %d6;\n"
         "@%p0 tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r3], 2;\n"
         "bar.warp.sync -1;\nadd.u64 %d2, %d1, 1024;\n" +
         release + acquire + loadsBox(2, 512) + copiesOut(512);
}
const std::string releases =
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release."
    "gpu.sync.aligned [%d2], [%r3], 128;\n";
const std::string acquires =
    "fence.proxy.tensormap::generic.acquire.gpu [%d2], 128;\nbar.warp.sync -1;\n";

TEST(Tensors, MapsThatAKernelChanges) {
  Tensor tensor = words();
  std::iota(tensor.data.begin(), tensor.data.end(), 0);
  tensor.map.box[0] = 16;
  Result result = tensor.run(changesMap(releases, acquires));
  EXPECT_TRUE(result.clean()) << result.renderFaults();
  Tensor changed = tensor;
  changed.map.dims[0] = 12;
  changed.map.swizzle = TensorMap::Swizzle64;
  changed.eachElement([&](int64_t from, uint64_t to) {
    EXPECT_EQ(tensor.box[to], from < 0 ? 0 : tensor.data[size_t(from) + 96]);
  });
  auto kindOf = [&](const std::string &body) {
    Tensor again = words();
    Result result = again.run(body);
    return result.faults.empty() ? FaultKind::StepLimit : result.faults[0].kind;
  };
  EXPECT_EQ(kindOf(changesMap(releases, "")), FaultKind::ProxyFence);
  std::string plain = "add.u32 %r21, %r0, 0;\nmad.wide.u32 %d7, %r21, 4, %d2;\n"
                      "mad.lo.u32 %r22, %r21, 4, %r3;\nld.shared.u32 %r23, [%r22];\n"
                      "st.global.u32 [%d7], %r23;\n";
  EXPECT_EQ(kindOf(changesMap(plain + "bar.warp.sync -1;\n", acquires)), FaultKind::ProxyFence);
}

TEST(Tensors, Faults) {
  auto faultOf = [](auto &&change, const std::string &body) {
    Tensor tensor = words();
    change(tensor);
    Result result = tensor.run(body);
    if (result.faults.empty())
      return std::string("none");
    EXPECT_EQ(result.faults[0].at.source, "kernel.py:77") << result.renderFaults();
    return result.faults[0].render();
  };
  auto has = [&](auto &&change, const std::string &body, const char *text) {
    std::string message = faultOf(change, body);
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  auto nothing = [](Tensor &) {};
  std::string load = loadsBox(2, 512) + copiesOut(512);
  has([](Tensor &t) { t.map.address += 512; }, load, "out-of-bounds access");
  has(
      [](Tensor &t) {
        t.map.dims[1] = 11;
        t.at[1] = 4;
      },
      load, "out-of-bounds access");
  has([](Tensor &t) { t.map.elementStrides[0] = 2; }, load, "element strides other than 1");
  std::string store = copiesIn(512) + storesBox(2);
  EXPECT_EQ(faultOf([](Tensor &t) { t.at = {20, 4}; }, store), "none");
  for (const std::string &copy : {load, store})
    has([](Tensor &t) { t.at[0] = 2; }, copy,
        "a row of a box begins 8 bytes behind the tensor's, which must be a multiple of 16");
  EXPECT_EQ(faultOf([](Tensor &t) { t.at = {-4, -1}; }, load), "none");
  has([](Tensor &t) { t.at[0] = -4; }, store, "coordinate 0 is -4");
  has([](Tensor &t) { t.at[1] = -1; }, store, "coordinate 1 is -1");
  has(
      [](Tensor &t) {
        t.map.dims[0] = 23;
        t.at[0] = 8;
      },
      store, "the tensor's have 92 bytes: what lies behind them would be written");
  has([](Tensor &t) { t.map.rank = 1; }, load,
      "has 2 coordinates, and the tensor map 1 dimensions");
  has(nothing, loadsBox(2, 512, "%d0"), "the 128 bytes are no tensor map");
  has(
      [](Tensor &t) {
        t.map.swizzle = TensorMap::Swizzle64;
        t.data.resize(24 * 10 * 4 - 4);
        t.at = {8, 4};
      },
      load, "out-of-bounds access");
  has([](Tensor &t) { t.map.swizzle = TensorMap::Swizzle128; }, load, "the row has 64 bytes");
  std::string odd = load;
  odd.replace(odd.find("[s], [%d2"), 3, "[s+64]");
  has(nothing, odd, "needs an address in shared memory that 128 divides");
  std::string noFence = copiesIn(512) + storesBox(2);
  size_t fence = noFence.find("fence.proxy.async");
  noFence.erase(fence, noFence.find('\n', fence) - fence);
  has(nothing, noFence, "missing proxy fence");
  // The tensor is written by ordinary stores of the same kernel.
  auto written = [&](const std::string &fence) {
    return "mad.wide.u32 %d3, %r0, 4, %d0;\nst.global.u32 [%d3], 5;\n" + fence + load;
  };
  has(nothing, written(""), "the async proxy reads what the generic proxy wrote");
  has(nothing, written("fence.proxy.async.shared::cta;\n"), "('tensor', byte ");
  EXPECT_EQ(faultOf(nothing, written("fence.proxy.async.global;\n")), "none");
  EXPECT_EQ(faultOf(nothing, written("fence.proxy.async;\n")), "none");
  has(
      [](Tensor &t) {
        t.map.type = TensorMap::Float64;
        t.map.strides[0] = 192;
        t.map.box[0] = 8;
      },
      copiesIn(512) + storesBox(2, ".xor"), "this reduction does not exist");
}

/// The driver's limits.
TEST(TensorMaps, Limits) {
  auto wrongOf = [](auto &&change) {
    TensorMap map = words().map;
    change(map);
    TensorMap::Bytes bytes;
    return map.encode(bytes);
  };
  auto has = [&](auto &&change, const char *text) {
    std::string wrong = wrongOf(change);
    EXPECT_NE(wrong.find(text), std::string::npos) << wrong << " for " << text;
  };
  EXPECT_EQ(wrongOf([](TensorMap &) {}), "");
  has([](TensorMap &m) { m.rank = 6; }, "1 to 5 dimensions, not 6");
  has([](TensorMap &m) { m.address += 8; }, "global address that 16 divides");
  has([](TensorMap &m) { m.dims[1] = 0; }, "extent of dimension 1");
  has([](TensorMap &m) { m.dims[0] = (uint64_t(1) << 32) + 1; }, "extent of dimension 0");
  has([](TensorMap &m) { m.strides[0] = 100; }, "stride of dimension 1");
  has([](TensorMap &m) { m.strides[0] = uint64_t(1) << 40; }, "below 2^40");
  has([](TensorMap &m) { m.box[1] = 257; }, "1 to 256, not 257");
  has([](TensorMap &m) { m.box[0] = 6; }, "multiple of 16 bytes, not 24");
  has([](TensorMap &m) { m.swizzle = TensorMap::Swizzle32; }, "has no more than that, not 64");
  has([](TensorMap &m) { m.elementStrides[1] = 9; }, "element stride of dimension 1");
  has([](TensorMap &m) { m.fill = TensorMap::FillNaN; }, "NaN only where");
  has([](TensorMap &m) { m.type = TensorMap::Type(13); }, "not 13");
  TensorMap map = words().map, read;
  TensorMap::Bytes bytes;
  map.swizzle = TensorMap::Swizzle64;
  ASSERT_EQ(map.encode(bytes), "");
  ASSERT_TRUE(TensorMap::decode(bytes.data(), read));
  EXPECT_EQ(read.dims, map.dims);
  EXPECT_EQ(read.strides, map.strides);
  EXPECT_EQ(read.box, map.box);
  EXPECT_EQ(read.swizzle, map.swizzle);
  EXPECT_EQ(read.type, map.type);
  bytes[0] ^= 1;
  EXPECT_FALSE(TensorMap::decode(bytes.data(), read));
}

} // namespace
