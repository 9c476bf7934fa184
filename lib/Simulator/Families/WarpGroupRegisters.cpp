//===- WarpGroupRegisters.cpp - registers of wgmma under way --------------===//
//
// From its issue to the wait of the warp, a product owns its accumulators and the registers
// of A: nothing else may read or write them, but products of the same shape on the same
// accumulators, which follow each other. And what anything else did with such a register has
// to be brought before the next product by a wgmma.fence.
//
// Registers belong to a function; only those that its wgmma instructions name are watched.
//
//===----------------------------------------------------------------------===//

#include "WarpGroup.h"

#include <algorithm>

using namespace tritium::sim;
using namespace tritium::sim::ptx;

static bool isProduct(const Op &op) {
  return op.origin && op.origin->opcode == "wgmma" && op.kind == InstructionClass::Matrix;
}

static void eachRegister(const std::vector<Operand> &operands, auto &&f) {
  for (const Operand &operand : operands) {
    if (operand.kind == Operand::Register)
      f(operand.index);
    eachRegister(operand.elements, f);
  }
}

void tritium::sim::findProductRegisters(FunctionCode &code) {
  std::vector<bool> watched(code.slotBytes / 128);
  bool any = false;
  for (const Op &op : code.ops)
    if (isProduct(op)) {
      ProductForm form(op);
      any = true;
      for (unsigned i = 0; i < form.nd + form.na; ++i)
        watched[form.rd[i] >> 7] = true;
    }
  if (!any)
    return;
  code.productRegisters.resize(code.ops.size());
  for (size_t i = 0; i < code.ops.size(); ++i) {
    const Instruction *origin = code.ops[i].origin;
    if (!origin || origin->opcode == "wgmma")
      continue;
    std::vector<uint32_t> &slots = code.productRegisters[i];
    auto note = [&](uint32_t index) {
      uint32_t slot = code.registerSlots[index];
      if (slot != none && watched[slot >> 7])
        slots.push_back(slot);
    };
    eachRegister(origin->operands, note);
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  }
}

static std::string nameOfSlot(const Frame &frame, uint32_t slot) {
  const FunctionCode &code = *frame.code;
  for (size_t i = 0; i < code.registerSlots.size(); ++i)
    if (code.registerSlots[i] == slot)
      return "register " + code.function->registerName(uint32_t(i));
  return "a register";
}

static void reportRegister(Warp &warp, const Op &op, FaultKind kind, std::string message,
                           const Op *product) {
  Fault *fault = warp.machine.report(kind, &op, &warp, -1, std::move(message));
  if (fault && product) {
    fault->hasOther = true;
    fault->other = warp.machine.place(product, &warp, -1);
    fault->otherIs = "the wgmma";
  }
}

void Warp::useProductRegisters(const Op &op, const std::vector<uint32_t> &slots) {
  for (uint32_t slot : slots) {
    ProductRegister &state = frame->productRegisters[slot >> 7];
    if (state.sums || state.factors)
      reportRegister(*this, op, FaultKind::ProductUnderWay,
                     nameOfSlot(*frame, slot) + " is used, but belongs to " +
                         (state.sums ? "the accumulators" : "the factor A") +
                         " of a wgmma under way: no wgmma.wait_group covers it",
                     state.product);
    state.fences = products.fences + 1;
  }
}

void tritium::sim::issueRegisters(Warp &warp, const Op &op) {
  ProductForm form(op);
  uint32_t fences = warp.products.fences;
  if (!fences)
    warp.machine.report(FaultKind::MissingFence, &op, &warp, -1,
                        "the first wgmma of a warp needs a wgmma.fence before it");
  auto fail = [&](uint32_t slot, FaultKind kind, const char *text, const ProductRegister &state) {
    reportRegister(warp, op, kind, nameOfSlot(*warp.frame, slot) + text, state.product);
  };
  for (unsigned i = 0; i < form.nd + form.na; ++i) {
    bool isSum = i < form.nd;
    uint32_t slot = form.rd[i];
    ProductRegister &state = warp.frame->productRegisters[slot >> 7];
    if (fences && state.fences == fences + 1)
      warp.machine.report(FaultKind::MissingFence, &op, &warp, -1,
                          nameOfSlot(*warp.frame, slot) +
                              " was used by another instruction: the next wgmma with it needs a "
                              "wgmma.fence before it");
    else if (isSum && state.factors)
      fail(slot, FaultKind::ProductUnderWay,
           " becomes an accumulator while it is in the factor A of a wgmma under way", state);
    else if (!isSum && state.sums)
      fail(slot, FaultKind::ProductUnderWay,
           " is in the factor A, but belongs to the accumulators of a wgmma under way: no "
           "wgmma.wait_group covers it",
           state);
    else if (isSum && state.sums && state.issue == fences &&
             !form.hasShapeOf(ProductForm(*state.product)))
      fail(slot, FaultKind::MissingFence,
           " belongs to the accumulators of a wgmma of another shape: this one needs a "
           "wgmma.fence before it",
           state);
  }
  for (unsigned i = 0; i < form.nd + form.na; ++i) {
    ProductRegister &state = warp.frame->productRegisters[form.rd[i] >> 7];
    ++(i < form.nd ? state.sums : state.factors);
    state.issue = fences;
    state.product = &op;
  }
}

void tritium::sim::retireRegisters(Frame &frame, const Op &op) {
  ProductForm form(op);
  for (unsigned i = 0; i < form.nd + form.na; ++i) {
    ProductRegister &state = frame.productRegisters[form.rd[i] >> 7];
    --(i < form.nd ? state.sums : state.factors);
  }
}

void Warp::leaveProducts(const Frame *leaving) {
  if (products.issued == products.retired)
    return;
  WarpGroup &group = cta.warpGroups[index / warpsOfGroup];
  for (uint64_t number = products.retired; number < products.issued; ++number) {
    const GroupProduct &product = group.product(number);
    if (leaving && product.frames[index % warpsOfGroup] != leaving)
      continue;
    bool isCommitted = !products.ends.empty() && products.ends.back() > number;
    machine.report(FaultKind::ProductUnderWay, product.op, this, -1,
                   std::string(leaving ? "the function returns" : "the thread ends") +
                       " while this wgmma is under way: " +
                       (isCommitted ? "no wgmma.wait_group covers it"
                                    : "no wgmma.commit_group has put it into a group"));
    machine.stop |= leaving != nullptr; // others take the frame
    products.retired = products.issued;
    return;
  }
}

std::string Warp::describeGroupWait() const {
  const WarpGroup &group = cta.warpGroups[index / warpsOfGroup];
  std::string missing;
  for (uint64_t number = products.retired; number < products.issued && missing.empty(); ++number)
    for (unsigned i = 0; i < warpsOfGroup; ++i)
      if (!(group.products[number - group.first].issued >> i & 1))
        missing +=
            (missing.empty() ? "" : ", ") + std::to_string(index / warpsOfGroup * warpsOfGroup + i);
  return "wgmma.wait_group waits for a product that is not issued yet by these warps of the warp "
         "group: " +
         missing;
}
