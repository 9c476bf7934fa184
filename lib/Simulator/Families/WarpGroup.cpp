//===- WarpGroup.cpp - wgmma ----------------------------------------------===//
//
// wgmma.mma_async, fence, commit_group, wait_group. Machine/WarpGroup.h says when a product
// is computed, WarpGroupRegisters.cpp who may touch its registers meanwhile,
// WarpGroupOperands.cpp where its operands lie, WarpGroupProduct.cpp what the sums are.
//
//===----------------------------------------------------------------------===//

#include "WarpGroup.h"

#include <algorithm>
#include <utility>

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

/// All lanes of the warp are here. If not, nothing sensible can follow.
bool isConvergent(Warp &warp, const Op &op) {
  if (warp.mask == allLanes)
    return true;
  std::string lanes;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (!(warp.mask >> lane & 1))
      lanes += (lanes.empty() ? "" : ", ") + std::to_string(lane);
  warp.machine.report(FaultKind::MissingLanes, &op, &warp, std::countr_zero(warp.mask),
                      "wgmma needs all 32 lanes of the warp; not here: lanes " + lanes);
  warp.machine.stop = true;
  return false;
}

bool disagrees(Warp &warp, const Op &op, std::string message, const Op *other = nullptr) {
  Fault *fault =
      warp.machine.report(FaultKind::WarpGroupDiffers, &op, &warp, -1, std::move(message));
  if (fault && other) {
    fault->hasOther = true;
    fault->other = warp.machine.place(other, nullptr, -1);
    fault->otherIs = "the other warps are";
  }
  warp.machine.stop = true;
  return false;
}

/// The operands that all threads of the group have to agree on: these lanes do.
bool readUniform(Warp &warp, const Op &op, GroupProduct &product) {
  warp.demand(op.b, allLanes, op, "a matrix descriptor");
  warp.demand(op.c, allLanes, op, "the predicate scale-d of a wgmma");
  const u64 *b = warp.lanes<u64>(op.b), *a = b;
  if (op.a != none) {
    warp.demand(op.a, allLanes, op, "a matrix descriptor");
    a = warp.lanes<u64>(op.a);
  }
  for (unsigned lane = 1; lane < 32; ++lane)
    if (a[lane] != a[0] || b[lane] != b[0])
      return disagrees(warp, op, "the lanes of a warp have different matrix descriptors");
  u32 adds = warp.predicate(op.c);
  if (adds && adds != allLanes)
    return disagrees(warp, op, "the lanes of a warp have different predicates scale-d");
  product.op = &op;
  product.a = op.a == none ? 0 : a[0];
  product.b = b[0];
  product.adds = adds;
  return true;
}

bool checkMatrix(Warp &warp, const Op &op, const char *name, const SharedMatrix &matrix,
                 unsigned lines) {
  SharedMatrix::Problem problem;
  if (matrix.check(lines, warp.cta.shared.size(), problem))
    return true;
  Fault *fault =
      warp.machine.report(problem.kind, &op, &warp, -1,
                          "the matrix descriptor of " + std::string(name) + " " + problem.text);
  if (fault) {
    fault->hasAddress = true;
    fault->address = problem.address;
  }
  warp.machine.stop = true;
  return false;
}

bool checkMatrices(Warp &warp, const Op &op, const GroupProduct &product) {
  ProductForm form(op);
  SharedMatrix a(product.a, form.flags & ProductForm::TransposesA);
  SharedMatrix b(product.b, form.flags & ProductForm::TransposesB);
  return (form.na || checkMatrix(warp, op, "A", a, groupRows)) &&
         checkMatrix(warp, op, "B", b, form.n);
}

/// What the warp issues has to be what the others of its group issue, or will.
bool joinProduct(Warp &warp, WarpGroup &group, GroupProduct &mine) {
  uint64_t number = warp.products.issued;
  if (number == group.first + group.products.size()) {
    if (!checkMatrices(warp, *mine.op, mine))
      return false;
    group.products.push_back(mine);
    return true;
  }
  const GroupProduct &theirs = group.product(number);
  if (theirs.op != mine.op)
    return disagrees(warp, *mine.op, "the warps of a warp group execute different wgmma.mma_async",
                     theirs.op);
  if (theirs.a != mine.a || theirs.b != mine.b)
    return disagrees(warp, *mine.op, "the warps of a warp group have different matrix descriptors");
  if (theirs.adds != mine.adds)
    return disagrees(warp, *mine.op, "the warps of a warp group have different predicates scale-d");
  return true;
}

// Op: a descriptor of A, or none; b of B; c predicate scale-d; list: ProductForm.
void issue(Warp &warp, const Op &op) {
  unsigned number = warp.index / warpsOfGroup, member = warp.index % warpsOfGroup;
  if (!isConvergent(warp, op))
    return;
  if ((number + 1) * warpsOfGroup * 32 > warp.machine.threads) {
    disagrees(warp, op,
              "a warp group is four warps, the first a multiple of four; the CTA has " +
                  std::to_string(warp.machine.threads) + " threads, and warps " +
                  std::to_string(number * warpsOfGroup) + " and up are not four");
    return;
  }
  WarpGroup &group = warp.cta.warpGroups[number];
  GroupProduct mine;
  if (!readUniform(warp, op, mine) || !joinProduct(warp, group, mine))
    return;
  GroupProduct &product = group.product(warp.products.issued++);
  product.issued |= 1u << member;
  product.frames[member] = warp.frame;
  beginReads(warp, product);
  issueRegisters(warp, op);
  ++warp.machine.tallies[op.id].matrixOperations;
  if (product.issued != (1u << warpsOfGroup) - 1)
    return;
  for (unsigned i = 0; i < warpsOfGroup; ++i)
    for (Split *leaf : warp.cta.warps[number * warpsOfGroup + i].leaves)
      if (leaf->state == Split::WaitingGroup)
        leaf->state = Split::Running;
}

void fenceRegisters(Warp &warp, const Op &op) {
  if (isConvergent(warp, op))
    ++warp.products.fences;
}

void commit(Warp &warp, const Op &op) {
  if (isConvergent(warp, op))
    warp.products.ends.push_back(warp.products.issued);
}

/// Forgets products that all four warps have waited for.
void forgetProducts(Cta &cta, unsigned number, WarpGroup &group) {
  auto isOver = [&] {
    for (unsigned i = 0; i < warpsOfGroup; ++i)
      if (cta.warps[number * warpsOfGroup + i].products.retired <= group.first)
        return false;
    return true;
  };
  while (!group.products.empty() && isOver()) {
    group.products.pop_front();
    ++group.first;
  }
}

/// The products before `end` are over, for all four warps.
void computeProducts(Warp &warp, WarpGroup &group, uint64_t end) {
  bool separate = warp.machine.launch.separateProducts;
  for (unsigned i = 0; i < warpsOfGroup && !group.actors[i]; ++i)
    group.actors[i] = i && !separate ? group.actors[0] : warp.cta.newActor();
  for (; group.computed < end; ++group.computed) {
    GroupProduct &product = group.product(group.computed);
    computeProduct(warp.cta, product);
    endReads(warp.machine, group, product);
  }
}

// offset: how many of the latest groups may stay.
void wait(Warp &warp, const Op &op) {
  if (!isConvergent(warp, op))
    return;
  ProductQueue &queue = warp.products;
  if (queue.ends.size() <= op.offset)
    return;
  uint64_t end = queue.ends[queue.ends.size() - 1 - size_t(op.offset)];
  unsigned number = warp.index / warpsOfGroup;
  if (end > queue.retired) {
    WarpGroup &group = warp.cta.warpGroups[number];
    if (group.product(end - 1).issued != (1u << warpsOfGroup) - 1) {
      // The warp comes here again when the others have issued it.
      Tally &tally = warp.machine.tallies[op.id];
      --tally.warpInstructions;
      tally.threadInstructions -= 32;
      --warp.current->pc;
      warp.current->state = Split::WaitingGroup;
      warp.current = nullptr;
      return;
    }
    computeProducts(warp, group, end);
    for (; queue.retired < end; ++queue.retired) {
      const GroupProduct &product = group.product(queue.retired);
      learnProduct(warp, group, product);
      retireRegisters(*product.frames[warp.index % warpsOfGroup], *product.op);
    }
    forgetProducts(warp.cta, number, group);
  }
  queue.ends.erase(queue.ends.begin(), queue.ends.end() - std::ptrdiff_t(op.offset));
}

//===-- Decoding ----------------------------------------------------------===//

/// m64nNkK
bool takeShape(Modifiers &m, unsigned &n, unsigned &k) {
  for (std::string_view name : m.left) {
    std::string text(name);
    if (std::sscanf(text.c_str(), "m64n%uk%u", &n, &k) == 2 &&
        text == "m64n" + std::to_string(n) + "k" + std::to_string(k))
      return m.take(name);
  }
  return false;
}

bool isByte(Type type) { return type == Type::S8 || type == Type::U8; }
bool isFloat8(Type type) { return type == Type::E4M3 || type == Type::E5M2; }
bool isHalf(Type type) { return type == Type::F16 || type == Type::BF16; }

bool checkForm(Decoder &decoder, Type ta, Type tb, Type td, unsigned n, unsigned k) {
  bool isInteger = isByte(ta) && isByte(tb);
  bool fits =
      isInteger || (isFloat8(ta) && isFloat8(tb)) || (ta == tb && (isHalf(ta) || ta == Type::TF32));
  fits &= isInteger ? td == Type::S32
                    : td == Type::F32 || (td == Type::F16 && (ta == Type::F16 || isFloat8(ta)));
  if (!fits)
    return decoder.fail("this combination of types is not known");
  unsigned depth = 256 / bitsOf(ta);
  if (k != depth)
    return decoder.fail("the shape of these types is m64nNk" + std::to_string(depth));
  if (!n || n > mostGroupColumns || n % 8 || (isInteger && n > 32 && n % 16))
    return decoder.fail(isInteger ? "N is 8, 16, 24, 32 or a multiple of 16 up to 256"
                                  : "N is a multiple of 8 up to 256");
  return true;
}

/// Reads the registers of D or A; each may be named once.
bool takeRegisters(Decoder &decoder, const Operand &operand, unsigned count, Type type,
                   bool isTarget, uint32_t *to) {
  const char *name = isTarget ? "D" : "A";
  if (operand.kind != Operand::Vector || operand.elements.size() != count)
    return decoder.fail(std::string(name) + " needs " + std::to_string(count) + " registers");
  for (unsigned i = 0; i < count; ++i) {
    const Operand &element = operand.elements[i];
    if (isTarget && element.kind != Operand::Register)
      return decoder.fail("D is made of registers");
    to[i] = decoder.source(element, type);
  }
  return !decoder.failed();
}

/// The numbers behind scale-d: imm-scale-a and -b, then imm-trans of what is in shared memory.
bool takeImmediates(Decoder &decoder, bool inRegisters, size_t first, uint32_t &flags) {
  uint64_t scales[2], transposes;
  for (size_t i = 0; i < 2 && first + i < decoder.operands(); ++i) {
    if (!decoder.immediate(first + i, scales[i]))
      return false;
    if (scales[i] != 1 && scales[i] != ~uint64_t(0))
      return decoder.fail("imm-scale-a and imm-scale-b are 1 or -1");
    if (scales[i] != 1)
      flags ^= ProductForm::Negates;
  }
  for (size_t i = first + 2; i < decoder.operands(); ++i) {
    if (!decoder.immediate(i, transposes))
      return false;
    if (transposes > 1)
      return decoder.fail("imm-trans-a and imm-trans-b are 0 or 1");
    if (transposes)
      flags |= !inRegisters && i == first + 2 ? ProductForm::TransposesA : ProductForm::TransposesB;
  }
  return true;
}

bool decodeProduct(Decoder &decoder, Modifiers m) {
  if (m.take("sp"))
    return decoder.fail("products of sparse matrices are not known");
  unsigned n = 0, k = 0;
  if (!m.take("sync") || !m.take("aligned") || !takeShape(m, n, k))
    return decoder.fail("needs .sync.aligned and a shape such as .m64n128k16");
  uint32_t flags = m.take("satfinite") ? ProductForm::Saturates : 0;
  Type td = m.type(), ta = m.type(), tb = m.type();
  if (!checkForm(decoder, ta, tb, td, n, k))
    return false;
  bool isInteger = td == Type::S32;
  if (flags && !isInteger)
    return decoder.fail(".satfinite is for integers");
  bool inRegisters = decoder.operands() > 1 && decoder.operand(1).kind == Operand::Vector;
  size_t count = 4 + (isInteger ? 0 : 2) + (!isHalf(ta) ? 0 : inRegisters ? 1 : 2);
  if (!decoder.done(m) || !decoder.wants(count) || !takeImmediates(decoder, inRegisters, 4, flags))
    return false;
  unsigned nd = td == Type::F16 ? n / 4 : n / 2, na = inRegisters ? 4 : 0;
  uint32_t *list = decoder.list(ProductForm::head + nd + na);
  const uint32_t head[ProductForm::head] = {
      uint32_t(ta), uint32_t(tb), uint32_t(td), k, n, flags, nd, na};
  std::copy(head, head + ProductForm::head, list);
  uint32_t *d = list + ProductForm::head, *a = d + nd;
  if (!takeRegisters(decoder, decoder.operand(0), nd, Type::B32, true, d) ||
      (inRegisters && !takeRegisters(decoder, decoder.operand(1), na, Type::B32, false, a)))
    return false;
  for (unsigned i = 0; i < nd; ++i)
    if (std::find(d, d + i, d[i]) != d + i || std::find(a, a + na, d[i]) != a + na)
      return decoder.fail("a register of D is in D or A a second time");
  uint32_t first = inRegisters ? none : decoder.source(1, Type::B64);
  uint32_t second = decoder.source(2, Type::B64), adds = decoder.predicate(decoder.operand(3));
  Op &op = decoder.emit(issue, Class::Matrix);
  op.list = list;
  op.a = first;
  op.b = second;
  op.c = adds;
  return !decoder.failed();
}

bool decodeWarpGroup(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  std::string_view target = decoder.machine.module.target;
  if (target != "sm_90a")
    return decoder.fail("needs .target sm_90a, but this is for " + std::string(target));
  if (m.take("mma_async"))
    return decodeProduct(decoder, std::move(m));
  int what = m.takeOne({"fence", "commit_group", "wait_group"});
  if (what < 0)
    return decoder.fail("this form is not known");
  if (!m.take("sync") || !m.take("aligned"))
    return decoder.fail("needs .sync.aligned");
  uint64_t keep = 0;
  if (!decoder.done(m) || !decoder.wants(what == 2 ? 1 : 0) ||
      (what == 2 && !decoder.immediate(0, keep)))
    return false;
  constexpr Handler handlers[] = {fenceRegisters, commit, wait};
  decoder.emit(handlers[what], what ? Class::AsyncGroup : Class::Fence).offset = keep;
  return !decoder.failed();
}

} // namespace

const Family tritium::sim::warpGroupFamily = {{"wgmma", decodeWarpGroup}};
