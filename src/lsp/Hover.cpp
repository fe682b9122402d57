// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an editor shows of the place under the pointer.
#include "frontend/triton/LanguageList.h"
#include "lsp/Answers.h"
#include "lsp/Positions.h"
#include "python/AstVisit.h"
#include "python/Parser.h"
#include "upgrade/Names.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid::lsp {

using analysis::Property;
using analysis::Verdict;

static void printVerdict(const audit::AuditedAccess &access, raw_ostream &os) {
  os << "- **" << (access.property == Property::InBounds ? "in bounds" : "apart from others")
     << "**: ";
  switch (access.verdict) {
  case Verdict::Proved:
    os << "proved";
    break;
  case Verdict::Counterexample:
    os << "counterexample: " << access.reason;
    break;
  case Verdict::Unknown:
    os << "unknown: " << access.reason;
    break;
  }
  if (!access.witness.empty()) {
    os << ", for";
    ListSeparator comma;
    for (const auto &[name, value] : access.witness)
      os << StringRef(comma) << " `" << name << " = " << value << "`";
  }
  if (!access.launch.empty() && access.verdict != Verdict::Proved)
    os << ", launched so by `" << access.launch << "`";
  os << '\n';
  if (access.verdict == Verdict::Proved)
    for (const std::string &assumption : access.assumptions)
      os << "  - takes for granted: " << assumption << '\n';
}

/// The accesses whose call is around a place: the innermost call of them.
static std::string describeAccesses(const AuditedFile &file, uint32_t offset, SourceRange &range) {
  std::vector<std::pair<const audit::AuditedKernel *, const audit::AuditedAccess *>> found;
  for (const audit::AuditedKernel &kernel : file.result.kernels)
    for (const audit::AuditedAccess &access : kernel.accesses) {
      if (access.path != file.path || access.line == 0)
        continue;
      SourceRange call = audit::rangeOfCall(*file.text, access.line, access.column);
      if (call.begin > offset || offset >= call.end)
        continue;
      if (!found.empty() && call.begin > range.begin)
        found.clear();
      if (!found.empty() && call.begin < range.begin)
        continue;
      range = call;
      found.push_back({&kernel, &access});
    }
  std::string text;
  raw_string_ostream os(text);
  StringRef heading;
  for (auto [kernel, access] : found) {
    if (heading != access->argument || text.empty()) {
      os << "**" << access->operation << "**";
      if (!access->argument.empty())
        os << " of `" << access->argument << "`";
      os << " in `" << kernel->name << "`\n\n";
    }
    heading = access->argument;
    printVerdict(*access, os);
  }
  return text;
}

/// The innermost name or attribute that covers a place.
static const python::Expr *findName(const python::Node &node, uint32_t offset) {
  const python::Expr *found = nullptr;
  python::forEachChild(node, [&](const python::Node &child) {
    if (!found && child.range.begin <= offset && offset < child.range.end)
      found = findName(child, offset);
  });
  if (found)
    return found;
  auto *expr = dyn_cast<python::Attribute>(&node);
  if (expr && expr->range.begin <= offset && offset < expr->range.end)
    return expr;
  return dyn_cast<python::Name>(&node);
}

/// The function of `tl` that stands there, by the imports of the file.
static std::string describeFunction(const AuditedFile &file, uint32_t offset, SourceRange &range) {
  Diagnostics ignored;
  std::unique_ptr<python::ParsedFile> parsed = python::parseFile(file.text, ignored);
  const python::Expr *name = parsed ? findName(parsed->getModule(), offset) : nullptr;
  if (!name)
    return "";
  upgrade::FileNames names(*parsed);
  std::string path = names.getLanguageName(*name);
  const triton::LanguageFunction *function = path.empty() ? nullptr : triton::findFunction(path);
  if (!function)
    return "";
  range = name->range;
  return "```python\ntl." + function->name + function->signature + "\n```\n\n" + function->text +
         "\n";
}

json::Value hoverAt(const AuditedFile &file, llvm::lsp::Position position) {
  uint32_t offset = toOffset(*file.text, position);
  SourceRange accessRange, functionRange;
  std::string access = describeAccesses(file, offset, accessRange);
  std::string function = describeFunction(file, offset, functionRange);
  if (access.empty() && function.empty())
    return nullptr;
  std::string text = access;
  if (!access.empty() && !function.empty())
    text += "\n---\n\n";
  text += function;
  return json::Object{{"contents", json::Object{{"kind", "markdown"}, {"value", text}}},
                      {"range", toRange(*file.text, access.empty() ? functionRange : accessRange)}};
}

} // namespace nereid::lsp
