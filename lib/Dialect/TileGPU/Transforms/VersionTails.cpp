//===- VersionTails.cpp - ttg-version-tails -------------------------===//
//
//   tt.func @f(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pitch: i32, %n: i32) {
//     body
//   }
//
// becomes, if a pitch of unknown alignment is all that keeps accesses narrow,
//
//   scf.if (%pitch & 7) == 0 && (%n & 7) == 0 {
//     body with %pitch & -8 and %n & -8            // whose divisibility is known
//   } else {
//     scf.if (%pitch & 7) == 0 {
//       body with %pitch & -8
//     } else {
//       body
//     }
//   }
//
// so that rows of 3000 elements move in vectors, and rows of 3001 element by element. Only
// arguments without which some access would stay narrow are asked about. The bound of a mask
// alone makes no version, because vectors across it are taken apart when they are met
// (ttg-coalesce); but where there are versions, one is free of that. Kernels with dots
// are left alone, because their code is large, and so are those with assumptions, which hold
// in the outermost block only, and those whose programs share their rounds out, which is known
// there.
//
// It runs on tiles without layouts.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/AccessWidth.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Support/EmitRemark.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_VERSIONTAILS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
constexpr StringRef kDivisibility = "tt.divisibility";

class Versioning {
public:
  Versioning(tt::FuncOp func, int warps) : func(func) {
    func.walk([&](Operation *op) {
      mayPay &= !isa<tt::DotOp, tt::AssumeOp, tt::ProgramShareOp>(op);
      auto access = dyn_cast<tt::MemoryAccess>(op);
      if (!access || !access.isOfTile() || access.isAtomic())
        return;
      int64_t elements = 1;
      for (int64_t extent : tt::shapeOf(op->getOperand(0).getType()))
        elements *= extent;
      // A lane with one element has nothing to put into a vector.
      if (elements > 32 * warps)
        accesses.push_back(op);
    });
    for (BlockArgument argument : func.getArguments())
      if ((argument.getType().isInteger(32) || argument.getType().isInteger(64)) &&
          !func.getArgAttr(argument.getArgNumber(), kDivisibility))
        unknown.push_back(argument.getArgNumber());
  }

  void run() {
    if (!mayPay || accesses.empty() || unknown.empty() || !func.getBody().hasOneBlock())
      return;
    SmallVector<int64_t> before = widthsIf({}, Crossing::Anywhere);
    SmallVector<int64_t> best = widthsIf(unknown, Crossing::Anywhere);
    if (before == best)
      return;
    int64_t divisor = 1;
    for (auto [access, from, to] : llvm::zip(accesses, before, best))
      if (to > from)
        divisor = std::max(divisor, kMaxVectorBytes / pointeeBytes(access->getOperand(0)));
    SmallVector<unsigned> pitches = needed(Crossing::Anywhere), all = needed(Crossing::Never);
    remark(before, best, pitches, divisor);
    for (unsigned pitch : pitches)
      if (!llvm::is_contained(all, pitch))
        all.push_back(pitch);
    Block *rest = &func.getBody().front();
    if (all.size() > pitches.size())
      rest = version(rest, all, divisor);
    version(rest, pitches, divisor);
  }

private:
  /// The arguments that must be multiples for accesses to be as wide as they can be.
  SmallVector<unsigned> needed(Crossing crossing) {
    SmallVector<int64_t> best = widthsIf(unknown, crossing);
    SmallVector<unsigned> needed = unknown;
    for (unsigned argument : unknown) {
      SmallVector<unsigned> fewer = needed;
      llvm::erase(fewer, argument);
      if (widthsIf(fewer, crossing) == best)
        needed = fewer;
    }
    return needed;
  }

  /// Widths of the accesses if these arguments were multiples of 16.
  SmallVector<int64_t> widthsIf(ArrayRef<unsigned> arguments, Crossing crossing) {
    Hypotheses hypotheses;
    for (unsigned i : arguments)
      hypotheses.multiples[func.getArgument(i)] = kMaxVectorBytes;
    AxisInfoAnalysis axes(func, hypotheses);
    SmallVector<int64_t> widths;
    for (Operation *access : accesses)
      widths.push_back(widthOf(access, axes, crossing));
    return widths;
  }

  /// Which accesses are wider where which arguments are multiples.
  void remark(ArrayRef<int64_t> before, ArrayRef<int64_t> best, ArrayRef<unsigned> pitches,
              int64_t divisor) {
    std::string names;
    for (unsigned pitch : pitches)
      if (auto name = func.getArgAttrOfType<StringAttr>(pitch, "tt.name"))
        names += (names.empty() ? "" : ",") + name.str();
    for (auto [access, from, to] : llvm::zip(accesses, before, best)) {
      if (to <= from || names.empty())
        continue;
      int64_t bytes = pointeeBytes(access->getOperand(0));
      std::string kind = isa<tt::StoreOp>(access) ? "store" : "load";
      std::string wide = std::to_string(to * bytes), narrow = std::to_string(from * bytes);
      std::string elements = std::to_string(divisor);
      remarkApplied(access->getLoc(), "version-tails",
                    "a " + kind + " moves " + wide + " bytes a lane where " + elements +
                        " divides '" + names + "', else " + narrow,
                    {{"access", kind},
                     {"bytes", narrow},
                     {"possible", wide},
                     {"elements", elements},
                     {"multiples", names}});
    }
  }

  /// Two versions of a block; returns the one for arguments that are no multiples.
  Block *version(Block *body, ArrayRef<unsigned> arguments, int64_t divisor) {
    Location loc = func.getLoc();
    OpBuilder b = OpBuilder::atBlockBegin(body);
    auto constant = [&](Type type, int64_t value) -> Value {
      return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, value));
    };
    Value fits;
    for (unsigned i : arguments) {
      Value x = func.getArgument(i);
      Value rest = b.create<arith::AndIOp>(loc, x, constant(x.getType(), divisor - 1));
      Value isMultiple =
          b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rest, constant(x.getType(), 0));
      fits = fits ? b.create<arith::AndIOp>(loc, fits, isMultiple).getResult() : isMultiple;
    }
    auto branch = b.create<scf::IfOp>(loc, fits, /*withElseRegion=*/true);
    branch->setAttr(kVersions, b.getUnitAttr());
    Block *narrow = branch.elseBlock(), *wide = branch.thenBlock();
    narrow->getOperations().splice(narrow->begin(), body->getOperations(),
                                   std::next(branch->getIterator()),
                                   body->getTerminator()->getIterator());
    b.setInsertionPointToStart(wide);
    IRMapping mapping;
    for (unsigned i : arguments) {
      Value x = func.getArgument(i);
      mapping.map(x, b.create<arith::AndIOp>(loc, x, constant(x.getType(), -divisor)).getResult());
    }
    for (Operation &op : narrow->without_terminator())
      b.clone(op, mapping);
    return narrow;
  }

  tt::FuncOp func;
  SmallVector<Operation *> accesses;
  SmallVector<unsigned> unknown; ///< numbers of arguments whose alignment nobody promised
  bool mayPay = true;
};

struct VersionTailsPass : impl::VersionTailsBase<VersionTailsPass> {
  using VersionTailsBase::VersionTailsBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<tt::FuncOp>())
      if (func.isKernel() && !func.isExternal())
        Versioning(func, numWarps(getOperation(), warps)).run();
  }
};
} // namespace

} // namespace tritium::ttg
