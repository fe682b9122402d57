// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upgrade/GlobalConstants.h"

#include "upgrade/ReadsOfName.h"

#include "python/AstVisit.h"

#include "llvm/Support/Path.h"

using namespace llvm;

namespace nereid::upgrade {

/// The annotated assignments that stand outside of functions and classes.
static void collectAnnotated(const python::Node &node,
                             std::vector<const python::AnnAssign *> &found) {
  if (isa<python::FunctionDef, python::ClassDef, python::Lambda>(node))
    return;
  if (auto *statement = dyn_cast<python::AnnAssign>(&node);
      statement && statement->simple && statement->value)
    found.push_back(statement);
  python::forEachChild(node, [&](const python::Node &child) { collectAnnotated(child, found); });
}

/// What an import calls the module of a file: the last part of its name.
static StringRef getModuleName(const python::ParsedFile &file) {
  StringRef path = file.getSource().getName();
  StringRef stem = sys::path::stem(path);
  return stem == "__init__" ? sys::path::filename(sys::path::parent_path(path)) : stem;
}

GlobalConstants::GlobalConstants(const audit::KernelTree &tree) : tree(tree) {
  for (const audit::KernelTree::Entry &entry : tree.entries)
    kernels.insert(entry.def);
  for (const python::ParsedFile *file : ArrayRef(tree.files).take_front(tree.ownFiles))
    findConstants(*file);
}

void GlobalConstants::findConstants(const python::ParsedFile &file) {
  std::vector<const python::AnnAssign *> annotated;
  for (const python::Stmt *stmt : file.getModule().body)
    collectAnnotated(*stmt, annotated);
  if (annotated.empty())
    return;
  FileNames names(file);
  for (const python::AnnAssign *statement : annotated) {
    if (names.getLanguageName(*statement->annotation) != "constexpr")
      continue;
    // A constant by its value too, or a type, which kernels read as it is.
    auto *call = dyn_cast<python::Call>(statement->value);
    if ((call && names.getLanguageName(*call->func) == "constexpr") ||
        !names.getLanguageName(*statement->value).empty())
      continue;
    std::vector<Constant> &named = constants[cast<python::Name>(statement->target)->id];
    if (named.empty() || named.back().file != &file)
      named.push_back({&file, {}, std::nullopt});
    named.back().statements.push_back(statement);
  }
}

/// A sum, product or the like, which of constants is a constant.
static bool isArithmetic(const python::Expr &expr) {
  if (auto *binary = dyn_cast<python::BinOp>(&expr))
    return isArithmetic(*binary->left) && isArithmetic(*binary->right);
  if (auto *unary = dyn_cast<python::UnaryOp>(&expr))
    return isArithmetic(*unary->operand);
  return isa<python::Name, python::Constant>(expr);
}

void GlobalConstants::judge(StringRef name, Constant &constant) {
  if (constant.isJudged)
    return;
  constant.isJudged = true; // what hangs on itself does not refuse itself
  auto refuse = [&](const python::ParsedFile &file, const python::Node &node, StringRef what) {
    constant.refusal = {
        Severity::Error,
        file.getLocation(node),
        ("`" + name + "` is no constant for kernels since 3.3, which take `" + name + " = " +
         constant.file->getText(*constant.statements.front()->annotation) + "(" +
         constant.file->getText(*constant.statements.front()->value) + ")` alone, and " + what)
            .str(),
        ("make it one, and write " + name + ".value where host code needs the number").str(),
        {}};
  };
  for (const python::ParsedFile *file : tree.files) {
    bool isOwn = file == constant.file;
    for (const NameUse &use : findHostUses(*file, name, isOwn, kernels)) {
      auto *statement = dyn_cast_if_present<python::AnnAssign>(use.statement);
      if (isOwn && statement && is_contained(constant.statements, statement) && use.isBinding)
        continue;
      if (use.isBinding)
        return refuse(*file, *use.node, "it is bound here too");
      // A constant that is made of it is one too, where nobody minds.
      auto *target = statement ? dyn_cast<python::Name>(statement->target) : nullptr;
      auto other = target ? constants.find(target->id) : constants.end();
      bool isOfConstant = false;
      if (other != constants.end() && isArithmetic(*statement->value))
        for (Constant &made : other->second)
          if (made.file == file && is_contained(made.statements, statement)) {
            judge(target->id, made);
            isOfConstant = !made.refusal;
          }
      if (!isOfConstant)
        return refuse(*file, *use.node, "host code reads it here");
    }
  }
}

GlobalConstants::Constant *GlobalConstants::find(const python::ParsedFile &file,
                                                 const python::Name &name) {
  for (Constant &constant : constants[name.id])
    if (constant.file == &file)
      return &constant;
  for (auto &[original, named] : constants)
    for (Constant &constant : named)
      if (importsName(file, name.id, getModuleName(*constant.file), original))
        return &constant;
  return nullptr;
}

void GlobalConstants::change(FunctionText &text, Changes &changes) {
  if (constants.empty())
    return;
  llvm::StringSet<> seen;
  for (const python::Name *name : text.getNames()) {
    if (name->ctx != python::ExprContext::Load || !seen.insert(name->id).second ||
        isLocal(text.def, name->id))
      continue;
    Constant *constant = find(text.names.file, *name);
    if (!constant)
      continue;
    changes.kinds.insert("constants");
    judge(cast<python::Name>(constant->statements.front()->target)->id, *constant);
    if (constant->refusal)
      changes.refusals.push_back(*constant->refusal);
    for (const python::AnnAssign *statement : constant->statements)
      changes.constants.push_back({constant->file, statement});
  }
}

std::vector<Edit> GlobalConstants::getEdits(const python::ParsedFile &file,
                                            const python::AnnAssign &statement) {
  // The value's own range lacks parentheses around it.
  uint32_t token = statement.annotation->lastToken;
  while (file.tokens[token].kind != python::TokenKind::Equal)
    ++token;
  uint32_t begin = file.tokens[token].range.end;
  StringRef text = file.getSource().getText();
  while (text[begin] == ' ' || text[begin] == '\t')
    ++begin;
  bool isTuple = isa<python::Tuple>(statement.value);
  std::string open = (" = " + file.getText(*statement.annotation) + (isTuple ? "((" : "(")).str();
  return {{{statement.target->range.end, begin}, open},
          {{statement.range.end, statement.range.end}, isTuple ? "))" : ")"}};
}

} // namespace nereid::upgrade
