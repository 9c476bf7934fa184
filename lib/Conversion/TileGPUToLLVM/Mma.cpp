//===- Mma.cpp - matrix products on tensor cores --------------------------===//
//
// Blocks of c, 16x8, take the products of their rows of a and columns of b step by step along k;
// Mma.h says what a step is, MmaInstruction.cpp what multiplies it. Operands of f32 are split:
//
//   tf32x3   a = big + small, b likewise: small big + big small + big big
//   bf16x3   the same in bf16; bf16x6: of three parts, six products
//
// Operands from shared memory are read a step ahead, and asynchronous copies start in the
// midst of the products, so that neither keeps the tensor cores waiting behind a barrier.
//
//===----------------------------------------------------------------------===//

#include "Dot.h"
#include "MmaInstruction.h"

#include "tritium/Dialect/TileGPU/IR/Mma.h"

#include <map>

using namespace mlir;

namespace tritium::ttg {

namespace {
/// The parts that an f32 operand is split into, and products of them, the smallest first. One
/// more part is the first again, or 0 if that is not finite: an infinity times what is missing
/// from the other operand, which may be 0, is no part of the product.
struct Splitting {
  unsigned parts = 1;
  SmallVector<std::pair<unsigned, unsigned>> products{{0, 0}};
};

Splitting splittingFor(tt::DotOp op) {
  if (!op.getA().getType().getElementType().isF32())
    return {};
  switch (op.getInputPrecision()) {
  case tt::InputPrecision::TF32x3:
  case tt::InputPrecision::BF16x3:
    return {2, {{1, 2}, {2, 1}, {0, 0}}};
  case tt::InputPrecision::BF16x6:
    return {3, {{2, 3}, {1, 1}, {3, 2}, {1, 3}, {3, 1}, {0, 0}}};
  default:
    return {};
  }
}

/// An operand in registers.
struct Operand {
  Registers registers;
  std::map<Coordinates, unsigned> places;
  unsigned k;                                         ///< the dimension
  const Fragments *fragments;                         ///< what the dot loads itself, or null
  std::map<Coordinates, SmallVector<Value, 4>> words; ///< by the first element: its parts

  size_t loadsBelow(int64_t end) const { return fragments ? fragments->loadsBelow(end) : 0; }
};

/// The loads of a dot's own fragments, in the order of their use: all of b meets the first rows
/// of a.
class FragmentLoads {
public:
  FragmentLoads(Operand &a, Operand &b, unsigned steps, int64_t k) {
    size_t nextA = 0, nextB = 0;
    for (unsigned step = 1; step <= steps; ++step) {
      size_t endA = a.loadsBelow(step * k);
      take(a, nextA, std::min(endA, nextA + 1));
      take(b, nextB, b.loadsBelow(step * k));
      take(a, nextA, endA);
      ends.push_back(loads.size());
    }
  }

  void emitFirstStep() { emitUpTo(ends.front()); }
  /// Of the next step in the first half of `step`, which is at product `i` of `count`.
  void emitAhead(unsigned step, size_t i, size_t count) {
    if (step + 1 == ends.size())
      return;
    size_t from = ends[step], all = ends[step + 1] - from;
    emitUpTo(from + std::min(all, all * 2 * (i + 1) / count));
  }

private:
  void take(Operand &from, size_t &next, size_t end) {
    for (; next < end; ++next)
      loads.push_back({&from.fragments->loads[next], &from.registers});
  }
  void emitUpTo(size_t end) {
    for (; emitted < end; ++emitted) {
      auto [load, registers] = loads[emitted];
      (*load)(*registers);
    }
  }

  SmallVector<std::pair<const std::function<void(Registers &)> *, Registers *>> loads;
  SmallVector<size_t> ends; ///< by step: how many it needs
  size_t emitted = 0;
};

/// What starts among the products of a dot: its share of the asynchronous copies, and loads that
/// wait for its midst.
class OverlappedWork {
public:
  OverlappedWork(DotWork &work, InterleaveAttr interleave, unsigned steps, size_t blocks)
      : work(work), isOneDot(!interleave || interleave.getDots() == 1), products(steps * blocks),
        productsWithCopies(isOneDot ? products - blocks / 2 : products),
        copies(llvm::divideCeil(work.copies.size(), interleave ? interleave.getDots() : 1)),
        laterFrom(interleave && interleave.getFrom() ? products / interleave.getFrom() : 0),
        laterIn(std::max<size_t>(1, products / (interleave ? interleave.getWithin() : 1))) {}

  /// What is due at a product.
  void startAt(size_t product) {
    size_t due = std::min(copies, copies * product / productsWithCopies);
    work.startCopies(due - started);
    started = due;
    startLater(product);
  }
  void startRest() {
    if (isOneDot)
      work.startCopies(work.copies.size());
    startLater(2 * products);
    work.later.clear();
  }

private:
  void startLater(size_t product) {
    if (product < laterFrom)
      return;
    size_t count = work.later.size(),
           end = std::min(count, count * (product - laterFrom + 1) / laterIn);
    for (; done < end; ++done)
      work.later[done]();
  }

  DotWork &work;
  bool isOneDot; ///< no other shares the copies
  size_t products, productsWithCopies;
  size_t copies, started = 0;
  size_t laterFrom, laterIn, done = 0;
};

/// PTX 8.5 has no f16 accumulators for f8.
bool isFloat8(Type element) { return tt::isTileFloat(element) && tt::scalarBits(element) == 8; }

/// One dot on tensor cores.
class MmaDot : public LoweringContext {
public:
  MmaDot(const LoweringContext &context, DotWork &work, tt::DotOp op, MmaFragments shape)
      : LoweringContext(context), work(work), op(op), shape(shape), splitting(splittingFor(op)),
        layoutC(layout(op.getC())), dimM(layoutC.rank() - 2), dimN(layoutC.rank() - 1),
        element(op.getA().getType().getElementType()), sum(op.getC().getType().getElementType()),
        accumulator(isFloat8(element) ? Type(b.getF32Type()) : sum),
        mma(*this, mmaInstructionFor(op, accumulator, gpu), accumulator),
        left(operand(op.getA(), dimN)), right(operand(op.getB(), dimM)), placesC(byPlace(layoutC)),
        result(get(op.getC())) {
    for (auto &[at, reg] : placesC)
      if (at[dimN] % 8 == 0 && at[dimM] % 16 == 0)
        blocks.push_back(at);
  }

  void lower();

private:
  Operand operand(Value tile, unsigned k) {
    return {get(tile), byPlace(layout(tile)), k, work.fragmentsOf(tile), {}};
  }
  SmallVector<unsigned, 4> registersOf(const Coordinates &block);
  void readSums();
  void restartSums(bool isFirst);
  void multiply(size_t block, int64_t k);
  void writeSums();

  SmallVector<Value, 4> splitFloat(Value x, unsigned parts);
  SmallVector<Value, 4> packWords(const Operand &from, Coordinates at);
  ArrayRef<Value> wordsAt(Operand &from, const Coordinates &at);

  DotWork &work;
  tt::DotOp op;
  MmaFragments shape;
  Splitting splitting;
  const TileLayout &layoutC;
  unsigned dimM, dimN;
  Type element, sum, accumulator;
  MmaEmitter mma;
  Operand left, right;
  std::map<Coordinates, unsigned> placesC;
  Registers result;
  SmallVector<Coordinates> blocks; ///< of c, by their first elements
  /// By block: registers of accumulators. `total` is what was added up before they started anew.
  std::vector<SmallVector<Value, 4>> sums, total;
};
} // namespace

//===-- Operands ----------------------------------------------------------===//

/// The parts of f32 `x` as operands of tensor cores: rounded, then what is missing, rounded.
/// Of infinities and NaN nothing is missing. If there are several, the first follows again, or 0
/// if it is not finite.
SmallVector<Value, 4> MmaDot::splitFloat(Value x, unsigned parts) {
  SmallVector<Value, 4> result;
  Type f32 = b.getF32Type();
  Value finite;
  for (unsigned i = 0; i < parts; ++i) {
    Value part, rounded;
    if (mma.takesTF32()) {
      part = roundToTF32(x);
      rounded = bitcast(part, f32);
    } else {
      Value narrow = fptrunc(x, b.getBF16Type());
      rounded = fpext(narrow, f32);
      part = bitcast(narrow, intType(16));
    }
    result.push_back(part);
    if (i + 1 == parts)
      break;
    OperationState absolute(loc, "llvm.intr.fabs", {rounded}, {f32});
    Value isFinite =
        b.create<LLVM::FCmpOp>(loc, LLVM::FCmpPredicate::olt, b.create(absolute)->getResult(0),
                               number(f32, std::numeric_limits<float>::infinity()));
    x = select(isFinite, binary<LLVM::FSubOp>(x, rounded), number(f32, 0.0));
    if (i == 0)
      finite = select(isFinite, part, constant(part.getType(), 0));
  }
  if (finite)
    result.push_back(finite);
  return result;
}

/// The word of kWidth neighbours along k from `at` on, in each of its parts.
SmallVector<Value, 4> MmaDot::packWords(const Operand &from, Coordinates at) {
  SmallVector<SmallVector<Value>, 4> elements(splitting.parts + (splitting.parts > 1));
  for (unsigned i = 0; i < shape.kWidth; ++i, ++at[from.k]) {
    Value x = from.registers[from.places.find(at)->second];
    if (element.isF32()) {
      for (auto [list, part] : llvm::zip(elements, splitFloat(x, splitting.parts)))
        list.push_back(part);
    } else {
      elements[0].push_back(element.isF64() ? x : toMemory(x, element));
    }
  }
  SmallVector<Value, 4> words;
  for (ArrayRef<Value> list : elements)
    words.push_back(element.isF64() ? list[0] : pack(list, 32)[0]);
  return words;
}

ArrayRef<Value> MmaDot::wordsAt(Operand &from, const Coordinates &at) {
  auto [it, isNew] = from.words.try_emplace(at);
  if (isNew)
    it->second = packWords(from, at);
  return it->second;
}

//===-- Accumulators ------------------------------------------------------===//

/// The registers of c that a block has.
SmallVector<unsigned, 4> MmaDot::registersOf(const Coordinates &block) {
  SmallVector<unsigned, 4> list;
  for (int64_t dm : {0, 8})
    for (int64_t dn : {0, 1}) {
      Coordinates at = block;
      at[dimM] += dm;
      at[dimN] += dn;
      list.push_back(placesC.find(at)->second);
    }
  return list;
}

void MmaDot::readSums() {
  if (accumulator != sum)
    for (Value &x : result)
      x = fpext(x, accumulator);
  bool isPacked = mma.elementsPerRegister() == 2;
  for (const Coordinates &at : blocks) {
    SmallVector<Value> elements;
    for (unsigned r : registersOf(at))
      elements.push_back(isPacked ? bitcast(result[r], intType(16)) : result[r]);
    if (isPacked)
      elements = pack(elements, 32);
    sums.emplace_back(elements.begin(), elements.end());
  }
}

/// Adds the sums to the total, which starts with c, and lets them start from 0.
void MmaDot::restartSums(bool isFirst) {
  if (isFirst)
    total = sums;
  for (auto [whole, part] : llvm::zip(total, sums))
    for (auto [x, y] : llvm::zip(whole, part)) {
      if (!isFirst)
        x = binary<LLVM::FAddOp>(x, y);
      y = number(mma.accumulatorType(), 0.0);
    }
}

void MmaDot::writeSums() {
  for (auto [i, at] : llvm::enumerate(blocks)) {
    SmallVector<Value> elements;
    for (auto [r, x] : llvm::enumerate(sums[i])) {
      Value y = total.empty() ? x : binary<LLVM::FAddOp>(total[i][r], x);
      if (mma.elementsPerRegister() == 1) {
        elements.push_back(y);
        continue;
      }
      for (Value bits : unpack(y, 16))
        elements.push_back(bitcast(bits, sum));
    }
    for (auto [r, x] : llvm::zip(registersOf(at), elements))
      result[r] = accumulator == sum ? x : fptrunc(x, sum);
  }
}

//===-- Products ----------------------------------------------------------===//

/// A step of a block, from `k` on.
void MmaDot::multiply(size_t block, int64_t k) {
  SmallVector<ArrayRef<Value>, 4> rows, columns;
  for (int64_t dk : {int64_t(0), shape.k / 2}) {
    for (int64_t dm : {0, 8}) {
      Coordinates at = blocks[block];
      at[dimM] += dm;
      at[dimN] = k + dk;
      rows.push_back(wordsAt(left, at));
    }
    Coordinates at = blocks[block];
    at[dimM] = k + dk;
    columns.push_back(wordsAt(right, at));
  }
  for (auto [partA, partB] : splitting.products) {
    SmallVector<Value, 4> x, y;
    for (ArrayRef<Value> word : rows)
      x.push_back(word[partA]);
    for (ArrayRef<Value> word : columns)
      y.push_back(word[partB]);
    mma.multiply(x, y, sums[block]);
  }
}

void MmaDot::lower() {
  readSums();
  unsigned steps = layout(op.getA()).extents()[dimN] / shape.k;
  // Sums of fp8 that may be imprecise start anew every so many steps.
  unsigned restart = isFloat8(element) && op.getMaxNumImpreciseAcc()
                         ? std::max<unsigned>(1, op.getMaxNumImpreciseAcc() / shape.k)
                         : steps;
  FragmentLoads loads(left, right, steps, shape.k);
  loads.emitFirstStep();
  OverlappedWork overlapped(work, op->getAttrOfType<InterleaveAttr>(kInterleave), steps,
                            blocks.size());
  for (unsigned step = 0; step < steps; ++step) {
    if (restart < steps && step % restart == 0)
      restartSums(/*isFirst=*/step == 0);
    for (size_t i = 0; i < blocks.size(); ++i) {
      loads.emitAhead(step, i, blocks.size());
      overlapped.startAt(step * blocks.size() + i);
      multiply(i, step * shape.k);
    }
  }
  overlapped.startRest();
  writeSums();
  set(op, std::move(result));
}

LogicalResult DotLowering::lowerMma(tt::DotOp op) {
  auto shape = mmaFragmentsFor(op);
  if (!shape)
    return unsupported(op, "a dot of these element types on tensor cores");
  MmaDot(*this, *work, op, *shape).lower();
  return success();
}

} // namespace tritium::ttg
