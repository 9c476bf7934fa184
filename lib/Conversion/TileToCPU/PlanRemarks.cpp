//===- PlanRemarks.cpp - what the plan of a kernel comes to ---------------===//
//
// One remark a place for each loop nest: how many lanes it takes at a time, where its masks are
// looked at, what it keeps in scratch memory, what it streams; and for each product how it is
// multiplied.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "MultiplyAdd.h"

using namespace mlir;

namespace tritium::cpu {

namespace {
/// The operation that a phase is there for.
Operation *subjectOf(const Step &step) {
  for (const Root &root : step.roots)
    if (root.op)
      return root.op;
  for (const Root &root : step.roots)
    if (Operation *op = root.value ? root.value.getDefiningOp() : nullptr)
      return op;
  return nullptr;
}

std::string decimal(int64_t value) { return std::to_string(value); }

std::string textOf(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleave(shape, out, "x");
  return text;
}

/// Whether something that the phase loads or stores has a mask.
Value maskOf(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return load.getMask();
  if (auto store = dyn_cast<tt::StoreOp>(op))
    return store.getMask();
  return {};
}
} // namespace

void Lowering::remarkPhase(const Step &step) {
  Operation *op = subjectOf(step);
  if (!op || step.versions.empty())
    return;
  int64_t elements = 1;
  for (int64_t extent : step.shape)
    elements *= extent;
  if (auto histogram = dyn_cast<tt::HistogramOp>(op)) {
    int64_t bins = histogram.getType().getNumElements();
    return remark(op, "applied",
                  "a loop over " + textOf(step.shape) +
                      " elements counts one after the other, in " + decimal(bins) +
                      (bins == 1 ? " bin" : " bins"),
                  {{"case", "count"}, {"elements", decimal(elements)}, {"bins", decimal(bins)}});
  }
  const Loops &first = step.versions.front();
  bool hasMask = static_cast<bool>(maskOf(op)), leads = !first.leadingMasks.empty();
  std::string text = "a loop over " + textOf(step.shape) + " elements takes " +
                     decimal(first.width) + (first.width == 1 ? " at a time" : " lanes at a time");
  if (first.width == 1 && elements > 1)
    remark(op, "missed", text,
           {{"case", "one-lane"}, {"lanes", "1"}, {"elements", decimal(elements)}});
  else
    remark(op, "applied",
           text + (step.versions.size() > 1 ? ", without masks where they are true everywhere"
                   : leads                  ? ", without masks as far as they are true"
                   : hasMask                ? ", each with its mask"
                                            : ""),
           {{"case", "lanes"},
            {"lanes", decimal(first.width)},
            {"elements", decimal(elements)},
            {"masks", step.versions.size() > 1 || leads ? "looked at once"
                      : hasMask                         ? "in each round"
                                                        : "none"}});
  for (const Loops &loops : step.versions)
    if (loops.streamed)
      remark(loops.streamed, "applied",
             "what is stored goes past the caches, in launches that store more than they hold",
             {{"case", "streaming"}});
  for (const Root &root : step.roots)
    if (root.kind == Root::Assign && root.buffer && op->getNumResults())
      remark(op, "applied",
             "a tile of " + textOf(root.buffer->shape) + " elements is kept in " +
                 decimal(root.buffer->bytes) + " bytes of scratch memory",
             {{"case", "kept"}, {"bytes", decimal(root.buffer->bytes)}});
}

void Lowering::remarkProduct(const Step &step) {
  if (!step.dot)
    return;
  const DotPlan &dot = *step.dot;
  auto wayOf = [](const DotPlan::Operand &operand, const char *name) {
    return std::string(name) + (operand.readsMemory                ? " is read in memory"
                                : operand.packed != operand.stored ? " is packed in each round"
                                                                   : " is read in scratch memory");
  };
  int64_t group = groupOf(dot.form);
  std::string atOnce = "the product takes " + decimal(group) + " of k " +
                       (rowsOf(dot.form) > 1 ? "of two rows and two columns" : "in a lane") +
                       " at once, by " + instructionOf(target, dot.form).str();
  std::string text = dot.onTiles ? "the product runs on AMX, where the process may use it"
                     : group > 1 ? atOnce
                                 : "the product takes one k after the other";
  remark(step.op, "applied",
         text + ", in blocks of registers; " + wayOf(dot.a, "its first operand") + ", " +
             wayOf(dot.b, "its second operand"),
         {{"case", "product"},
          {"panel_rows", decimal(dot.panelRows)},
          {"k_at_once", decimal(group)},
          {"unit", dot.onTiles ? "AMX" : "registers"}});
}

void Lowering::remarkSteps(const StepList &steps) {
  for (const Step &step : steps) {
    remarkSteps(step.before);
    if (step.kind == Step::Phase)
      remarkPhase(step);
    remarkProduct(step);
    for (const StepList &block : step.blocks)
      remarkSteps(block);
    if (step.rounds && step.rounds->epilogue) {
      const StepList &whole = step.rounds->epilogue->whole;
      remark(subjectOf(whole.front()), "applied",
             step.rounds->epilogue->store
                 ? "the product of the last rounds stores its sums itself"
                 : "each block of the product's sums is stored as soon as AMX is done with it",
             {{"case", "epilogue"}});
      remarkSteps(whole);
    }
  }
}

void Lowering::remarkPlan() {
  remarkSteps(plan.steps);
  // The first cache of the cores that the compiler knows has at least as much.
  constexpr int64_t firstCache = 32 * 1024;
  if (plan.scratchBytes > firstCache)
    remark(kernel, "missed",
           "a program keeps " + decimal(plan.scratchBytes) +
               " bytes in scratch memory, and a core's first cache has some 32 to 48 KiB: tiles go "
               "through the second one; use smaller tiles",
           {{"case", "scratch"}, {"bytes", decimal(plan.scratchBytes)}});
}

} // namespace tritium::cpu
