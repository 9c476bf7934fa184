//===- PackPhis.cpp - numbers of a loop that share a register -------------===//

#include "PackPhis.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>
#include <set>

using namespace llvm;

namespace {
/// The elements of a vector, in order.
using Elements = std::vector<Value *>;

/// What `last` and the insertions in front of it put together; empty if they leave an element out.
Elements elementsOf(InsertElementInst &last) {
  auto *type = dyn_cast<FixedVectorType>(last.getType());
  if (!type || type->getPrimitiveSizeInBits() != 32)
    return {};
  Elements elements(type->getNumElements());
  size_t found = 0;
  for (auto *insert = &last; insert; insert = dyn_cast<InsertElementInst>(insert->getOperand(0))) {
    auto *index = dyn_cast<ConstantInt>(insert->getOperand(2));
    if (!index || index->getValue().uge(elements.size()))
      return {};
    Value *&element = elements[index->getZExtValue()];
    if (!element) {
      element = insert->getOperand(1);
      ++found;
    }
  }
  return found == elements.size() ? elements : Elements();
}

/// The vector whose elements these are, all of them in order; null if there is none.
Value *vectorOf(const Elements &elements, Type *type) {
  SmallVector<Constant *> constants;
  for (Value *element : elements)
    if (auto *constant = dyn_cast<Constant>(element))
      constants.push_back(constant);
  if (constants.size() == elements.size())
    return ConstantVector::get(constants);
  Value *vector = nullptr;
  for (auto [i, element] : enumerate(elements)) {
    auto *extract = dyn_cast<ExtractElementInst>(element);
    auto *index = extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
    if (!index || index->getValue() != i || extract->getVectorOperandType() != type ||
        (vector && vector != extract->getVectorOperand()))
      return nullptr;
    vector = extract->getVectorOperand();
  }
  return vector;
}

/// The block whose phis all elements are; null if they are not.
BasicBlock *blockOfPhis(const Elements &elements) {
  BasicBlock *block = nullptr;
  for (Value *element : elements) {
    auto *phi = dyn_cast<PHINode>(element);
    if (!phi || (block && phi->getParent() != block))
      return nullptr;
    block = phi->getParent();
  }
  return block;
}

/// What they are when control comes from `from`.
Elements incoming(const Elements &phis, BasicBlock *from) {
  Elements elements;
  for (Value *phi : phis)
    elements.push_back(cast<PHINode>(phi)->getIncomingValueForBlock(from));
  return elements;
}

/// Phis of words in the place of phis of their elements, in the order in which they are found.
class Packer {
public:
  /// The phi of the word that `phis` are the elements of; null if an element comes to them, or to
  /// phis that they come from, that is neither a phi nor part of one word with the others, or if
  /// nothing but constants does.
  PHINode *pack(const Elements &phis, Type *word) {
    std::set<Elements> seen;
    SmallVector<Elements> all;
    bool areWords = false;
    if (!collect(phis, word, seen, all, areWords) || !areWords)
      return nullptr;
    for (const Elements &each : all)
      if (PHINode *&fresh = packed[{each, word}]; !fresh) {
        fresh = PHINode::Create(word, 0, "", blockOfPhis(each)->begin());
        order.push_back({each, fresh});
      }
    for (const Elements &each : all)
      complete(each, word);
    return packed[{phis, word}];
  }

  /// Whoever else reads an element takes it from the word; no phi of elements is left.
  void replaceElements() {
    SmallVector<PHINode *> replaced;
    for (auto &[phis, fresh] : order) {
      IRBuilder<> b(fresh->getParent(), fresh->getParent()->getFirstInsertionPt());
      for (auto [i, phi] : enumerate(phis)) {
        if (any_of(phi->users(), [](User *user) { return !isa<PHINode>(user); }))
          phi->replaceAllUsesWith(b.CreateExtractElement(fresh, uint64_t(i)));
        replaced.push_back(cast<PHINode>(phi));
      }
    }
    SmallVector<WeakVH> left(replaced.begin(), replaced.end());
    for (WeakVH &phi : left)
      if (phi)
        RecursivelyDeleteDeadPHINode(cast<PHINode>(phi));
  }

private:
  bool collect(const Elements &phis, Type *word, std::set<Elements> &seen,
               SmallVector<Elements> &all, bool &areWords) {
    BasicBlock *block = blockOfPhis(phis);
    if (!block)
      return false;
    if (!seen.insert(phis).second)
      return true;
    all.push_back(phis);
    for (BasicBlock *from : cast<PHINode>(phis.front())->blocks()) {
      Elements values = incoming(phis, from);
      if (Value *vector = vectorOf(values, word))
        areWords |= !isa<Constant>(vector);
      else if (!collect(values, word, seen, all, areWords))
        return false;
    }
    return true;
  }

  void complete(const Elements &phis, Type *word) {
    PHINode *fresh = packed[{phis, word}];
    if (fresh->getNumIncomingValues())
      return;
    for (BasicBlock *from : cast<PHINode>(phis.front())->blocks()) {
      Elements values = incoming(phis, from);
      Value *vector = vectorOf(values, word);
      fresh->addIncoming(vector ? vector : packed[{values, word}], from);
    }
  }

  std::map<std::pair<Elements, Type *>, PHINode *> packed;
  SmallVector<std::pair<Elements, PHINode *>> order;
};
} // namespace

/// `last`, which nothing reads, and the insertions in front of it that nothing else reads.
static void eraseInsertions(Instruction *last) {
  while (isa<InsertElementInst>(last) && last->use_empty()) {
    auto *before = dyn_cast<Instruction>(last->getOperand(0));
    last->eraseFromParent();
    if (!before)
      return;
    last = before;
  }
}

void tritium::nvptx::packPhis(Function &function) {
  // Erasing a chain may take away an earlier one that begins it.
  SmallVector<WeakVH> insertions;
  for (Instruction &instruction : instructions(function))
    if (auto *insert = dyn_cast<InsertElementInst>(&instruction);
        insert && blockOfPhis(elementsOf(*insert)))
      insertions.push_back(insert);
  Packer packer;
  for (WeakVH &insertion : insertions) {
    auto *last = cast_or_null<InsertElementInst>(insertion);
    if (!last)
      continue;
    if (PHINode *phi = packer.pack(elementsOf(*last), last->getType())) {
      last->replaceAllUsesWith(phi);
      eraseInsertions(last);
    }
  }
  packer.replaceElements();
}
