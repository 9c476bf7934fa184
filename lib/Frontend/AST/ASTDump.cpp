//===- ASTDump.cpp - syntax trees as S-expressions ------------------------===//

#include "tritium/Frontend/AST/AST.h"

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::ast;

namespace {
class Dumper {
public:
  std::string text;

  void optional(const ExprPtr &expr) {
    if (expr)
      this->expr(*expr);
    else
      text += "_";
  }

  void list(std::string_view head, const std::vector<ExprPtr> &children) {
    text.append("(").append(head);
    for (const ExprPtr &child : children) {
      text += " ";
      optional(child);
    }
    text += ")";
  }

  template <typename... Children> void node(std::string_view head, const Children &...children) {
    text.append("(").append(head);
    ((text += " ", optional(children)), ...);
    text += ")";
  }

  void expr(const Expr &e) {
    switch (e.kind) {
    case ExprKind::Literal:
      text += llvm::cast<Literal>(e).value.repr();
      return;
    case ExprKind::Ellipsis:
      text += "...";
      return;
    case ExprKind::Name:
      text += llvm::cast<Name>(e).id;
      return;
    case ExprKind::Attribute:
      return node("." + llvm::cast<Attribute>(e).name, llvm::cast<Attribute>(e).base);
    case ExprKind::Subscript:
      return node("[]", llvm::cast<Subscript>(e).base, llvm::cast<Subscript>(e).index);
    case ExprKind::Slice: {
      const auto &slice = llvm::cast<Slice>(e);
      return node("slice", slice.lower, slice.upper, slice.step);
    }
    case ExprKind::Call:
      return call(llvm::cast<Call>(e));
    case ExprKind::Unary:
      return node(spelling(llvm::cast<Unary>(e).op), llvm::cast<Unary>(e).operand);
    case ExprKind::Binary: {
      const auto &binary = llvm::cast<Binary>(e);
      return node(spelling(binary.op), binary.lhs, binary.rhs);
    }
    case ExprKind::BoolOp:
      return list(spelling(llvm::cast<BoolOp>(e).op), llvm::cast<BoolOp>(e).operands);
    case ExprKind::Compare:
      return compare(llvm::cast<Compare>(e));
    case ExprKind::Conditional: {
      const auto &conditional = llvm::cast<Conditional>(e);
      return node("?", conditional.test, conditional.body, conditional.orelse);
    }
    case ExprKind::Tuple:
      return list(llvm::cast<Tuple>(e).isList ? "list" : "tuple", llvm::cast<Tuple>(e).elements);
    case ExprKind::Dict:
      return dict(llvm::cast<Dict>(e));
    case ExprKind::Starred:
      return node("star", llvm::cast<Starred>(e).value);
    case ExprKind::Comprehension:
      return comprehension(llvm::cast<Comprehension>(e));
    case ExprKind::FString:
      return fstring(llvm::cast<FString>(e));
    case ExprKind::Lambda:
      return function(*llvm::cast<Lambda>(e).function);
    case ExprKind::Walrus:
      return node(":= " + llvm::cast<Walrus>(e).name, llvm::cast<Walrus>(e).value);
    }
  }

  void compare(const Compare &e) {
    text += "(cmp ";
    optional(e.operands[0]);
    for (size_t i = 0; i < e.ops.size(); ++i) {
      text.append(" ").append(spelling(e.ops[i])).append(" ");
      optional(e.operands[i + 1]);
    }
    text += ")";
  }

  void dict(const Dict &e) {
    text += "(dict";
    for (size_t i = 0; i < e.keys.size(); ++i) {
      text += " ";
      optional(e.keys[i]);
      text += ": ";
      optional(e.values[i]);
    }
    text += ")";
  }

  void comprehension(const Comprehension &e) {
    text += e.isList ? "(listcomp " : "(comp ";
    optional(e.element);
    for (const ComprehensionLoop &loop : e.loops) {
      text += &loop == &e.loops.front() ? " " : " for ";
      optional(loop.target);
      text += " ";
      optional(loop.iterable);
      for (const ExprPtr &condition : loop.conditions) {
        text += " if ";
        optional(condition);
      }
    }
    text += ")";
  }

  void fstring(const FString &e) {
    text += "(f";
    for (const FStringPart &part : e.parts) {
      text += " ";
      if (!part.value) {
        text += Constant{part.text}.repr();
        continue;
      }
      expr(*part.value);
      if (part.conversion)
        text += std::string("!") + part.conversion;
      if (!part.format.empty())
        text += ":" + part.format;
    }
    text += ")";
  }

  void call(const Call &e) {
    text += "(call ";
    optional(e.callee);
    for (const CallArgument &argument : e.arguments) {
      text += " ";
      if (argument.kind == CallArgument::Keyword)
        text += argument.keyword + "=";
      else if (argument.kind == CallArgument::Star)
        text += "*";
      else if (argument.kind == CallArgument::DoubleStar)
        text += "**";
      optional(argument.value);
    }
    text += ")";
  }

  void block(const Block &block) {
    text += "{";
    for (const StmtPtr &child : block) {
      if (&child != &block.front())
        text += " ";
      stmt(*child);
    }
    text += "}";
  }

  void stmt(const Stmt &s) {
    switch (s.kind) {
    case StmtKind::Expression:
      return expr(*llvm::cast<ExprStmt>(s).value);
    case StmtKind::Assign:
      list("=", llvm::cast<Assign>(s).targets);
      text.back() = ' ';
      expr(*llvm::cast<Assign>(s).value);
      text += ")";
      return;
    case StmtKind::AugAssign: {
      const auto &assign = llvm::cast<AugAssign>(s);
      return node(std::string(spelling(assign.op)) + "=", assign.target, assign.value);
    }
    case StmtKind::AnnAssign: {
      const auto &assign = llvm::cast<AnnAssign>(s);
      return node(":", assign.target, assign.annotation, assign.value);
    }
    case StmtKind::If:
      text += "(if ";
      expr(*llvm::cast<If>(s).test);
      text += " ";
      block(llvm::cast<If>(s).body);
      if (!llvm::cast<If>(s).orelse.empty()) {
        text += " ";
        block(llvm::cast<If>(s).orelse);
      }
      text += ")";
      return;
    case StmtKind::For:
      text += "(for ";
      expr(*llvm::cast<For>(s).target);
      text += " ";
      expr(*llvm::cast<For>(s).iterable);
      text += " ";
      block(llvm::cast<For>(s).body);
      text += ")";
      return;
    case StmtKind::While:
      text += "(while ";
      expr(*llvm::cast<While>(s).test);
      text += " ";
      block(llvm::cast<While>(s).body);
      text += ")";
      return;
    case StmtKind::Return:
      return node("return", llvm::cast<Return>(s).value);
    case StmtKind::Assert:
      return node("assert", llvm::cast<Assert>(s).test, llvm::cast<Assert>(s).message);
    case StmtKind::Raise:
      return node("raise", llvm::cast<Raise>(s).exception, llvm::cast<Raise>(s).cause);
    case StmtKind::Pass:
      text += "pass";
      return;
    case StmtKind::FunctionDef:
      return function(*llvm::cast<FunctionDef>(s).function);
    case StmtKind::Break:
      text += "break";
      return;
    case StmtKind::Continue:
      text += "continue";
      return;
    }
  }

  void function(const Function &f) {
    text += "(def " + f.name + " (";
    for (const Parameter &parameter : f.parameters) {
      if (&parameter != &f.parameters.front())
        text += " ";
      constexpr const char *kPrefix[] = {"", "/", "kw:", "*", "**"};
      text += kPrefix[parameter.kind] + parameter.name;
      if (parameter.annotation) {
        text += ":";
        expr(*parameter.annotation);
      }
      if (parameter.defaultValue) {
        text += "=";
        expr(*parameter.defaultValue);
      }
    }
    text += ") ";
    block(f.body);
    text += ")";
  }
};
} // namespace

std::string ast::dump(const Expr &expr) {
  Dumper dumper;
  dumper.expr(expr);
  return dumper.text;
}

std::string ast::dump(const Block &block) {
  Dumper dumper;
  dumper.block(block);
  return dumper.text;
}

std::string ast::dump(const Function &function) {
  Dumper dumper;
  dumper.function(function);
  return dumper.text;
}
