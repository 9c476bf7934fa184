//===- Elements.cpp - functions of elements, and the machine's own --------===//

#include "Builder.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/TypeSwitch.h"

#include <chrono>

using namespace mlir;

namespace tritium::interpreter {

namespace {
/// The region of `op`, for `lanes` groups of elements at once, each a lane of its scalars: all, or
/// one where groups take ways of their own through it.
struct ElementFunction {
  int64_t lanes;
  SmallVector<Tile> taken, returned;
  std::shared_ptr<const Body> body;

  ElementFunction(Builder &b, tt::MapElementwiseOp op, int64_t groups) {
    Block &block = op.getFunction().front();
    bool branches = llvm::any_of(block, [](Operation &o) { return o.getNumRegions() != 0; });
    lanes = branches ? 1 : groups;
    for (Value argument : block.getArguments()) {
      taken.push_back(b.allocate(Builder::elementOf(argument.getType()), lanes));
      b.bind(argument, taken.back());
    }
    for (Value value : block.getTerminator()->getOperands())
      returned.push_back(b.allocate(Builder::elementOf(value.getType()), lanes));
    body = b.buildBlock(block, lanes, [&](Operation *terminator) {
      SmallVector<Tile> made =
          llvm::map_to_vector(terminator->getOperands(), [&](Value value) { return b.get(value); });
      b.addParallelCopy(made, returned);
    });
  }
};

void buildMap(Builder &b, tt::MapElementwiseOp op) {
  SmallVector<Tile> sources, results;
  for (Value source : op.getSrcs())
    sources.push_back(b.get(source));
  for (Value result : op.getResults())
    results.push_back(b.define(result));
  int64_t pack = op.getPack(), count = sources[0].count, groups = (count + pack - 1) / pack;
  ElementFunction function(b, op, groups);
  b.add([=](Machine &m) {
    // Behind the last element it is that one again.
    auto placeOf = [=](int64_t group, int64_t member) {
      return std::min(group * pack + member, count - 1);
    };
    for (int64_t first = 0; first < groups; first += function.lanes) {
      for (auto [i, tile] : llvm::enumerate(function.taken))
        for (int64_t lane = 0; lane < function.lanes; ++lane)
          m.at(tile)[lane] =
              m.at(sources[i / pack])[placeOf(first + lane, static_cast<int64_t>(i) % pack)];
      function.body->run(m);
      if (m.stopped)
        return;
      for (auto [i, tile] : llvm::enumerate(function.returned))
        for (int64_t lane = 0; lane < function.lanes; ++lane)
          m.at(results[i / pack])[placeOf(first + lane, static_cast<int64_t>(i) % pack)] =
              m.at(tile)[lane];
    }
  });
  for (Tile tile : llvm::concat<Tile>(function.taken, function.returned))
    b.release(tile);
}

/// There are no multiprocessors here, and the clock is the host's.
void buildRegister(Builder &b, tt::ReadRegisterOp op) {
  Tile r = b.define(op.getResult());
  b.add([=, isClock = op.getWhich() == tt::MachineRegister::GLOBALTIMER](Machine &m) {
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    Slot time = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    std::fill_n(m.at(r), r.count, isClock ? time : 0);
  });
}
} // namespace

bool buildElements(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](tt::MapElementwiseOp op) { return buildMap(b, op), true; })
      .Case([&](tt::InlineAsmOp op) {
        return b.refuse(op, "cannot run a GPU's assembly (tl.inline_asm_elementwise)"), true;
      })
      .Case([&](tt::ReadRegisterOp op) { return buildRegister(b, op), true; })
      // Launches run one after the other, and a program without layouts is one thread.
      .Case<tt::GridDependencyOp, gpu::BarrierOp>([](auto) { return true; })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
