// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fixes of what is found at a place, which are audited again before they are offered.
#include "lsp/Answers.h"
#include "lsp/Positions.h"

using namespace llvm;

namespace nereid::lsp {

static bool meets(const SourceFile &file, SourceRange range, const llvm::lsp::Range &wanted) {
  llvm::lsp::Range own = toRange(file, range);
  return own.start <= wanted.end && wanted.start <= own.end;
}

static json::Object toAction(const AuditedFile &file, const fix::Fix &fix, bool isSafe) {
  json::Array edits;
  for (const upgrade::Edit &edit : fix.edits)
    edits.push_back(
        json::Object{{"range", toRange(*file.text, edit.range)}, {"newText", edit.text}});
  json::Object changes;
  changes[file.uri.uri().str()] = std::move(edits);
  const audit::Rule *rule = audit::findRule(fix.rule);
  std::string title = "nereid: mend " + fix.rule + (rule ? " " + rule->name.str() : "") + " in " +
                      fix.kernel + (isSafe ? "" : " (gives other numbers)");
  return json::Object{{"title", title},
                      {"kind", "quickfix"},
                      {"isPreferred", isSafe},
                      {"edit", json::Object{{"changes", std::move(changes)}}}};
}

json::Value actionsIn(const AuditedFile &file, llvm::lsp::Range range) {
  json::Array actions;
  bool isAsked = any_of(file.result.findings, [&](const audit::Finding &finding) {
    const SourceLocation &place = finding.diagnostic.location;
    return !finding.suggestions.empty() && place.file && place.file->getName() == file.path &&
           meets(*file.text, place.range, range);
  });
  if (!isAsked)
    return actions;
  // Of what is found elsewhere nothing is mended.
  audit::AuditResult wanted = file.result;
  for (audit::Finding &finding : wanted.findings) {
    const SourceLocation &place = finding.diagnostic.location;
    if (!place.file || place.file->getName() != file.path || !meets(*file.text, place.range, range))
      finding.suggestions.clear();
  }
  fix::FixResult fixes = fix::fixFindings(file.options, wanted);
  for (const fix::FixRound *round : {&fixes.safe, &fixes.others})
    for (const fix::Fix &fix : round->fixes)
      if (fix.problem.empty() && fix.file && fix.file->getName() == file.path &&
          fix.file->getText() == file.text->getText() && meets(*file.text, fix.place.range, range))
        actions.push_back(toAction(file, fix, round == &fixes.safe));
  return actions;
}

} // namespace nereid::lsp
