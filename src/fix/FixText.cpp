// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/FixText.h"

#include "python/AstVisit.h"
#include "python/Parser.h"
#include "upgrade/Changes.h"

using namespace llvm;
using nereid::audit::Suggestion;
using nereid::upgrade::Edit;

namespace nereid::fix {

FixText::FixText(const SourceFile &given)
    : source(std::make_shared<SourceFile>(given.getName().str(), given.getText().str())) {
  Diagnostics diagnostics;
  file = python::parseFile(source, diagnostics);
  if (!file)
    return;
  names = std::make_unique<upgrade::FileNames>(*file);
  language = names->getAlias("triton.language").str();
}

/// Calls `visit` with every node, outer ones first.
static void walk(const python::Node &node, function_ref<void(const python::Node &)> visit) {
  visit(node);
  python::forEachChild(node, [&](const python::Node &child) { walk(child, visit); });
}

/// The innermost call that begins at a place: `tl.load(p)` of `tl.load(p).to(t)`.
const python::Call *FixText::findCall(uint32_t begin) const {
  const python::Call *found = nullptr;
  walk(file->getModule(), [&](const python::Node &node) {
    auto *call = dyn_cast<python::Call>(&node);
    if (call && call->range.begin == begin)
      found = call;
  });
  return found;
}

static bool isAtom(const python::Expr &expr) {
  return isa<python::Name, python::Call, python::Attribute, python::Subscript>(expr);
}

/// An expression as something that a method can be called of.
static std::string enclose(StringRef text, const python::Expr &expr) {
  return isAtom(expr) ? text.str() : "(" + text.str() + ")";
}

static void addFactors(const python::Expr &expr, SmallVectorImpl<const python::Expr *> &factors) {
  auto *product = dyn_cast<python::BinOp>(&expr);
  if (!product || product->op != python::BinaryOperator::Mult) {
    factors.push_back(&expr);
    return;
  }
  addFactors(*product->left, factors);
  addFactors(*product->right, factors);
}

/// The parameters of the innermost function around a place.
static ArrayRef<python::Arg *> parametersAround(const python::ParsedFile &file, uint32_t place) {
  ArrayRef<python::Arg *> parameters;
  walk(file.getModule(), [&](const python::Node &node) {
    auto *def = dyn_cast<python::FunctionDef>(&node);
    if (def && def->range.begin <= place && place < def->range.end)
      parameters = def->args->args;
  });
  return parameters;
}

/// The first factor that is no parameter becomes one of 64 bits, and with it all that it is
/// multiplied by. A parameter may be a number that is known when the kernel is compiled.
std::optional<FixText::Edits> FixText::widen(const Suggestion &suggestion,
                                             std::string &problem) const {
  const python::BinOp *product = nullptr;
  walk(file->getModule(), [&](const python::Node &node) {
    auto *found = dyn_cast<python::BinOp>(&node);
    if (found && found->range.begin == suggestion.place.range.begin &&
        found->range.end == suggestion.place.range.end)
      product = found;
  });
  if (!product) {
    problem = "the product is not found in the text";
    return std::nullopt;
  }
  SmallVector<const python::Expr *> factors;
  addFactors(*product, factors);
  ArrayRef<python::Arg *> parameters = parametersAround(*file, product->range.begin);
  auto isFree = [&](const python::Expr *factor) {
    auto *name = dyn_cast<python::Name>(factor);
    return !isa<python::Constant>(factor) &&
           (!name || none_of(parameters, [&](auto *arg) { return arg->arg == name->id; }));
  };
  auto chosen = find_if(factors, isFree);
  if (chosen == factors.end()) {
    problem = "each factor may be a number that is known when the kernel is compiled";
    return std::nullopt;
  }
  std::string cast = ".to(" + language + ".int64)";
  SourceRange range = (*chosen)->range;
  StringRef text = source->getText();
  bool isEnclosed = range.begin > 0 && text[range.begin - 1] == '(' && range.end < text.size() &&
                    text[range.end] == ')';
  if (isEnclosed && !isAtom(**chosen))
    return Edits{{{range.end + 1, range.end + 1}, cast}};
  return Edits{{range, enclose(textOf(**chosen), **chosen) + cast}};
}

std::optional<FixText::Edits> FixText::argument(const python::Call &call, const std::string &name,
                                                const std::string &text,
                                                std::string &problem) const {
  if (upgrade::findKeyword(call, name)) {
    problem = "the call has '" + name + "' already";
    return std::nullopt;
  }
  uint32_t end = 0;
  for (const python::Expr *given : call.args)
    end = std::max(end, given->range.end);
  for (const python::Keyword *given : call.keywords)
    end = std::max(end, given->range.end);
  if (end == 0) {
    problem = "the call has no arguments";
    return std::nullopt;
  }
  return Edits{{{end, end}, ", " + name + "=" + text}};
}

std::optional<FixText::Edits> FixText::mask(const python::Call &call, StringRef condition) const {
  std::string callee = names->getLanguageName(*call.func);
  const python::Expr *given = upgrade::findArgument(call, callee == "load" ? 1 : 2, "mask");
  if (!given) {
    std::string problem;
    return argument(call, "mask", condition.str(), problem);
  }
  return Edits{{given->range, "(" + textOf(*given).str() + ") & (" + condition.str() + ")"}};
}

/// What a fold is given first.
std::optional<FixText::Edits> FixText::operand(const python::Call &call,
                                               const Suggestion &suggestion,
                                               std::string &problem) const {
  if (call.args.empty() || names->getLanguageName(*call.func).empty()) {
    problem = "it is no call of a function of " + language;
    return std::nullopt;
  }
  const python::Expr &first = *call.args[0];
  std::string text = textOf(first).str();
  if (suggestion.kind == Suggestion::Single)
    return Edits{{first.range, enclose(text, first) + ".to(" + language + ".float32)"}};
  return Edits{{first.range, language + ".where(" + suggestion.text + ", " + text + ", " +
                                 suggestion.name + ")"}};
}

/// The comment with the spaces before it, or its whole line.
FixText::Edits FixText::remove(SourceRange comment) const {
  StringRef text = source->getText();
  uint32_t begin = comment.begin, end = comment.end;
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t'))
    --begin;
  bool isAlone = begin == 0 || text[begin - 1] == '\n';
  if (isAlone && end < text.size())
    end = text.find('\n', end) + 1;
  return {{{begin, end}, ""}};
}

std::optional<FixText::Edits> FixText::edit(const Suggestion &suggestion,
                                            ArrayRef<std::string> items,
                                            std::string &problem) const {
  if (!file) {
    problem = "the file is no Python";
    return std::nullopt;
  }
  if (suggestion.kind == Suggestion::Remove)
    return remove(suggestion.place.range);
  if (language.empty() && suggestion.kind != Suggestion::ListItem) {
    problem = "the file gives triton.language no name";
    return std::nullopt;
  }
  if (suggestion.kind == Suggestion::Widen)
    return widen(suggestion, problem);
  const python::Call *call = findCall(suggestion.place.range.begin);
  if (!call) {
    problem = "no call stands there";
    return std::nullopt;
  }
  switch (suggestion.kind) {
  case Suggestion::Mask:
    return mask(*call, suggestion.text);
  case Suggestion::Argument:
    return argument(*call, suggestion.name, suggestion.text, problem);
  case Suggestion::ListItem: {
    std::string list;
    for (const std::string &item : items)
      list += (list.empty() ? "" : ", ") + item;
    return argument(*call, suggestion.name, "[" + list + "]", problem);
  }
  default:
    return operand(*call, suggestion, problem);
  }
}

} // namespace nereid::fix
