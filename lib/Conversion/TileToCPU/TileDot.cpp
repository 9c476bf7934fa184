//===- TileDot.cpp - products by AMX --------------------------------------===//
//
// A tile register holds 16 rows of 64 bytes. Two by two of them are the sums of a block:
//
//   configure the tile registers
//   for i, j over blocks of 32 rows and 32 columns:
//     tmm0 .. tmm3 = acc, or zeros
//     for 16 groups of k:
//       tmm6, tmm7 = b[groups, j], b[groups, j + 16]      tmm4, tmm5 = a[i, groups], a[i + 16, ..]
//       tmm0 += tmm4 * tmm6    tmm1 += tmm4 * tmm7    tmm2 += tmm5 * tmm6    tmm3 += tmm5 * tmm7
//     acc = tmm0 .. tmm3
//   release the tile registers
//
// Between the products of whole blocks the operands of the next step are loaded. All blocks of a
// row stand behind each other, so that their rows of a are found in the first-level cache, and they
// ask for those of the next row, each for a part: the CPU does not fetch ahead from row to row.
//
// Where operands are sums of two parts, a step goes on with those that stand behind: tmm4, tmm5 and
// tmm6, tmm7 are loaded anew by turns, so that each of them takes part in two rows of products.
// All rows of a are split in front of the product, so what is asked for are those of the next one,
// and with them the panels of b that stand packed already.
//
// Where k is no whole number of 16 groups, a last step takes what is left, from tmm5 and tmm7,
// which are configured to hold no more; whole steps have tmm4 and tmm6 alone then.
//
// What sums begin with, and what they are needed for, may be computed block by block, in the
// first-level cache: the sums go to one place there then, not back to acc.
//
// A row of a tile of a is 16 groups, a row of b one group of 16 columns, as packed. Each product
// configures the registers for itself, 50 ns, because whatever else is called may do so, too.
// LLVM's intrinsics that name the registers by numbers need no passes of its own; those that
// have LLVM choose them are left without a configuration by the passes that are run here.
//
//===----------------------------------------------------------------------===//

#include "tritium/Conversion/TileToCPU/MicroKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tritium::cpu;

namespace {

constexpr int64_t kRows = 16, kRowBytes = 64; ///< of a tile register
constexpr int kSums = 0, kTilesOfA = 4, kTilesOfB = 6;

class TileDotEmitter {
public:
  TileDotEmitter(OpBuilder &b, Location loc, DotForm form, int64_t k, PackedMatrix a,
                 PackedMatrix bMatrix, PackedMatrix acc, bool fromZero, const RowsForTiles &rowsOfA,
                 const BlocksOfSums &blocks)
      : b(b), loc(loc), form(form), k(k), a(a.base), bMatrix(bMatrix.base), acc(acc.base),
        strideOfA(a.byteStride ? a.byteStride : i64(a.rowStride * 4 / groupOf(form))),
        strideOfB(i64(bMatrix.rowStride * 4)), strideOfAcc(i64(acc.rowStride * 4)),
        columnBytesOfB(4 * std::max<int64_t>(bMatrix.panelRows, 1)),
        restGroups(k / groupOf(form) % kRows), fromZero(fromZero), isEmpty(acc.isEmpty),
        rowsOfA(rowsOfA), blocks(blocks) {}

  void emit(int64_t m, int64_t n) {
    intrinsic("ldtilecfg", configuration());
    blocksOfRow = llvm::divideCeil(n, 2 * kRows);
    if (rowsOfA.panelsBehind) {
      int64_t stepsOfBlock = llvm::divideCeil(k, kRows * groupOf(form));
      int64_t steps = llvm::divideCeil(m, 2 * kRows) * blocksOfRow * stepsOfBlock;
      panelLinesOfStep = llvm::divideCeil(rowsOfA.panelsBehindBytes / kRowBytes, steps);
    }
    forPieces(m, [&](Value i, int64_t rows) {
      Value first = address(a, i, strideOfA, i64(0));
      Rows here{first, strideOfA, {}};
      if (rowsOfA.behind && rowsOfA.behindStride) {
        here.next = address(rowsOfA.behind, i, rowsOfA.behindStride, i64(0));
      } else if (rowsOfA.behind) {
        Value isLast =
            b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, i, i64(m - 2 * kRows));
        here.next = b.create<arith::SelectOp>(loc, isLast, rowsOfA.behind,
                                              address(first, i64(2 * kRows), strideOfA, i64(0)));
      }
      if (rowsOfA.find) {
        PackedMatrix found = rowsOfA.find(i, rows * kRows);
        here.base = found.base, here.stride = found.byteStride;
      }
      forPieces(n, [&](Value j, int64_t columns) {
        here.panel = panelBehind(i, j);
        emitBlock(here, i, j, rows, columns);
      });
    });
    intrinsic("tilerelease", {});
  }

private:
  /// A block's rows of a, and where those begin that are read behind them, if they are asked for,
  /// and what the block asks for of panels.
  struct Rows {
    Value base, stride, next, panel;
  };

  Value i64(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }

  void intrinsic(StringRef name, ValueRange operands) {
    b.create<LLVM::CallIntrinsicOp>(loc, TypeRange(), b.getStringAttr("llvm.x86." + name.str()),
                                    operands, LLVM::FastmathFlagsAttr());
  }

  Value tile(int number) { return b.create<arith::ConstantIntOp>(loc, number, 8); }

  /// base + row * stride + bytes.
  Value address(Value base, Value row, Value stride, Value bytes) {
    Value offset = b.create<arith::AddIOp>(loc, b.create<arith::MulIOp>(loc, row, stride), bytes);
    return b.create<LLVM::GEPOp>(loc, base.getType(), b.getI8Type(), base,
                                 ArrayRef<LLVM::GEPArg>{offset});
  }

  Value plus(Value x, int64_t y) { return y ? b.create<arith::AddIOp>(loc, x, i64(y)) : x; }
  Value times(Value x, int64_t y) { return b.create<arith::MulIOp>(loc, x, i64(y)); }

  /// Registers have all rows and bytes but for those of the last step: palette 1, the bytes of a
  /// row as 16 bits from byte 16 on, the rows from byte 48 on.
  Value configuration() {
    SmallVector<int8_t> bytes(64, 0);
    bytes[0] = 1;
    for (int number = 0; number < 8; ++number) {
      bytes[16 + 2 * number] = kRowBytes;
      bytes[48 + number] = kRows;
    }
    if (restGroups) {
      bytes[16 + 2 * (kTilesOfA + 1)] = 4 * restGroups;
      bytes[48 + kTilesOfB + 1] = restGroups;
    }
    auto type = VectorType::get(64, b.getI8Type());
    Operation *function = b.getInsertionBlock()->getParentOp();
    while (!isa<FunctionOpInterface>(function))
      function = function->getParentOp();
    OpBuilder entry = OpBuilder::atBlockBegin(&function->getRegion(0).front());
    Value one = entry.create<arith::ConstantIntOp>(loc, 1, 64);
    Value slot = entry.create<LLVM::AllocaOp>(loc, a.getType(), type, one, /*alignment=*/64);
    Value content =
        b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes)));
    b.create<LLVM::StoreOp>(loc, content, slot, 64);
    return slot;
  }

  /// `body` for pieces of one or two tiles: the first row, and how many tiles.
  void forPieces(int64_t extent, llvm::function_ref<void(Value, int64_t)> body) {
    int64_t pairs = extent / (2 * kRows) * (2 * kRows);
    if (pairs == 2 * kRows) {
      body(i64(0), 2);
    } else if (pairs) {
      auto loop = b.create<scf::ForOp>(loc, i64(0), i64(pairs), i64(2 * kRows));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      body(loop.getInductionVar(), 2);
    }
    if (pairs < extent)
      body(i64(pairs), 1);
  }

  void emitBlock(Rows a, Value i, Value j, int64_t rows, int64_t columns) {
    auto forSums = [&](llvm::function_ref<void(int, int64_t, int64_t)> body) {
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
          body(kSums + 2 * row + column, row, column);
    };
    auto addressOfSums = [&](int64_t row, int64_t column) {
      return address(acc, plus(i, row * kRows), strideOfAcc, plus(times(j, 4), column * kRowBytes));
    };
    if (blocks.prepare)
      blocks.prepare(i, j);
    auto clear = [&] {
      forSums([&](int number, int64_t, int64_t) { intrinsic("tilezero", tile(number)); });
    };
    auto loadSums = [&] {
      forSums([&](int number, int64_t row, int64_t column) {
        load(number, addressOfSums(row, column), strideOfAcc);
      });
    };
    if (isEmpty) {
      auto branch = b.create<scf::IfOp>(loc, isEmpty, /*else=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      clear();
      b.setInsertionPointToStart(branch.elseBlock());
      loadSums();
    } else if (fromZero) {
      clear();
    } else {
      loadSums();
    }
    int64_t steps = k / (kRows * groupOf(form));
    if (restGroups) {
      forSteps(steps, [&](Value step) { emitStepOfTwo(a, j, step, rows, columns, 0); });
      emitStepOfTwo(a, j, i64(steps), rows, columns, 1);
    } else if (rows == 2 && columns == 2) {
      if (partsOf(form) == 1)
        emitStepsAhead(a, j, steps);
      else
        emitStepsOfParts(a, j, steps);
    } else
      forSteps(steps, [&](Value step) {
        fetchNext(a, j, step);
        emitStep(a, j, step, rows, columns);
      });
    if (!blocks.take)
      return forSums([&](int number, int64_t row, int64_t column) {
        intrinsic("tilestored64", {tile(number), addressOfSums(row, column), strideOfAcc});
      });
    Value stride = i64(kBlockRows * 4);
    forSums([&](int number, int64_t row, int64_t column) {
      Value at = address(blocks.base, i64(row * kRows), stride, i64(column * kRowBytes));
      intrinsic("tilestored64", {tile(number), at, stride});
    });
    blocks.take(i, j);
  }

  void forSteps(int64_t steps, llvm::function_ref<void(Value)> body) {
    if (steps < 1)
      return;
    auto loop = b.create<scf::ForOp>(loc, i64(0), i64(steps), i64(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  /// Steps of a whole block, which load operands of the step behind them as registers get free.
  void emitStepsAhead(Rows a, Value j, int64_t steps) {
    loadA(a, 0, i64(0));
    for (int64_t column : {0, 1})
      loadB(j, column, i64(0));
    forSteps(steps - 1, [&](Value step) {
      Value next = plus(step, 1);
      fetchNext(a, j, step);
      multiply(0, 0);
      loadA(a, 1, step);
      multiply(0, 1);
      loadA(a, 0, next);
      multiply(1, 0);
      loadB(j, 0, next);
      multiply(1, 1);
      loadB(j, 1, next);
    });
    fetchNext(a, j, i64(steps - 1));
    loadA(a, 1, i64(steps - 1));
    for (int64_t row : {0, 1})
      for (int64_t column : {0, 1})
        multiply(row, column);
  }

  /// Asks for a line for the second-level cache.
  void fetch(Value at) { b.create<LLVM::Prefetch>(loc, at, /*rw=*/0, /*hint=*/2, /*cache=*/1); }

  /// Asks for some lines of some of the rows that are read behind these, and of the panels.
  void fetchNext(Rows a, Value j, Value step) {
    if (a.next) {
      int64_t count = llvm::divideCeil(2 * kRows, blocksOfRow);
      int64_t bytes = rowsOfA.behindStepBytes ? rowsOfA.behindStepBytes : kRowBytes;
      Value stride = rowsOfA.behindStride ? rowsOfA.behindStride : strideOfA;
      // A block of 32 columns asks for `count` rows.
      Value first = b.create<arith::DivUIOp>(loc, times(j, count), i64(2 * kRows));
      for (int64_t row = 0; row < count; ++row)
        for (int64_t line = 0; line < bytes; line += kRowBytes)
          fetch(address(a.next, plus(first, row), stride, plus(times(step, bytes), line)));
    }
    if (a.panel) {
      Value first = address(a.panel, step, i64(panelLinesOfStep * kRowBytes), i64(0));
      for (int64_t line = 0; line < panelLinesOfStep; ++line)
        fetch(address(first, i64(line), i64(kRowBytes), i64(0)));
    }
  }

  /// Where the part of the next panels begins for which this block asks: each for as many lines.
  Value panelBehind(Value i, Value j) {
    if (!rowsOfA.panelsBehind)
      return {};
    Value rows = b.create<arith::DivUIOp>(loc, times(i, blocksOfRow), i64(2 * kRows));
    Value block =
        b.create<arith::AddIOp>(loc, rows, b.create<arith::DivUIOp>(loc, j, i64(2 * kRows)));
    int64_t steps = k / (kRows * groupOf(form));
    return address(rowsOfA.panelsBehind, block, i64(panelLinesOfStep * steps * kRowBytes), i64(0));
  }

  /// Products of a part of a by one of b. A part that is not given is in the registers already.
  struct Parts {
    std::optional<int64_t> a, b;
  };

  /// The least products first, as far as registers allow.
  SmallVector<Parts> products() const {
    if (partsOf(form) == 1)
      return {{0, 0}};
    SmallVector<Parts> all{{1, 0}, {0, {}}, {{}, 1}};
    if (form == DotForm::HalfParts)
      all.push_back({1, {}});
    return all;
  }

  /// Steps of a whole block of parts. A register is loaded anew behind the products that take it,
  /// in front of those that take the others: of b along the columns, of a along the rows.
  void emitStepsOfParts(Rows a, Value j, int64_t steps) {
    SmallVector<Parts> all = products();
    auto loadIfNew = [&](Parts parts, bool ofA, int64_t number, Value step) {
      if (ofA && parts.a)
        loadA(a, number, step, *parts.a);
      else if (!ofA && parts.b)
        loadB(j, number, step, *parts.b);
    };
    for (int64_t number : {0, 1}) {
      loadIfNew(all.front(), true, number, i64(0));
      loadIfNew(all.front(), false, number, i64(0));
    }
    auto multiplyStep = [&](Value step, Value next) {
      fetchNext(a, j, step);
      for (size_t i = 0; i < all.size(); ++i) {
        bool isLast = i + 1 == all.size();
        Parts then = isLast ? next ? all.front() : Parts() : all[i + 1];
        Value stepThen = isLast ? next : step;
        // Where b changes, a column's products come together, else a row's.
        bool byColumns = then.b.has_value();
        for (int64_t first : {0, 1}) {
          for (int64_t second : {0, 1}) {
            multiply(byColumns ? second : first, byColumns ? first : second);
            if (byColumns && first == 1)
              loadIfNew(then, true, second, stepThen);
          }
          loadIfNew(then, !byColumns, first, stepThen);
        }
      }
    };
    forSteps(steps - 1, [&](Value step) { multiplyStep(step, plus(step, 1)); });
    multiplyStep(i64(steps - 1), {});
  }

  void emitStep(Rows a, Value j, Value step, int64_t rows, int64_t columns) {
    for (Parts parts : products()) {
      if (parts.b)
        loadB(j, 0, step, *parts.b);
      for (int64_t row = 0; row < rows; ++row) {
        if (parts.a)
          loadA(a, row, step, *parts.a);
        if (parts.b && row == 0 && columns == 2)
          loadB(j, 1, step, *parts.b);
        for (int64_t column = 0; column < columns; ++column)
          multiply(row, column);
      }
    }
  }

  /// The same by two registers of operands, `registers` from tmm4 and from tmm6.
  void emitStepOfTwo(Rows a, Value j, Value step, int64_t rows, int64_t columns, int registers) {
    int tileOfA = kTilesOfA + registers, tileOfB = kTilesOfB + registers;
    for (int64_t row = 0; row < rows; ++row) {
      load(tileOfA, addressOfA(a, row, step, 0), a.stride);
      // The second row begins with the columns that the first one has ended with.
      for (int64_t i = 0; i < columns; ++i) {
        int64_t column = row ? columns - 1 - i : i;
        if (!row || i)
          load(tileOfB, addressOfB(j, column, step, 0), strideOfB);
        multiply(row, column, tileOfA, tileOfB);
      }
    }
  }

  Value addressOfA(Rows a, int64_t row, Value step, int64_t part) {
    Value bytes = plus(times(step, kRowBytes), part * k * (4 / groupOf(form)));
    return address(a.base, i64(row * kRows), a.stride, bytes);
  }

  Value addressOfB(Value j, int64_t column, Value step, int64_t part) {
    Value row = plus(times(step, kRows), part * k / groupOf(form));
    return address(bMatrix, row, strideOfB, plus(times(j, columnBytesOfB), column * kRowBytes));
  }

  void load(int number, Value from, Value stride) {
    intrinsic("tileloadd64", {tile(number), from, stride});
  }

  void loadA(Rows a, int64_t row, Value step, int64_t part = 0) {
    load(kTilesOfA + row, addressOfA(a, row, step, part), a.stride);
  }

  void loadB(Value j, int64_t column, Value step, int64_t part = 0) {
    load(kTilesOfB + column, addressOfB(j, column, step, part), strideOfB);
  }

  void multiply(int64_t row, int64_t column) {
    multiply(row, column, kTilesOfA + row, kTilesOfB + column);
  }

  void multiply(int64_t row, int64_t column, int tileOfA, int tileOfB) {
    StringRef product = form == DotForm::SignedQuads     ? "tdpbssd"
                        : form == DotForm::UnsignedQuads ? "tdpbuud"
                                                         : "tdpbf16ps";
    intrinsic(product, {tile(kSums + 2 * row + column), tile(tileOfA), tile(tileOfB)});
  }

  OpBuilder &b;
  Location loc;
  DotForm form;
  int64_t k;
  Value a, bMatrix, acc, strideOfA, strideOfB, strideOfAcc;
  int64_t columnBytesOfB; ///< from one block's columns to the next one's, by column
  int64_t restGroups;     ///< of k, behind the last whole step
  bool fromZero;
  Value isEmpty;
  const RowsForTiles &rowsOfA;
  const BlocksOfSums &blocks;
  int64_t blocksOfRow = 1, panelLinesOfStep = 0;
};

} // namespace

bool tritium::cpu::fitsTiles(DotForm form, int64_t m, int64_t n, int64_t k) {
  // Less is done by vectors before the registers are configured.
  constexpr int64_t leastProducts = 1 << 15;
  int64_t unit = partsOf(form) == 1 ? groupOf(form) : kRows * groupOf(form);
  return form != DotForm::Single && m % kRows == 0 && n % kRows == 0 && k % unit == 0 &&
         m * n * k >= leastProducts;
}

void tritium::cpu::emitTileDot(OpBuilder &builder, Location loc, DotForm form, int64_t m, int64_t n,
                               int64_t k, PackedMatrix a, PackedMatrix b, PackedMatrix acc,
                               bool fromZero, const RowsForTiles &rowsOfA,
                               const BlocksOfSums &blocks) {
  assert((!b.panelRows || b.rowStride == std::min(n, 2 * kRows)) && "a panel is a block wide");
  assert(((!blocks.take && !blocks.prepare) || (m % kBlockRows == 0 && n % kBlockRows == 0)) &&
         "blocks are whole");
  TileDotEmitter(builder, loc, form, k, a, b, acc, fromZero, rowsOfA, blocks).emit(m, n);
}

/// Linux gives a process the state that AMX needs when it asks for it, or refuses; where there is
/// no AMX, it refuses as well.
Value tritium::cpu::emitTilePermission(OpBuilder &b, Location loc) {
  constexpr int64_t archPrctl = 158, requestPermission = 0x1023, tileData = 18;
  auto number = [&](int64_t value) -> Value {
    return b.create<arith::ConstantIntOp>(loc, value, 64);
  };
  return b
      .create<LLVM::InlineAsmOp>(
          loc, b.getI64Type(),
          ValueRange{number(archPrctl), number(requestPermission), number(tileData)}, "syscall",
          "={rax},{rax},{rdi},{rsi},~{rcx},~{r11},~{memory}", /*has_side_effects=*/true,
          /*is_align_stack=*/false, LLVM::AsmDialectAttr(), ArrayAttr())
      .getRes();
}
