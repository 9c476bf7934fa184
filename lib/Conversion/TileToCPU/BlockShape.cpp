//===- BlockShape.cpp - into which blocks a product is cut ----------------===//

#include "BlockShape.h"

#include "llvm/Support/MathExtras.h"

using namespace tritium::cpu;

/// Clock ticks of a block and one k step on a core with two FMA and two load ports and
/// four ticks of FMA latency, in halves; and the loads and stores of acc. An odd row takes as long
/// as the pair that it is a part of.
static double blockCost(int64_t rows, int64_t columns, int64_t steps, int64_t rowsAtOnce) {
  int64_t sums = llvm::alignTo(rows, rowsAtOnce) * columns;
  double step = std::max<double>({double(sums), double(rows + columns * rowsAtOnce), 8});
  return step * steps + 3 * sums + 8;
}

static double cutCost(const EvenCut &rows, const EvenCut &columns, int64_t steps,
                      int64_t rowsAtOnce) {
  double cost = 0;
  for (int longRow : {0, 1})
    for (int longColumn : {0, 1}) {
      int64_t count = (longRow ? rows.longer : rows.pieces - rows.longer) *
                      (longColumn ? columns.longer : columns.pieces - columns.longer);
      if (count)
        cost += count *
                blockCost(rows.length + longRow, columns.length + longColumn, steps, rowsAtOnce);
    }
  return cost;
}

BlockShape tritium::cpu::chooseShape(const TargetInfo &target, int64_t m, int64_t registers,
                                     int64_t steps, int64_t rowsAtOnce, int64_t leastColumns,
                                     int64_t mostColumns) {
  // One register for the broadcast, one for the product where there is no FMA.
  int64_t available = target.vectorRegisters - (target.hasFMA ? 1 : 2);
  // Half of a large register file is enough accumulators, and it leaves room to load ahead.
  int64_t accumulators = target.vectorRegisters > 16 ? 16 : available;
  BlockShape best{1, leastColumns};
  double bestCost = 1e300;
  for (int64_t columns = leastColumns; columns <= std::min(registers, mostColumns); ++columns)
    for (int64_t rows = 1; rows <= m && rows <= 16; ++rows) {
      int64_t sums = llvm::alignTo(rows, rowsAtOnce) * columns;
      if (sums > accumulators || sums + columns * rowsAtOnce > available)
        break;
      double cost = cutCost(EvenCut(m, rows), EvenCut(registers, columns), steps, rowsAtOnce);
      if (cost < bestCost) {
        bestCost = cost;
        best = {rows, columns};
      }
    }
  return best;
}

BlockShape tritium::cpu::shapeOfFewRows(const TargetInfo &target, int64_t m,
                                        int64_t columnsAtOnce) {
  int64_t most = target.vectorRegisters > 16 ? 16 : 8;
  // As many sums as hide the latency of adding to them; more bytes of a row at once gain nothing.
  int64_t enough = std::max<int64_t>(4, columnsAtOnce);
  int64_t columns = std::max<int64_t>(most / m / columnsAtOnce * columnsAtOnce, columnsAtOnce);
  columns = std::min(columns, enough);
  return {std::min(m, std::max<int64_t>(most * 3 / 2 / columns, 1)), columns};
}
