//===- Dot.cpp - matrix products ------------------------------------------===//
//
// On tensor cores under a mma layout: one mma.sync for each 16x8 block of c and each step of
// k. Operands from shared memory are read a step ahead, and asynchronous copies start in the
// midst of the products, so that neither keeps the tensor cores waiting behind a barrier. By
// multiply-add under a blocked one, where every lane holds all of K for its rows of a and columns
// of b.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include <map>

using namespace mlir;

namespace tritium::ttg {

namespace {
std::map<Coordinates, unsigned> byPlace(const TileLayout &layout) {
  std::map<Coordinates, unsigned> places;
  for (unsigned r = 0; r < layout.registers(); ++r)
    places.try_emplace(layout.offset(r), r);
  return places;
}

struct Instruction {
  std::string name; ///< of the operands' types: "m16n8k16.row.col.f32.f16.f16.f32"
  int64_t k;
  unsigned perWord; ///< elements of a and b in a register
  bool isInteger;
};

Instruction instructionFor(tt::DotOp op) {
  Type element = op.getA().getType().getElementType();
  if (element.isInteger(8)) {
    std::string type = op.getIsUnsigned() ? "u8" : "s8";
    return {"m16n8k32.row.col.s32." + type + "." + type + ".s32", 32, 4, true};
  }
  if (element.isF32())
    return {"m16n8k8.row.col.f32.tf32.tf32.f32", 8, 1, false};
  std::string type = element.isBF16() ? "bf16" : "f16";
  return {"m16n8k16.row.col.f32." + type + "." + type + ".f32", 16, 2, false};
}
} // namespace

LogicalResult Lowering::lowerMma(tt::DotOp op) {
  Instruction instruction = instructionFor(op);
  const TileLayout &layoutA = layout(op.getA()), &layoutB = layout(op.getB()),
                   &layoutC = layout(op.getC());
  auto placesA = byPlace(layoutA), placesB = byPlace(layoutB), placesC = byPlace(layoutC);
  unsigned rank = layoutC.rank(), m = rank - 2, n = rank - 1, perWord = instruction.perWord;
  Type element = op.getA().getType().getElementType(), sum = op.getC().getType().getElementType();
  Type accumulator = instruction.isInteger ? Type(b.getI32Type()) : Type(b.getF32Type());
  // Eight rows apart, half of the step of k apart: one word of a fragment.
  auto word = [&](const Registers &registers, std::map<Coordinates, unsigned> &places,
                  Coordinates at, unsigned k) {
    SmallVector<Value> elements;
    for (unsigned i = 0; i < perWord; ++i) {
      Value x = registers[places.find(at)->second];
      // Rounded to nearest; the hardware alone would cut bits off.
      if (element.isF32())
        x = assembly(b.getI32Type(), "cvt.rna.tf32.f32 $0, $1;", "=r,f", {x}, false);
      elements.push_back(toMemory(x, element.isF32() ? Type(b.getI32Type()) : element));
      ++at[k];
    }
    return pack(elements, 32)[0];
  };
  Registers result = get(op.getC());
  if (sum != accumulator)
    for (Value &x : result)
      x = fpext(x, accumulator);
  Type four = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(4, accumulator));
  std::string letter = instruction.isInteger ? "r" : "f", out = "=" + letter;
  std::string constraints = out + "," + out + "," + out + "," + out + ",r,r,r,r,r,r,0,1,2,3";
  std::string text = "mma.sync.aligned." + instruction.name +
                     " {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3};";
  Registers a = get(op.getA()), bRegisters = get(op.getB());
  int64_t half = instruction.k / 2;
  unsigned steps = layoutA.extents()[n] / instruction.k;
  // The first of the four elements of a block.
  SmallVector<Coordinates> blocks;
  for (auto &[at, reg] : placesC)
    if (at[n] % 8 == 0 && at[m] % 16 == 0)
      blocks.push_back(at);
  // In the order of their use: all of b meets the first rows of a.
  SmallVector<std::function<void()>> loads;
  SmallVector<unsigned> loadsBefore{0}; // the number that a step needs
  {
    auto fragmentsOf = [&](Value tile) -> const Fragments * {
      auto found = fragments.find(tile.getDefiningOp());
      return found == fragments.end() ? nullptr : &found->second;
    };
    const Fragments *ofA = fragmentsOf(op.getA()), *ofB = fragmentsOf(op.getB());
    unsigned nextA = 0, nextB = 0;
    for (unsigned step = 1; step <= steps; ++step) {
      auto take = [&](const Fragments *from, unsigned &next, Registers &to, unsigned end) {
        for (; from && next < end; ++next)
          loads.push_back([from, i = next, &to] { from->load(i, to); });
      };
      unsigned endA = ofA ? llvm::divideCeil(ofA->instructions * step, steps) : 0;
      take(ofA, nextA, a, std::min(endA, nextA + 1));
      take(ofB, nextB, bRegisters, ofB ? llvm::divideCeil(ofB->instructions * step, steps) : 0);
      take(ofA, nextA, a, endA);
      loadsBefore.push_back(loads.size());
    }
  }
  unsigned loaded = 0;
  auto loadUpTo = [&](unsigned end) {
    for (; loaded < end; ++loaded)
      loads[loaded]();
  };
  loadUpTo(loadsBefore[1]);
  size_t copiesToStart = copies.size(), started = 0;
  size_t products = blocks.size() * steps, productsWithCopies = products - blocks.size() / 2;
  for (unsigned step = 0; step < steps; ++step)
    for (auto [i, at] : llvm::enumerate(blocks)) {
      int64_t k = step * instruction.k;
      // The operands of the next step in the first half of this one.
      if (step + 1 < steps) {
        unsigned from = loadsBefore[step + 1], count = loadsBefore[step + 2] - from;
        loadUpTo(from + std::min<size_t>(count, count * 2 * (i + 1) / blocks.size()));
      }
      size_t due =
          std::min(copiesToStart, copiesToStart * (step * blocks.size() + i) / productsWithCopies);
      startCopies(due - started);
      started = due;
      SmallVector<Value> operands;
      for (int64_t dk : {int64_t(0), half})
        for (int64_t dm : {0, 8}) {
          Coordinates atA = at;
          atA[m] += dm;
          atA[n] = k + dk;
          operands.push_back(word(a, placesA, atA, n));
        }
      for (int64_t dk : {int64_t(0), half}) {
        Coordinates atB = at;
        atB[m] = k + dk;
        operands.push_back(word(bRegisters, placesB, atB, m));
      }
      SmallVector<unsigned> block;
      for (int64_t dm : {0, 8})
        for (int64_t dn : {0, 1}) {
          Coordinates atC = at;
          atC[m] += dm;
          atC[n] += dn;
          block.push_back(placesC.find(atC)->second);
        }
      for (unsigned r : block)
        operands.push_back(result[r]);
      Value sums = assembly(four, text, constraints, operands, /*hasSideEffects=*/false);
      for (auto [i, r] : llvm::enumerate(block))
        result[r] = extract(sums, i);
    }
  startCopies(copies.size());
  if (sum != accumulator)
    for (Value &x : result)
      x = fptrunc(x, sum);
  set(op, std::move(result));
  return success();
}

LogicalResult Lowering::lowerDot(tt::DotOp op) {
  if (isa<MmaEncodingAttr>(op.getC().getType().getEncoding()))
    return lowerMma(op);
  const TileLayout &layoutA = layout(op.getA()), &layoutB = layout(op.getB()),
                   &layoutC = layout(op.getC());
  unsigned rank = layoutC.rank(), m = rank - 2, n = rank - 1;
  int64_t extentK = layoutA.extents()[n];
  auto placesA = byPlace(layoutA), placesB = byPlace(layoutB);
  Type element = tt::elementType(op.getA().getType()), sum = tt::elementType(op.getC().getType());
  auto widened = [&](Value x) -> Value {
    if (element == sum)
      return x;
    if (!sum.isInteger(32))
      return fpext(x, sum);
    return op.getIsUnsigned() ? zext(x, 32) : b.create<LLVM::SExtOp>(loc, sum, x).getResult();
  };
  bool isFloat = tt::isTileFloat(element);
  if (isFloat && (tt::scalarBits(element) < 16 || tt::scalarBits(element) > tt::scalarBits(sum)))
    return unsupported(op, "a dot of these element types");
  Registers a, bb, result = get(op.getC());
  for (Value x : get(op.getA()))
    a.push_back(widened(x));
  for (Value x : get(op.getB()))
    bb.push_back(widened(x));
  for (int64_t k = 0; k < extentK; ++k)
    for (unsigned r = 0; r < layoutC.registers(); ++r) {
      Coordinates atA = layoutC.offset(r), atB = atA;
      atA[n] = k;
      atB[m] = k;
      Value x = a[placesA.find(atA)->second], y = bb[placesB.find(atB)->second];
      if (!isFloat) {
        result[r] = add(result[r], mul(x, y));
        continue;
      }
      OperationState state(loc, "llvm.intr.fma", {x, y, result[r]}, {sum});
      result[r] = b.create(state)->getResult(0);
    }
  set(op, std::move(result));
  return success();
}

} // namespace tritium::ttg
