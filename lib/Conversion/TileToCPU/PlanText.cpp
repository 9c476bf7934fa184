//===- PlanText.cpp - a plan as text --------------------------------------===//
//
//   plan of @rows: 1088 bytes of scratch memory
//     b0: 16x16 x f32 at 0, 1024 bytes
//   scalar %1 = arith.muli                        one operation on scalars
//   phase 16x16, loops 0 1, lanes along 1         a loop nest, from the outermost dimension on
//     where %7 is true everywhere: 32 lanes       a version without that mask
//     elsewhere: 16 lanes
//     evaluates %5 %6 %7                          what is computed here, chunk by chunk
//     b0 = %8                                     what is written
//     reduce %9 -> b1
//   region %10 = scf.for                          phases that fill what it carries stand before it
//     phase ...
//
// Values have the names that they have in the tile IR.
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "TileValues.h"

#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tritium::cpu {

namespace {
class PlanPrinter {
public:
  PlanPrinter(llvm::raw_ostream &os, const KernelPlan &plan, tt::FuncOp kernel)
      : os(os), plan(plan), kernel(kernel), names(kernel) {}

  void print() {
    os << "plan of @" << kernel.getName() << ": " << plan.scratchBytes
       << " bytes of scratch memory\n";
    for (const Buffer &buffer : plan.buffers)
      printBuffer(buffer);
    for (auto [argument, bytes] : llvm::zip(kernel.getArguments(), plan.streamedBytes))
      if (bytes) {
        os << "  a program may stream ";
        if (bytes == kUnknownBytes)
          os << "any number of";
        else
          os << bytes;
        os << " bytes to " << name(argument) << '\n';
      }
    printSteps(plan.steps);
  }

private:
  std::string name(Value value) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    value.printAsOperand(stream, names);
    return text;
  }

  static std::string name(const Buffer *buffer) { return "b" + std::to_string(buffer->number); }

  llvm::raw_ostream &line() { return os.indent(indent); }

  template <typename Range> void list(const char *head, const Range &values) {
    if (values.empty())
      return;
    line() << head;
    for (Value value : values)
      os << ' ' << name(value);
    os << '\n';
  }

  void printBuffer(const Buffer &buffer) {
    os << "  " << name(&buffer) << ": ";
    llvm::interleave(buffer.shape, os, "x");
    os << " x " << buffer.element << " at " << buffer.offset << ", " << buffer.bytes << " bytes";
    if (buffer.rowStride != buffer.shape.back())
      os << ", rows of " << buffer.rowStride;
    os << '\n';
  }

  void printSteps(const StepList &steps) {
    for (const Step &step : steps)
      printStep(step);
  }

  void printStep(const Step &step) {
    switch (step.kind) {
    case Step::Scalar:
      if (!isa<arith::ConstantOp>(step.op))
        printOperation("scalar", step.op);
      return printScratch(step);
    case Step::Phase:
      return printPhase(step);
    case Step::Region:
      return printRegion(step);
    case Step::Dot:
      return printDot(step);
    }
  }

  /// `head` %1, %2 = name
  void printOperation(const char *head, Operation *op) {
    line() << head << ' ';
    llvm::interleaveComma(op->getResults(), os, [&](Value v) { os << name(v); });
    os << (op->getNumResults() ? " = " : "") << op->getName() << '\n';
  }

  void printScratch(const Step &step) {
    if (step.scratch.empty())
      return;
    os.indent(indent + 2) << "reports by";
    for (const Buffer *buffer : step.scratch)
      os << ' ' << name(buffer);
    os << '\n';
  }

  //===--------------------------------------------------------------------===//
  // Phases
  //===--------------------------------------------------------------------===//

  void printPhase(const Step &step) {
    line() << "phase ";
    llvm::interleave(step.shape, os, "x");
    if (!step.versions.empty()) {
      os << ", loops";
      for (int64_t dim : step.loopOrder)
        os << ' ' << dim;
      os << ", lanes along " << step.lanesDim;
    }
    os << '\n';
    indent += 2;
    if (step.isReadDirectly)
      line() << (step.whole ? "the product reads memory where the mask is true everywhere\n"
                            : "the product reads memory\n");
    for (const Loops &loops : step.versions)
      printLoops(step, loops);
    printSteps(step.before);
    if (!step.versions.empty())
      list("evaluates", evaluated(step));
    for (const Root &root : step.roots)
      printRoot(step, root);
    for (const NextRow &row : step.nextRows)
      if (row.isStored())
        line() << "asks for the lines of the row at " << name(row.pointers()) << '\n';
      else
        line() << "asks for the next program's " << name(row.access->getResult(0)) << '\n';
    indent -= 2;
    printScratch(step);
  }

  void printLoops(const Step &step, const Loops &loops) {
    bool isGuarded = step.guard && &loops == &step.versions.front();
    line();
    if (isGuarded) {
      SmallVector<std::string> conditions;
      for (Value mask : loops.wholeMasks)
        conditions.push_back(name(mask) + " is true everywhere");
      for (auto [remainder, less] : loops.straight)
        conditions.push_back(name(remainder->getResult(0)) + " counts up");
      os << "where " << llvm::join(conditions, " and ") << ": ";
    } else if (step.guard) {
      os << "elsewhere: ";
    }
    os << loops.width << (loops.width == 1 ? " lane" : " lanes");
    if (!loops.leadingMasks.empty()) {
      os << ", at first without";
      for (Value mask : loops.leadingMasks)
        os << ' ' << name(mask);
    }
    if (loops.streamed)
      os << ", " << name(loops.streamed->getOperand(0)) << " is streamed";
    os << '\n';
  }

  /// The tiles that are computed in the phase, in the order of the block.
  SmallVector<Value> evaluated(const Step &step) {
    llvm::SetVector<Value> found;
    SmallVector<Value> worklist;
    auto add = [&](Value value) { worklist.push_back(value); };
    for (const Root &root : step.roots) {
      if (root.kind != Root::Assign)
        forEachTileOperand(root.op, add);
      else if (!root.isHome)
        add(root.value);
      else if (Operation *op = root.value.getDefiningOp())
        forEachTileOperand(op, add);
    }
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (plan.isStored(value) || !isVirtual(value) || !found.insert(value))
        continue;
      forEachTileOperand(value.getDefiningOp(), add);
    }
    SmallVector<Value> values = found.takeVector();
    llvm::erase_if(values, [](Value v) { return isa<arith::ConstantOp>(v.getDefiningOp()); });
    llvm::sort(values, [](Value x, Value y) {
      Operation *a = x.getDefiningOp(), *b = y.getDefiningOp();
      if (a->getBlock() == b->getBlock())
        return a->isBeforeInBlock(b);
      return a->getParentOp()->isProperAncestor(b);
    });
    return values;
  }

  void printRoot(const Step &step, const Root &root) {
    switch (root.kind) {
    case Root::Assign:
      line() << name(root.buffer) << " = " << name(root.value);
      if (step.writesSwapped)
        os << ", the last two dimensions swapped";
      if (step.transposed && step.versions.empty() && !step.before.empty())
        os << ", transposed from " << name(step.before.front().roots.front().buffer);
      break;
    case Root::Store:
      line() << "store " << name(root.op->getOperand(0));
      if (root.fetchesLaterRows)
        os << ", asking for later rows";
      break;
    case Root::Reduce:
    case Root::Scan:
    case Root::Atomic:
    case Root::Count:
      line() << (root.kind == Root::Reduce  ? "reduce"
                 : root.kind == Root::Scan  ? "scan"
                 : root.kind == Root::Count ? "count"
                                            : "atomic");
      for (Value result : root.op->getResults()) {
        os << ' ' << name(result);
        if (Buffer *buffer = plan.home(result))
          os << " -> " << name(buffer);
      }
      if (step.reduceDim >= 0)
        os << " along " << step.reduceDim;
      break;
    case Root::Print:
    case Root::Assert:
      line() << root.op->getName();
      break;
    }
    os << '\n';
  }

  //===--------------------------------------------------------------------===//
  // Regions, products
  //===--------------------------------------------------------------------===//

  void printRegion(const Step &step) {
    printSteps(step.before);
    printOperation("region", step.op);
    for (auto [i, steps] : llvm::enumerate(step.blocks)) {
      if (i > 0)
        line() << (isa<scf::IfOp>(step.op) ? "else\n" : "do\n");
      indent += 2;
      printSteps(steps);
      indent -= 2;
    }
    indent += 2;
    for (auto [from, to] : step.copies)
      line() << "copy " << name(from) << " to " << name(to) << '\n';
    if (step.rounds)
      printRounds(*step.rounds);
    indent -= 2;
  }

  void printRounds(const RoundsPlan &rounds) {
    line() << "at once, as " << rounds.k << " k, " << rounds.count
           << (rounds.count == 1 ? " round" : " rounds") << " whose tiles follow each other";
    if (rounds.a.whole || rounds.b.whole)
      os << " and lie inside of their masks";
    os << ":\n";
    indent += 2;
    auto operand = [&](const char *verb, const RoundsPlan::Operand &matrix, const Buffer *buffer) {
      line() << name(tt::LoadOp(matrix.load).getResult()) << verb << name(buffer);
    };
    bool isCopied = rounds.aStands == RoundsPlan::Copied;
    if (rounds.aStands == RoundsPlan::InPlace)
      line() << name(tt::LoadOp(rounds.a.load).getResult()) << " read in place";
    else
      operand(!isCopied         ? " read in place, or copied block by block to "
              : rounds.a.alongK ? " copied to "
                                : " turned over to ",
              rounds.a, rounds.dot.a.packed);
    os << '\n';
    if (rounds.bInPlace)
      line() << name(tt::LoadOp(rounds.b.load).getResult()) << " read in place";
    else
      operand(rounds.b.alongK ? " turned over, in panels, to " : " packed in panels to ", rounds.b,
              rounds.dot.b.packed);
    printKept(rounds.dot);
    os << '\n';
    line() << "product:" << formName(rounds.dot) << ", added to " << name(rounds.dot.accumulator)
           << (rounds.fromZero ? ", at first to zeros" : "") << '\n';
    if (rounds.asksForRows)
      line() << "asks for the next rows of " << name(tt::LoadOp(rounds.a.load).getResult()) << '\n';
    if (rounds.asksForPanels)
      line() << "asks for the next panels of " << name(rounds.dot.b.packed) << '\n';
    indent -= 2;
    if (!rounds.epilogue)
      return;
    if (rounds.epilogue->store)
      line() << "the last sums are stored where they belong" << '\n';
    else
      printBlocks(rounds);
    line() << "or, if that was not done:\n";
    indent += 2;
    printSteps(rounds.epilogue->whole);
    indent -= 2;
  }

  void printBlocks(const RoundsPlan &rounds) {
    line() << "each block of the last sums, in " << name(rounds.epilogue->ofBlock) << ":\n";
    indent += 2;
    printSteps(rounds.epilogue->block);
    indent -= 2;
  }

  void printKept(const DotPlan &dot) {
    if (dot.kept)
      os << ", " << dot.kept << " of which are kept for other programs";
  }

  static std::string formName(const DotPlan &dot) {
    constexpr const char *forms[] = {"",
                                     " pairs of bf16",
                                     " pairs of words",
                                     " four bytes",
                                     " four unsigned bytes",
                                     " four bytes by SDOT",
                                     " four unsigned bytes by UDOT",
                                     " four bf16 by BFMMLA",
                                     " eight bytes by SMMLA",
                                     " eight unsigned bytes by UMMLA",
                                     " fp16 in two parts of bf16",
                                     " fp32 in two parts of bf16"};
    return std::string(forms[unsigned(dot.form)]) + (dot.onTiles ? " by AMX" : "");
  }

  void printDot(const Step &step) {
    const DotPlan &dot = *step.dot;
    auto operand = [&](const DotPlan::Operand &matrix) {
      os << ' ' << name(matrix.stored) << (matrix.readsMemory ? " or memory" : "");
      if (matrix.packed != matrix.stored)
        os << " packed to " << name(matrix.packed);
    };
    printSteps(step.before);
    if (!step.beforeBlock.empty()) {
      line() << "or, by AMX, over each block of sums:\n";
      indent += 2;
      printSteps(step.beforeBlock);
      indent -= 2;
    }
    line() << "product " << name(step.op->getResult(0)) << ':' << formName(dot);
    operand(dot.a);
    os << ", by";
    operand(dot.b);
    printKept(dot);
    os << (dot.fromZero ? ", to " : ", added to ") << name(dot.accumulator) << '\n';
    indent += 2;
    for (const Upcoming &tile : dot.upcoming) {
      line() << "asks for the next round's " << name(tt::LoadOp(tile.load).getResult()) << ": "
             << tile.rows << " rows of " << tile.rowBytes << " bytes\n";
      indent += 2;
      list("from the next", tile.moving);
      indent -= 2;
    }
    indent -= 2;
  }

  llvm::raw_ostream &os;
  const KernelPlan &plan;
  tt::FuncOp kernel;
  AsmState names;
  unsigned indent = 0;
};
} // namespace

void KernelPlan::print(llvm::raw_ostream &os, tt::FuncOp kernel) const {
  PlanPrinter(os, *this, kernel).print();
}

} // namespace tritium::cpu
