//===- LinearLayout.cpp - linear maps over bits ---------------------------===//

#include "tritium/Layout/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <bit>
#include <cassert>
#include <numeric>

using namespace llvm;

namespace tritium {

//===----------------------------------------------------------------------===//
// Span
//===----------------------------------------------------------------------===//

uint64_t Span::reduce(uint64_t vector) const {
  for (uint64_t row : rows)
    vector = std::min(vector, vector ^ row);
  return vector;
}

bool Span::insert(uint64_t vector) {
  vector = reduce(vector);
  if (vector == 0)
    return false;
  rows.insert(llvm::upper_bound(rows, vector, std::greater<>()), vector);
  return true;
}

//===----------------------------------------------------------------------===//
// Looking
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::identity(StringRef name, unsigned bits, unsigned dim, unsigned rank) {
  SmallVector<unsigned, 4> outputBits(rank, 0);
  outputBits[dim] = bits;
  Input input{name, {}};
  for (unsigned i = 0; i < bits; ++i)
    input.bases.push_back(uint64_t(1) << i);
  return LinearLayout({input}, outputBits);
}

LinearLayout LinearLayout::zeros(StringRef name, unsigned bits, unsigned rank) {
  return LinearLayout({Input{name, SmallVector<uint64_t, 8>(bits, 0)}},
                      SmallVector<unsigned, 4>(rank, 0));
}

ArrayRef<uint64_t> LinearLayout::bases(StringRef name) const {
  for (const Input &input : inputs)
    if (input.name == name)
      return input.bases;
  return {};
}

unsigned LinearLayout::totalInputBits() const {
  unsigned bits = 0;
  for (const Input &input : inputs)
    bits += input.bases.size();
  return bits;
}

unsigned LinearLayout::totalOutputBits() const {
  return std::accumulate(outputBits.begin(), outputBits.end(), 0u);
}

static uint64_t imageOf(ArrayRef<uint64_t> bases, uint64_t index) {
  assert((bases.size() >= 64 || index >> bases.size() == 0) && "index beyond the input");
  uint64_t element = 0;
  for (; index; index &= index - 1)
    element ^= bases[std::countr_zero(index)];
  return element;
}

uint64_t LinearLayout::apply(ArrayRef<uint64_t> place) const {
  assert(place.size() == inputs.size());
  uint64_t element = 0;
  for (auto [input, index] : zip(inputs, place))
    element ^= imageOf(input.bases, index);
  return element;
}

uint64_t LinearLayout::applyPart(StringRef name, uint64_t index) const {
  return imageOf(bases(name), index);
}

unsigned LinearLayout::shiftOf(unsigned dim) const {
  return std::accumulate(outputBits.begin(), outputBits.begin() + dim, 0u);
}

uint64_t LinearLayout::flatten(ArrayRef<int64_t> coordinates) const {
  uint64_t element = 0;
  unsigned shift = 0;
  for (auto [coordinate, bits] : zip(coordinates, outputBits)) {
    element |= uint64_t(coordinate) << shift;
    shift += bits;
  }
  return element;
}

SmallVector<int64_t, 4> LinearLayout::unflatten(uint64_t element) const {
  SmallVector<int64_t, 4> coordinates;
  for (unsigned bits : outputBits) {
    coordinates.push_back(element & ((uint64_t(1) << bits) - 1));
    element >>= bits;
  }
  return coordinates;
}

//===----------------------------------------------------------------------===//
// Algebra
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::operator*(const LinearLayout &high) const {
  if (outputBits.empty())
    return high;
  assert(rank() == high.rank() && "factors of one rank");
  SmallVector<unsigned, 4> bits;
  for (auto [low, up] : zip(outputBits, high.outputBits))
    bits.push_back(low + up);
  LinearLayout result({}, bits);
  // Moves a factor's image to its place in the product.
  auto place = [&](const LinearLayout &factor, uint64_t element, bool isHigh) {
    SmallVector<int64_t, 4> coordinates = factor.unflatten(element);
    if (isHigh)
      for (auto [coordinate, low] : zip(coordinates, outputBits))
        coordinate <<= low;
    return result.flatten(coordinates);
  };
  for (const LinearLayout *factor : {this, &high})
    for (const Input &input : factor->inputs) {
      auto it = find_if(result.inputs, [&](const Input &i) { return i.name == input.name; });
      if (it == result.inputs.end()) {
        result.inputs.push_back({input.name, {}});
        it = std::prev(result.inputs.end());
      }
      for (uint64_t base : input.bases)
        it->bases.push_back(place(*factor, base, factor == &high));
    }
  return result;
}

LinearLayout LinearLayout::compose(const LinearLayout &inner) const {
  SmallVector<uint64_t> bases;
  for (const Input &input : inputs)
    bases.append(input.bases.begin(), input.bases.end());
  assert(bases.size() == inner.totalOutputBits() && "inner's outputs are this layout's inputs");
  LinearLayout result({}, outputBits);
  for (const Input &input : inner.inputs) {
    Input image{input.name, {}};
    for (uint64_t base : input.bases)
      image.bases.push_back(imageOf(bases, base));
    result.inputs.push_back(std::move(image));
  }
  return result;
}

std::optional<LinearLayout> LinearLayout::invertAndCompose(const LinearLayout &target) const {
  assert(totalOutputBits() == target.totalOutputBits() && "layouts of one tile");
  // Rows of an echelon form of our images, each with the place that produces it. Lower
  // places come first, so higher dependent bits are the ones left free.
  struct Row {
    uint64_t element, place;
  };
  SmallVector<Row, 16> rows;
  auto reduce = [&](Row row) {
    for (const Row &r : rows)
      if (std::bit_width(row.element ^ r.element) < std::bit_width(row.element))
        row = {row.element ^ r.element, row.place ^ r.place};
    return row;
  };
  auto byLeadingBit = [](const Row &a, const Row &b) { return a.element > b.element; };
  unsigned bit = 0;
  for (const Input &input : inputs)
    for (uint64_t base : input.bases) {
      Row row = reduce({base, uint64_t(1) << bit++});
      if (row.element)
        rows.insert(llvm::upper_bound(rows, row, byLeadingBit), row);
    }
  SmallVector<unsigned, 4> bits;
  for (const Input &input : inputs)
    bits.push_back(input.bases.size());
  LinearLayout result({}, bits);
  for (const Input &input : target.inputs) {
    Input solved{input.name, {}};
    for (uint64_t base : input.bases) {
      Row row = reduce({base, 0});
      if (row.element)
        return std::nullopt;
      solved.bases.push_back(row.place);
    }
    result.inputs.push_back(std::move(solved));
  }
  return result;
}

LinearLayout LinearLayout::flattenOutputs() const {
  return LinearLayout(inputs, {totalOutputBits()});
}

std::optional<LinearLayout> LinearLayout::invert() const {
  if (!isOneToOne() || !coversAll())
    return std::nullopt;
  return flattenOutputs().invertAndCompose(identity(kOffset, totalOutputBits(), 0, 1));
}

std::optional<LinearLayout> LinearLayout::divideLeft(const LinearLayout &tile) const {
  if (tile.rank() != rank())
    return std::nullopt;
  SmallVector<unsigned, 4> bits;
  for (auto [mine, low] : zip(outputBits, tile.outputBits)) {
    if (low > mine)
      return std::nullopt;
    bits.push_back(mine - low);
  }
  LinearLayout rest({}, bits);
  for (const Input &input : tile.inputs)
    if (inputBits(input.name) < input.bases.size())
      return std::nullopt;
  for (const Input &input : inputs) {
    ArrayRef<uint64_t> low = tile.bases(input.name);
    Input remainder{input.name, {}};
    for (auto [i, base] : enumerate(input.bases)) {
      SmallVector<int64_t, 4> coordinates = unflatten(base);
      if (i < low.size()) {
        if (base != flatten(tile.unflatten(low[i])))
          return std::nullopt;
        continue;
      }
      for (auto [coordinate, lowBits] : zip(coordinates, tile.outputBits)) {
        if (coordinate & ((int64_t(1) << lowBits) - 1))
          return std::nullopt;
        coordinate >>= lowBits;
      }
      remainder.bases.push_back(rest.flatten(coordinates));
    }
    rest.inputs.push_back(std::move(remainder));
  }
  return rest;
}

uint64_t LinearLayout::freeMask(StringRef name) const {
  Span span;
  for (const Input &input : inputs) {
    uint64_t mask = 0;
    for (auto [i, base] : enumerate(input.bases))
      if (!span.insert(base))
        mask |= uint64_t(1) << i;
    if (input.name == name)
      return mask;
  }
  return 0;
}

unsigned LinearLayout::imageBits() const {
  Span span;
  for (const Input &input : inputs)
    for (uint64_t base : input.bases)
      span.insert(base);
  return span.dimension();
}

std::string LinearLayout::toString() const {
  std::string text;
  raw_string_ostream out(text);
  interleave(
      inputs, out,
      [&](const Input &input) {
        out << input.name << "=[";
        interleave(
            input.bases, out,
            [&](uint64_t base) {
              out << "(";
              interleave(unflatten(base), out, ",");
              out << ")";
            },
            ",");
        out << "]";
      },
      " ");
  return text;
}

} // namespace tritium
