//===- ConstantsLast.cpp - sums of a loop with their constants last -------===//

#include "ConstantsLast.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// Whether `sum` is only looked at as a number, be it widened first.
static bool isNoAddress(const Value &sum) {
  return all_of(sum.users(), [](const User *user) {
    if (isa<SExtInst, ZExtInst>(user))
      return all_of(user->users(), [](const User *wide) { return isa<CmpInst>(wide); });
    return isa<CmpInst, SelectInst, PHINode>(user);
  });
}

/// `fixed` as a sum with a constant, be it widened, which sums that do not wrap allow.
static std::optional<std::pair<Value *, APInt>> asSumWithConstant(Value *fixed, IRBuilder<> &b) {
  Value *base;
  const APInt *constant;
  if (match(fixed, m_AddLike(m_Value(base), m_APInt(constant))))
    return std::pair(base, *constant);
  if (match(fixed, m_SExt(m_CombineOr(m_NSWAdd(m_Value(base), m_APInt(constant)),
                                      m_DisjointOr(m_Value(base), m_APInt(constant))))))
    return std::pair(b.CreateSExt(base, fixed->getType()),
                     constant->sext(fixed->getType()->getIntegerBitWidth()));
  return std::nullopt;
}

void tritium::nvptx::putConstantsLast(Function &function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  SmallVector<std::pair<Instruction *, Loop *>> sums;
  for (Instruction &instruction : instructions(function))
    if (Loop *loop = loops.getLoopFor(instruction.getParent());
        loop && instruction.getType()->isIntegerTy() &&
        match(&instruction, m_Add(m_Value(), m_Value())) && isNoAddress(instruction))
      sums.push_back({&instruction, loop});
  for (auto [sum, loop] : sums)
    for (unsigned side : {0u, 1u}) {
      Value *moving = sum->getOperand(1 - side), *fixed = sum->getOperand(side);
      if (loop->isLoopInvariant(moving) || !loop->isLoopInvariant(fixed))
        continue;
      IRBuilder<> b(sum);
      auto found = asSumWithConstant(fixed, b);
      if (!found)
        continue;
      auto [base, constant] = *found;
      Value *whole = b.CreateAdd(b.CreateAdd(moving, base), b.getInt(constant));
      sum->replaceAllUsesWith(whole);
      sum->eraseFromParent();
      break;
    }
}
