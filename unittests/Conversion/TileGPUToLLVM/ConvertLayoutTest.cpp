//===- ConvertLayoutTest.cpp - conversions run on the simulated GPU -------===//
//
// A kernel loads a tile in one layout, converts it and stores it in the other: memory must be
// copied bit by bit, without races, and without bank conflicts where extents are powers of two.
//
//===----------------------------------------------------------------------===//

#include "tritium/Conversion/TileGPUToLLVM/TileGPUToLLVM.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Simulator/Simulator.h"
#include "tritium/Target/NVPTX/Codegen.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace mlir;
using namespace tritium;

namespace {
using Extents = std::vector<int64_t>;

std::string listOf(const Extents &values) {
  std::string text = "[";
  for (int64_t value : values)
    text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

int64_t product(const Extents &values) {
  int64_t result = 1;
  for (int64_t value : values)
    result *= value;
  return result;
}

/// Bits of a tile of one dimension, spread over registers, lanes and warps at random.
struct Maker {
  std::mt19937 rng;

  unsigned below(unsigned n) { return rng() % n; }
  template <typename T> const T &one(const std::vector<T> &list) {
    return list[below(list.size())];
  }

  void mix(Extents &bases) {
    std::shuffle(bases.begin(), bases.end(), rng);
    if (bases.size() > 1)
      for (unsigned i = below(3); i > 0; --i) {
        unsigned a = below(bases.size()), b = below(bases.size());
        if (a != b)
          bases[a] ^= bases[b];
      }
  }

  /// `bits` bits, of which warps hold the last, or none if the tile is small. `sameWarps`: the
  /// warps of every such layout hold the same.
  std::string linear(unsigned bits, unsigned warps, bool sameWarps) {
    Extents bases, ofWarps;
    for (unsigned i = 0; i < bits; ++i)
      bases.push_back(int64_t(1) << i);
    unsigned heldByWarps = std::min(warps, bits > 5 ? bits - 5 : 0);
    if (!sameWarps)
      mix(bases);
    for (unsigned i = 0; i < heldByWarps; ++i, bases.pop_back())
      ofWarps.push_back(bases.back());
    ofWarps.resize(warps, 0);
    mix(bases);
    unsigned heldByLanes = std::min<unsigned>(bases.size(), 5 - (below(4) == 0 ? below(4) : 0));
    Extents lanes(bases.begin(), bases.begin() + heldByLanes);
    while (lanes.size() < 5)
      lanes.insert(lanes.begin() + below(lanes.size() + 1), 0);
    Extents registers(bases.begin() + heldByLanes, bases.end());
    return "#ttg.linear<{register = " + listOf(registers) + ", lane = " + listOf(lanes) +
           ", warp = " + listOf(ofWarps) + ", shape = [" + std::to_string(1 << bits) + "]}>";
  }

  std::string blocked(unsigned warps) {
    unsigned lanes = below(6), down = below(warps + 1);
    bool rowsFirst = below(2);
    Extents size{1, 1};
    size[rowsFirst] = 1 << below(4);
    size[!rowsFirst] = 1 << below(2);
    return "#ttg.blocked<{sizePerThread = " + listOf(size) +
           ", threadsPerWarp = " + listOf({1 << lanes, 32 >> lanes}) +
           ", warpsPerCTA = " + listOf({1 << down, (1 << warps) >> down}) +
           ", order = " + (rowsFirst ? "[1, 0]" : "[0, 1]") + "}>";
  }
  std::string mma(unsigned warps) {
    unsigned down = below(warps + 1);
    return "#ttg.mma<{version = 2, warpsPerCTA = " + listOf({1 << down, (1 << warps) >> down}) +
           "}>";
  }
  std::string any(unsigned warps) {
    switch (below(5)) {
    case 0:
      return mma(warps);
    case 1:
      return "#ttg.dot_op<{opIdx = " + std::to_string(below(2)) + ", parent = " + mma(warps) +
             ", kWidth = " + std::to_string(1 << below(3)) + "}>";
    default:
      return blocked(warps);
    }
  }
};

/// y[i] = x[i] for all i of a tile; element i is at its row-major position.
std::string copyKernel(const Extents &shape, const std::string &type, unsigned warps,
                       const std::string &from, const std::string &to) {
  bool isBool = type == "i1", isPointer = type == "ptr";
  std::string stored = isBool ? "i8" : isPointer ? "i64" : type;
  std::string element = isPointer ? "!tt.ptr<f32>" : type;
  std::string extents;
  for (int64_t extent : shape)
    extents += std::to_string(extent) + "x";
  auto tile = [&](const std::string &of, const std::string &layout) {
    return "tensor<" + extents + of + ", " + layout + ">";
  };
  std::string body;
  auto offsets = [&](const std::string &name, const std::string &layout) {
    if (shape.size() == 1) {
      body += "%" + name + " = tt.make_range {start = 0 : i32, end = " + std::to_string(shape[0]) +
              " : i32} : " + tile("i32", layout) + "\n";
      return;
    }
    for (int d : {0, 1}) {
      std::string vector = "tensor<" + std::to_string(shape[d]) +
                           "xi32, #ttg.slice<{dim = " + std::to_string(1 - d) +
                           ", parent = " + layout + "}>>";
      std::string flat =
          "tensor<" + (d == 0 ? std::to_string(shape[0]) + "x1" : "1x" + std::to_string(shape[1])) +
          "xi32, " + layout + ">";
      std::string n = name + std::to_string(d);
      body += "%" + n + "r = tt.make_range {start = 0 : i32, end = " + std::to_string(shape[d]) +
              " : i32} : " + vector + "\n%" + n + "e = tt.expand_dims %" + n +
              "r {axis = " + std::to_string(1 - d) + " : i32} : " + vector + " -> " + flat + "\n%" +
              n + " = tt.broadcast %" + n + "e : " + flat + " -> " + tile("i32", layout) + "\n";
    }
    body += "%" + name + "c = arith.constant dense<" + std::to_string(shape[1]) +
            "> : " + tile("i32", layout) + "\n%" + name + "m = arith.muli %" + name + "0, %" +
            name + "c : " + tile("i32", layout) + "\n%" + name + " = arith.addi %" + name + "m, %" +
            name + "1 : " + tile("i32", layout) + "\n";
  };
  auto pointers = [&](const std::string &name, const std::string &base, const std::string &offset,
                      const std::string &layout) {
    std::string type = tile("!tt.ptr<" + stored + ">", layout);
    body += "%" + name + "s = tt.splat %" + base + " : !tt.ptr<" + stored + "> -> " + type + "\n%" +
            name + " = tt.addptr %" + name + "s, %" + offset + " : " + type + ", " +
            tile("i32", layout) + "\n";
  };
  offsets("a", from);
  pointers("p", "x", "a", from);
  body += "%v = tt.load %p : " + tile("!tt.ptr<" + stored + ">", from) + "\n";
  std::string value = "%v";
  if (isBool) {
    body += "%zero = arith.constant dense<0> : " + tile("i8", from) +
            "\n%w = arith.cmpi ne, %v, %zero : " + tile("i8", from) + "\n";
    value = "%w";
  } else if (isPointer) {
    body += "%w = tt.int_to_ptr %v : " + tile("i64", from) + " -> " + tile(element, from) + "\n";
    value = "%w";
  }
  body += "%c = ttg.convert_layout " + value + " : " + tile(element, from) + " -> " +
          tile(element, to) + "\n";
  value = "%c";
  if (isBool) {
    body += "%d = arith.extui %c : " + tile("i1", to) + " to " + tile("i8", to) + "\n";
    value = "%d";
  } else if (isPointer) {
    body += "%d = tt.ptr_to_int %c : " + tile(element, to) + " -> " + tile("i64", to) + "\n";
    value = "%d";
  }
  offsets("b", to);
  pointers("q", "y", "b", to);
  body += "tt.store %q, " + value + " : " + tile("!tt.ptr<" + stored + ">", to) + "\n";
  return "module attributes {\"ttg.num-warps\" = " + std::to_string(1 << warps) +
         " : i32} {\ntt.func @k(%x: !tt.ptr<" + stored + ">, %y: !tt.ptr<" + stored + ">) {\n" +
         body + "tt.return\n}\n}\n";
}

class ConvertLayout : public testing::Test {
protected:
  ConvertLayout() {
    context.loadDialect<LLVM::LLVMDialect, NVVM::NVVMDialect, tt::TileDialect, ttg::TileGPUDialect,
                        arith::ArithDialect, scf::SCFDialect>();
  }

  /// What a copy of `shape` counted; nothing if it went wrong.
  std::optional<sim::Counters> copy(const Extents &shape, const std::string &type, unsigned warps,
                                    const std::string &from, const std::string &to,
                                    unsigned capability) {
    std::string text = copyKernel(shape, type, warps, from, to);
    SCOPED_TRACE(text);
    auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    GPULoweringOptions lowering;
    GPULaunchInfo info;
    PassManager passes(&context);
    passes.addPass(ttg::createPlanExchanges());
    passes.addPass(ttg::createAllocateSharedMemory());
    passes.addPass(ttg::createPlaceBarriers());
    if (module)
      (*module)->setAttr(ttg::kTarget, ttg::TargetAttr::get(&context, capability));
    if (!module || failed(passes.run(*module)) ||
        failed(lowerTileGPUToLLVM(*module, lowering, info))) {
      ADD_FAILURE();
      return std::nullopt;
    }
    nvptx::TargetInfo target;
    nvptx::EmittedCode code;
    nvptx::EmitOptions options;
    options.kernel = "k";
    options.threads = 32u << warps;
    std::string error;
    if (!nvptx::resolveTarget(capability, target, error) ||
        !nvptx::emitPTX(*module, target, options, code, error)) {
      ADD_FAILURE() << error;
      return std::nullopt;
    }
    ptx = code.ptx;
    std::vector<sim::ptx::Error> errors;
    auto program = sim::Program::load(code.ptx, errors);
    if (!program) {
      ADD_FAILURE() << code.ptx;
      return std::nullopt;
    }
    unsigned bytes = type == "i1"                      ? 1
                     : type == "ptr"                   ? 8
                     : type == "bf16" || type == "f16" ? 2
                                                       : std::stoi(type.substr(1)) / 8;
    std::vector<uint8_t> x(product(shape) * bytes), y(x.size(), 0xAA);
    std::mt19937 rng(x.size());
    for (uint8_t &byte : x)
      byte = type == "i1" ? rng() % 2 : rng();
    sim::Launch launch;
    launch.entry = code.entry;
    launch.block = {options.threads, 1, 1};
    launch.dynamicShared = info.sharedBytes;
    launch.architecture = capability;
    launch.buffers = {{0x7f0000000000, x.data(), x.size(), false, "x"},
                      {0x7f1000000000, y.data(), y.size(), true, "y"}};
    launch.pass(uint64_t(0x7f0000000000));
    launch.pass(uint64_t(0x7f1000000000));
    sim::Result result = program->run(launch);
    EXPECT_TRUE(result.clean()) << result.renderFaults();
    EXPECT_EQ(x, y);
    if (HasFailure())
      return std::nullopt;
    return result.counters;
  }

  MLIRContext context;
  std::string ptx;
};

const std::vector<std::string> types{"i1", "i8", "i16", "f16", "bf16", "i32", "f32", "i64", "ptr"};
} // namespace

TEST_F(ConvertLayout, RandomMapsOfOneDimension) {
  Maker make{std::mt19937(1)};
  unsigned shuffled = 0, shared = 0;
  for (int round = 0; round < 150; ++round) {
    unsigned bits = 5 + make.below(6), warps = make.below(3);
    bool sameWarps = make.below(3) != 0;
    std::string from = make.linear(bits, warps, sameWarps),
                to = make.linear(bits, warps, sameWarps);
    auto counters = copy({int64_t(1) << bits}, make.one(types), warps, from, to, 80);
    ASSERT_TRUE(counters);
    const sim::Tally &total = counters->total;
    bool usesShared = total.wavefronts != 0;
    EXPECT_EQ(usesShared, total.barriers != 0);
    uint64_t exchanges = total.warps[size_t(sim::InstructionClass::WarpExchange)];
    EXPECT_TRUE(!usesShared || !exchanges);
    shuffled += exchanges != 0;
    shared += usesShared;
  }
  // Both ways are taken.
  EXPECT_GT(shuffled, 40u);
  EXPECT_GT(shared, 20u);
}

TEST_F(ConvertLayout, RandomLayoutsOfMatrices) {
  Maker make{std::mt19937(2)};
  for (int round = 0; round < 80; ++round) {
    unsigned warps = make.below(3);
    Extents shape{int64_t(16) << make.below(3), int64_t(16) << make.below(3)};
    if (make.below(3) == 0)
      shape[make.below(2)] *= 3;
    std::string from = make.any(warps), to = make.any(warps), type = make.one(types);
    ASSERT_TRUE(copy(shape, type, warps, from, to, make.below(2) ? 80 : 90));
  }
}

TEST_F(ConvertLayout, ResultsOfTensorCoresToRowsAndColumns) {
  // Without conflicts; 16-bit elements with 16 bytes a lane on both sides if there is stmatrix.
  unsigned matrices = 0;
  for (Extents shape : {Extents{64, 64}, Extents{32, 128}, Extents{128, 32}, Extents{32, 16}})
    for (std::string type : {"f16", "bf16", "f32", "i8"})
      for (const char *order : {"[1, 0]", "[0, 1]"})
        for (unsigned capability : {80u, 90u}) {
          std::string from = "#ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>";
          bool byRows = order[1] == '1';
          int64_t bytes = type == "i8" ? 1 : type == "f32" ? 4 : 2, vector = 16 / bytes;
          vector = std::min(vector, product(shape) / 128);
          int64_t along = std::min<int64_t>(32, shape[byRows] / vector);
          Extents size{1, 1}, threads{32 / along, 32 / along};
          size[byRows] = vector;
          threads[byRows] = along;
          std::string to = "#ttg.blocked<{sizePerThread = " + listOf(size) +
                           ", threadsPerWarp = " + listOf(threads) +
                           ", warpsPerCTA = " + (byRows ? "[4, 1]" : "[1, 4]") +
                           ", order = " + order + "}>";
          auto counters = copy(shape, type, 2, from, to, capability);
          ASSERT_TRUE(counters);
          EXPECT_EQ(counters->total.bankConflicts(), 0u) << type << " " << to;
          if (bytes != 2 || capability < 90 || vector < 8)
            continue;
          EXPECT_EQ(int64_t(counters->total.sharedRequests), 2 * product(shape) * 2 / 512);
          matrices += ptx.find("stmatrix") != std::string::npos;
        }
  EXPECT_GT(matrices, 0u);
}

TEST_F(ConvertLayout, PanelsAreFreeOfConflicts) {
  // 96 = 3 * 32: three by three panels, each as 32x32 would be.
  std::string rows = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], "
                     "warpsPerCTA = [4, 1], order = [1, 0]}>";
  for (int operand : {0, 1}) {
    std::string to = "#ttg.dot_op<{opIdx = " + std::to_string(operand) +
                     ", parent = #ttg.mma<{version = 2, warpsPerCTA = [2, 2]}>, kWidth = 2}>";
    auto counters = copy({96, 96}, "f16", 2, rows, to, 80);
    ASSERT_TRUE(counters);
    EXPECT_EQ(counters->total.bankConflicts(), 0u);
    EXPECT_NE(ptx.find(operand ? "x4.trans.shared" : "x4.shared"), std::string::npos);
    EXPECT_EQ(ptx.find("ld.shared"), std::string::npos);
  }
}
