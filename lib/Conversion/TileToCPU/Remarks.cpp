//===- Remarks.cpp - what the lowering did not do, and why ----------------===//

#include "Lowering.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::cpu {

FileLineColLoc userLocation(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return file;
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return userLocation(call.getCallee());
  if (auto name = dyn_cast<NameLoc>(loc))
    return userLocation(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (auto file = userLocation(part))
        return file;
  return {};
}

void Lowering::remark(Operation *op, llvm::StringRef kind, const llvm::Twine &message,
                      std::map<std::string, std::string> arguments) {
  FileLineColLoc where = userLocation(op->getLoc());
  Remark r;
  r.pass = "tile-to-cpu";
  r.kind = kind.str();
  r.message = message.str();
  r.arguments = std::move(arguments);
  if (where) {
    r.file = where.getFilename().str();
    r.line = where.getLine();
    r.column = where.getColumn();
  }
  for (const Remark &known : remarks)
    if (known.line == r.line && known.column == r.column && known.message == r.message)
      return;
  remarks.push_back(std::move(r));
}

/// What is not known of the index that `culprit` is a part of, and what would tell.
static std::string missingFact(Value culprit) {
  Operation *op = culprit.getDefiningOp();
  if (!op || op->getNumRegions() > 0)
    return "a loop or a branch carries them; let it carry a scalar offset instead";
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](tt::LoadOp) { return "the index is loaded"; })
      .Case<arith::RemSIOp, arith::RemUIOp>([](auto) {
        return "a remainder counts up between two multiples of its divisor only, which is looked "
               "at "
               "as the kernel runs where a range of one dimension, which counts up by one, is "
               "divided by one number";
      })
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [](auto) { return "a quotient stays for some elements"; })
      .Case([](arith::MulIOp) {
        return "the stride is known only as the kernel runs; a constexpr, or an argument that is "
               "1, would tell";
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, tt::AddPtrOp>([](auto) {
        return "an index may wrap before it is extended to 64 bits; make it int64, or of bounded "
               "parts";
      })
      .Default([](Operation *op) {
        return "nothing is known of the result of '" + op->getName().getStringRef().str() + "'";
      });
}

void Lowering::remarkElements(Operation *op, const Index &index) {
  Value pointers = op->getOperand(0);
  int64_t dim = index.lanesDim();
  if (hasStraightVersion && isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(
                                strides->culprit(pointers, dim).getDefiningOp()))
    return;
  std::string verb = isa<tt::StoreOp>(op) ? "scattered" : "gathered";
  std::string reason;
  if (isContiguous(pointers, dim, *strides))
    reason = "their addresses stand in memory";
  else if (std::optional<int64_t> stride = strides->modular(pointers, dim))
    reason = "neighbours are " + std::to_string(*stride) + " bytes apart";
  else
    reason = missingFact(strides->culprit(pointers, dim));
  remark(op, "missed",
         "the pointers of neighbouring elements are not known to be neighbours: elements are " +
             verb + " one by one; " + reason,
         {{"case", verb}});
}

} // namespace tritium::cpu
