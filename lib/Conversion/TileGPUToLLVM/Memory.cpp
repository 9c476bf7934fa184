//===- Memory.cpp - loads and stores --------------------------------------===//
//
// Registers that hold neighbours in memory move together, up to 16 bytes, as far as layout,
// alignment and mask allow. An access under a mask is one predicated instruction in inline
// assembly, because LLVM would branch around it; one without is a plain LLVM access.
//
// Where the mask is a bound (MaskRuns.h), a vector is taken as if it were whole:
//
//   whole = mask of its last element            of the first, if the bound is a lower one
//   @whole ld.global.v4 ...
//   if (some vector of this lane is neither whole nor outside)
//     its elements, each under its own mask
//
// so that only the lanes at the bound take the branch.
//
// What several registers of a thread hold from one address is loaded once.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "tritium/Dialect/TileGPU/IR/BeginLoads.h"

#include "Families.h"

#include <map>
#include <numeric>

using namespace mlir;

namespace tritium::ttg {

namespace {

StringRef suffix(tt::CacheModifier cache) {
  switch (cache) {
  case tt::CacheModifier::NONE:
    return "";
  case tt::CacheModifier::CA:
    return ".ca";
  case tt::CacheModifier::CG:
    return ".cg";
  case tt::CacheModifier::CS:
    return ".cs";
  case tt::CacheModifier::CV:
    return ".cv";
  case tt::CacheModifier::WB:
    return ".wb";
  case tt::CacheModifier::WT:
    return ".wt";
  }
  llvm_unreachable("unknown cache modifier");
}

/// A cache operator and an eviction priority exclude each other in PTX.
template <typename Op> std::string hintsOf(Op op) {
  if (op.getCache() != tt::CacheModifier::NONE)
    return suffix(op.getCache()).str();
  switch (op.getEvict()) {
  case tt::EvictionPolicy::NORMAL:
    return "";
  case tt::EvictionPolicy::FIRST:
    return ".L1::evict_first";
  case tt::EvictionPolicy::LAST:
    return ".L1::evict_last";
  }
  llvm_unreachable("unknown eviction policy");
}

StringRef letterOf(unsigned bits) { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }

/// "{$0, $1}" or "$0" for `count` operands from `first`.
std::string operandList(unsigned first, unsigned count) {
  std::string text = count > 1 ? "{" : "";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + (count > 1 ? "}" : "");
}

std::string vectorSuffix(unsigned count) { return count == 1 ? "" : ".v" + std::to_string(count); }

/// How a run of elements is cut into registers of PTX.
struct Words {
  unsigned bits, count;
  Words(unsigned elements, unsigned elementBits) {
    unsigned total = elements * elementBits;
    bits = elementBits == 64 ? 64 : std::min(total, 32u);
    count = total / bits;
  }
};
} // namespace

SmallVector<SmallVector<unsigned, 8>> MemoryLowering::accessGroups(Value ptr, Value mask,
                                                                   MaskRuns *bound) {
  AccessRuns found =
      accessRuns(ptr, mask, layout(ptr), axes, bound ? Crossing::Anywhere : Crossing::Never);
  if (bound)
    *bound = found.runs;
  return layout(ptr).vectors(found.dim, found.runs.width);
}

Value MemoryLowering::hidden(Value x) {
  Type type = x.getType();
  if (!type.isInteger(16) && !type.isInteger(32) && !type.isInteger(64))
    return x;
  unsigned bits = type.getIntOrFloatBitWidth();
  std::string letter = letterOf(bits).str();
  return assembly(type, "mov.b" + std::to_string(bits) + " $0, $1;", "=" + letter + "," + letter,
                  {x});
}

Value MemoryLowering::maskHere(Value mask, IRMapping &here, int depth) {
  Operation *op = mask.getDefiningOp();
  if (isa_and_nonnull<LLVM::ConstantOp>(op) || here.contains(mask))
    return here.lookupOrDefault(mask);
  Value made;
  if (depth == 0 || !isa_and_nonnull<LLVM::ICmpOp, LLVM::AndOp, LLVM::AddOp>(op)) {
    made = hidden(mask);
  } else {
    for (Value operand : op->getOperands())
      maskHere(operand, here, depth - 1);
    made = b.clone(*op, here)->getResult(0);
  }
  here.map(mask, made);
  return made;
}

/// The tile goes only into stores of its own layout, element by element.
static bool isOnlyStored(Value tile) {
  SmallVector<Value> todo{tile};
  llvm::DenseSet<Value> seen{tile};
  Attribute layout = cast<RankedTensorType>(tile.getType()).getEncoding();
  while (!todo.empty()) {
    Value value = todo.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (isa<tt::StoreOp>(user))
        continue;
      if (isa<YieldOp>(user)) {
        for (OpResult result : user->getParentOp()->getResults())
          if (sameTile(result) == value)
            todo.push_back(result);
        continue;
      }
      auto type = user->getNumResults() == 1
                      ? dyn_cast<RankedTensorType>(user->getResult(0).getType())
                      : RankedTensorType();
      if (!tt::isElementwise(user) || !type || type.getEncoding() != layout)
        return false;
      if (seen.insert(user->getResult(0)).second)
        todo.push_back(user->getResult(0));
    }
  }
  return true;
}

MemoryLowering::VectorMask MemoryLowering::vectorMask(ArrayRef<unsigned> group, Value mask,
                                                      const MaskRuns &bound, Value also,
                                                      IRMapping &here) {
  if (!mask)
    return {also, {}};
  const Registers &masks = get(mask);
  if (bound.isConstant())
    return {both(also, masks[group[0]]), {}};
  // Made anew for each access, or all of them would be kept in registers between a load and
  // the store of its results.
  auto at = [&](unsigned r) { return maskHere(masks[r], here); };
  Value first = at(group.front()), last = at(group.back());
  Value whole = both(bound.rises ? first : Value(), bound.falls ? last : Value()), some;
  if (bound.rises && bound.falls)
    for (unsigned r : group)
      some = some ? ior(some, at(r)) : at(r);
  else
    some = bound.falls ? first : last;
  return {both(also, whole), both(also, both(some, ixor(whole, boolean(true))))};
}

SmallVector<Value> MemoryLowering::loadWords(Value address, Value predicate,
                                             ArrayRef<Value> fallback, unsigned count,
                                             unsigned wordBits, StringRef instruction) {
  // Registers of 8 bits do not exist.
  unsigned registerBits = std::max(wordBits, 16u), next = count + 1;
  std::string text, constraints;
  SmallVector<Value> operands{address}, loaded;
  for (unsigned w = 0; w < count; ++w)
    constraints += ("=&" + letterOf(registerBits) + ",").str();
  constraints += "l";
  if (predicate) {
    operands.push_back(predicate);
    constraints += ",b";
    std::string guard = "@$" + std::to_string(next++) + " ";
    for (unsigned w = 0; w < count; ++w) {
      text += "mov.b" + std::to_string(registerBits) + " $" + std::to_string(w) + ", ";
      if (fallback.empty()) {
        text += "0;\n";
        continue;
      }
      text += "$" + std::to_string(next++) + ";\n";
      operands.push_back(wordBits == 8 ? zext(fallback[w], 16) : fallback[w]);
      constraints += ("," + letterOf(registerBits)).str();
    }
    text += guard;
  }
  text += (instruction + vectorSuffix(count) + ".b" + Twine(wordBits) + " " +
           operandList(0, count) + ", [$" + Twine(count) + "];")
              .str();
  Type type = intType(registerBits);
  if (count > 1)
    type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(count, type));
  Value whole = assembly(type, text, constraints, operands);
  for (unsigned w = 0; w < count; ++w)
    loaded.push_back(trunc(count == 1 ? whole : extract(whole, w), wordBits));
  return loaded;
}

void MemoryLowering::storeWords(Value address, Value predicate, ArrayRef<Value> words,
                                unsigned wordBits, StringRef instruction) {
  SmallVector<Value> operands{address};
  std::string constraints = "l", text;
  for (Value word : words) {
    operands.push_back(wordBits == 8 ? zext(word, 16) : word);
    constraints += ("," + letterOf(wordBits)).str();
  }
  if (predicate) {
    text = "@$" + std::to_string(operands.size()) + " ";
    operands.push_back(predicate);
    constraints += ",b";
  }
  text += (instruction + vectorSuffix(words.size()) + ".b" + Twine(wordBits) + " [$0], " +
           operandList(1, words.size()) + ";")
              .str();
  assembly({}, text, constraints, operands);
}

MemoryLowering::LoadGroups MemoryLowering::loadGroups(tt::LoadOp op, MaskRuns &bound) {
  LoadGroups groups;
  groups.all = accessGroups(op.getPtr(), op.getMask(), &bound);
  const TileLayout &tile = layout(op.getPtr());
  // Else registers do not tell their elements apart.
  if (op.getIsVolatile() || !tile.registersAreApart() || tile.hasPadding()) {
    groups.loaded = groups.all;
    groups.loadedAs.resize(groups.all.size());
    std::iota(groups.loadedAs.begin(), groups.loadedAs.end(), 0);
    return groups;
  }
  SmallVector<int64_t, 4> runs(tile.extents());
  for (Value operand : op->getOperands())
    for (auto [run, constant] : llvm::zip_equal(runs, axes.get(operand).constancy))
      run = std::gcd(run, constant);
  std::map<Coordinates, unsigned> first;
  for (const SmallVector<unsigned, 8> &group : groups.all) {
    Coordinates place = tile.offset(group[0]);
    for (auto [x, run, extent] : llvm::zip_equal(place, runs, tile.extents()))
      x = run == extent ? 0 : x & -(run & -run);
    auto [known, isNew] = first.try_emplace(place, groups.loaded.size());
    groups.loadedAs.push_back(known->second);
    if (isNew)
      groups.loaded.push_back(group);
  }
  return groups;
}

LogicalResult MemoryLowering::lowerLoad(tt::LoadOp op) {
  Value ptr = op.getPtr(), mask = op.getMask(), other = op.getOther();
  Type element = tt::elementType(op.getType());
  bool isTile = tt::isTile(ptr.getType());
  LoadGroups all{{{0}}, {{0}}, {0}};
  MaskRuns bound;
  if (isTile)
    all = loadGroups(op, bound);
  ArrayRef<SmallVector<unsigned, 8>> groups = all.loaded;
  unsigned elementBits = 8 * tt::scalarBytes(element);
  Words words(groups[0].size(), elementBits);
  std::string hints = hintsOf(op);
  std::string instruction = op.getIsVolatile() ? "ld.volatile.global" : "ld.global" + hints;
  // What only goes back to memory is wanted by those who write it.
  Value wanted =
      isTile && !op.getIsVolatile() && isOnlyStored(op) ? isFirstCopy(layout(ptr)) : Value();
  SmallVector<Value> loaded, ragged; // words of all groups; conditions
  IRMapping masks;
  for (ArrayRef<unsigned> group : groups) {
    Value inside = isTile ? isInside(layout(ptr), threadCoordinates(ptr), group[0]) : Value();
    VectorMask predicate = vectorMask(group, mask, bound, both(wanted, inside), masks);
    if (predicate.ragged)
      ragged.push_back(predicate.ragged);
    Value address = get(ptr)[group[0]];
    if (!predicate.whole && hints.empty() && !op.getIsVolatile()) {
      Type type = intType(words.bits);
      if (words.count > 1)
        type = VectorType::get(words.count, type);
      Value whole = b.create<LLVM::LoadOp>(loc, type, address, group.size() * elementBits / 8);
      for (unsigned w = 0; w < words.count; ++w)
        loaded.push_back(words.count == 1
                             ? whole
                             : b.create<LLVM::ExtractElementOp>(loc, whole, i32(w)).getResult());
      continue;
    }
    SmallVector<Value> fallback;
    if (other && predicate.whole) {
      for (unsigned r : group)
        fallback.push_back(toMemory(get(other)[r], element));
      fallback = pack(fallback, words.bits);
    }
    loaded.append(
        loadWords(address, predicate.whole, fallback, words.count, words.bits, instruction));
  }
  // One branch for all vectors in the usual case, then one for each.
  auto elementByElement = [&](unsigned g) {
    ArrayRef<unsigned> group = groups[g];
    SmallVector<Value> elements;
    IRMapping here;
    for (auto [i, r] : llvm::enumerate(group)) {
      Value address = gep(get(ptr)[group[0]], intType(elementBits), int32_t(i));
      SmallVector<Value> fallback;
      if (other)
        fallback.push_back(toMemory(get(other)[r], element));
      elements.push_back(
          loadWords(address, maskHere(get(mask)[r], here), fallback, 1, elementBits, instruction)
              .front());
    }
    return pack(elements, words.bits);
  };
  if (!ragged.empty())
    loaded = branchAround(anyOf(ragged), loaded, [&] {
      SmallVector<Value> merged;
      if (groups.size() == 1)
        return elementByElement(0);
      for (unsigned g = 0; g < groups.size(); ++g)
        merged.append(branchAround(ragged[g], ArrayRef(loaded).slice(g * words.count, words.count),
                                   [&] { return elementByElement(g); }));
      return merged;
    });
  Registers result(get(ptr).size());
  for (auto [group, as] : llvm::zip_equal(all.all, all.loadedAs)) {
    unsigned i = 0;
    for (Value word : ArrayRef(loaded).slice(as * words.count, words.count))
      for (Value bits : unpack(word, elementBits))
        result[group[i++]] = fromMemory(bits, element);
  }
  set(op, std::move(result));
  return success();
}

/// In front of a branch that is never taken stand the loads of what it reads where it leads to: a
/// register of each vector. It waits for nothing. Predicates ptxas would put behind what is
/// computed.
void MemoryLowering::beginBehind(tt::LoadOp op, int64_t before) {
  std::string constraints;
  SmallVector<Value> words;
  for (Operation *here = op; here && before >= 0; here = here->getPrevNode()) {
    auto load = dyn_cast<tt::LoadOp>(here);
    if (!load || !tt::isTile(load.getType()))
      continue;
    --before;
    Type element = tt::elementType(load.getType());
    const Registers &registers = get(load);
    size_t word = std::max<int64_t>(1, 4 / tt::scalarBytes(element)),
           vector = std::max<int64_t>(word, kMaxVectorBytes / tt::scalarBytes(element));
    for (size_t r = 0; r < registers.size(); r += vector) {
      SmallVector<Value> elements;
      for (size_t i = r; i < std::min(r + word, registers.size()); ++i)
        elements.push_back(toMemory(registers[i], element));
      Value bits = pack(elements, unsigned(elements.size() * 8 * tt::scalarBytes(element)))[0];
      if (bits.getType().isInteger(64))
        bits = trunc(bits, 32);
      constraints += "r,";
      words.push_back(bits.getType().isInteger(32) ? bits : zext(bits, 32));
    }
  }
  assembly({}, readNever(llvm::to_vector(llvm::seq(words.size())), NotRun::ByBranchToTheEnd),
           constraints + "~{memory}", words);
}

LogicalResult MemoryLowering::lowerPrefetch(PrefetchL2Op op) {
  Value ptr = op.getPtr(), mask = op.getMask();
  const TileLayout &tile = layout(ptr);
  unsigned axis = op.getAxis(), width = std::min(op.getOneOf(), tile.contiguous(axis));
  for (ArrayRef<unsigned> group : tile.vectors(axis, width)) {
    Value inside = isInside(tile, threadCoordinates(ptr), group[0]);
    assembly({}, "@$1 prefetch.global.L2 [$0];", "l,b",
             {get(ptr)[group[0]], both(get(mask)[group[0]], inside)});
  }
  return success();
}

MemoryLowering::StorePlan MemoryLowering::planStore(tt::StoreOp op) {
  Value ptr = op.getPtr();
  StorePlan plan;
  // Of copies of an element one is written.
  if (!tt::isTile(ptr.getType())) {
    plan.groups = {{0}};
    plan.writes = isThreadZero();
    return plan;
  }
  plan.groups = accessGroups(ptr, op.getMask(), &plan.bound);
  plan.writes = isFirstCopy(layout(ptr));
  return plan;
}

void MemoryLowering::emitStore(tt::StoreOp op, const StorePlan &plan,
                               ArrayRef<SmallVector<unsigned, 8>> groups) {
  if (groups.empty())
    return;
  Value ptr = op.getPtr(), mask = op.getMask();
  Type element = tt::elementType(op.getValue().getType());
  bool isTile = tt::isTile(ptr.getType());
  unsigned elementBits = 8 * tt::scalarBytes(element);
  Words words(groups[0].size(), elementBits);
  std::string hints = hintsOf(op), instruction = "st.global" + hints;
  SmallVector<Value> stored, ragged; // words of all groups; conditions
  IRMapping masks;
  for (ArrayRef<unsigned> group : groups) {
    Value inside = isTile ? isInside(layout(ptr), threadCoordinates(ptr), group[0]) : Value();
    VectorMask predicate = vectorMask(group, mask, plan.bound, both(plan.writes, inside), masks);
    if (predicate.ragged)
      ragged.push_back(predicate.ragged);
    Value address = get(ptr)[group[0]];
    SmallVector<Value> elements;
    for (unsigned r : group)
      elements.push_back(toMemory(get(op.getValue())[r], element));
    SmallVector<Value> packed = pack(elements, words.bits);
    stored.append(packed);
    if (predicate.whole || !hints.empty()) {
      storeWords(address, predicate.whole, packed, words.bits, instruction);
      continue;
    }
    Value whole = packed[0];
    if (words.count > 1) {
      whole = undef(VectorType::get(words.count, intType(words.bits)));
      for (unsigned w = 0; w < words.count; ++w)
        whole = b.create<LLVM::InsertElementOp>(loc, whole, packed[w], i32(w));
    }
    b.create<LLVM::StoreOp>(loc, whole, address, group.size() * elementBits / 8);
  }
  if (ragged.empty())
    return;
  auto elementByElement = [&](unsigned g) {
    ArrayRef<unsigned> group = groups[g];
    SmallVector<Value> elements;
    for (Value word : ArrayRef(stored).slice(g * words.count, words.count))
      elements.append(unpack(hidden(word), elementBits));
    IRMapping here;
    for (auto [i, r] : llvm::enumerate(group))
      storeWords(gep(get(ptr)[group[0]], intType(elementBits), int32_t(i)),
                 maskHere(get(mask)[r], here), elements[i], elementBits, instruction);
    return SmallVector<Value>();
  };
  branchAround(anyOf(ragged), {}, [&] {
    if (groups.size() == 1)
      return elementByElement(0);
    for (unsigned g = 0; g < groups.size(); ++g)
      branchAround(ragged[g], {}, [&] { return elementByElement(g); });
    return SmallVector<Value>();
  });
}

LogicalResult MemoryLowering::lowerStore(tt::StoreOp op) {
  StorePlan plan = planStore(op);
  emitStore(op, plan, plan.groups);
  return success();
}

void populateMemoryPatterns(LoweringPatterns &patterns, const LoweringContext &context) {
  auto family = std::make_shared<MemoryLowering>(context);
  patterns.add<tt::LoadOp>([=](tt::LoadOp op) {
    if (failed(family->lowerLoad(op)))
      return failure();
    if (auto before = op->getAttrOfType<IntegerAttr>(kBeginsBehind))
      family->beginBehind(op, before.getInt());
    return success();
  });
  patterns.add<tt::StoreOp>([=](tt::StoreOp op) { return family->lowerStore(op); });
  patterns.add<PrefetchL2Op>([=](PrefetchL2Op op) { return family->lowerPrefetch(op); });
}

} // namespace tritium::ttg
