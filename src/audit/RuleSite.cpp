// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/RuleSite.h"
#include "audit/KernelAudit.h"

#include "python/AstVisit.h"

using namespace llvm;

namespace nereid::audit {

/// What was found before the tree was read again points at a copy of the file.
static bool isSame(const SourceFile *one, const SourceFile *other) {
  return one == other || (one && other && one->getName() == other->getName());
}

Finding *RuleSite::add(StringRef rule, Certainty certainty, SourceLocation place,
                       std::string message, std::string help) {
  const Rule *known = findRule(rule);
  for (const Finding &other : drop_begin(findings, first))
    if (other.rule == known && isSame(other.diagnostic.location.file, place.file) &&
        other.diagnostic.location.range.begin == place.range.begin)
      return nullptr;
  Finding &finding = findings.emplace_back();
  finding.rule = known;
  finding.severity = known->severity;
  finding.certainty = certainty;
  finding.kernel = kernel;
  finding.diagnostic.severity = known->severity;
  finding.diagnostic.location = place;
  finding.diagnostic.message = std::move(message);
  finding.diagnostic.help = std::move(help);
  return &finding;
}

void RuleSite::drop(Finding *finding) {
  findings.erase(findings.begin() + (finding - findings.data()));
}

Finding *RuleSite::find(StringRef rule, SourceLocation place) const {
  for (Finding &other : drop_begin(findings, first))
    if (other.rule->id == rule && isSame(other.diagnostic.location.file, place.file) &&
        other.diagnostic.location.range.begin == place.range.begin)
      return &other;
  return nullptr;
}

/// A few notes are enough.
static constexpr size_t mostNotes = 4;

static bool tellsOf(const Finding &finding, SourceLocation place) {
  auto isThere = [&](const Diagnostic &told) {
    return told.location.file == place.file && told.location.range.begin == place.range.begin;
  };
  return isThere(finding.diagnostic) || any_of(finding.diagnostic.notes, isThere);
}

Finding *RuleSite::addOnce(StringRef rule, Certainty certainty, SourceLocation place,
                           std::string message, std::string help, std::string also) {
  for (Finding &other : drop_begin(findings, first)) {
    if (other.rule->id != rule)
      continue;
    if (!tellsOf(other, place) && other.diagnostic.notes.size() < mostNotes)
      other.diagnostic.addNote(place, std::move(also));
    return nullptr;
  }
  return add(rule, certainty, place, std::move(message), std::move(help));
}

Finding *RuleSite::findSame(StringRef rule, StringRef message, SourceLocation place) {
  for (Finding &other : findings)
    if (other.rule->id == rule && other.diagnostic.message == message &&
        isSame(other.diagnostic.location.file, place.file))
      return &other;
  return nullptr;
}

Finding *RuleSite::findError(SourceLocation place) const {
  for (Finding &other : findings)
    if (other.severity == Severity::Error && isSame(other.diagnostic.location.file, place.file) &&
        other.diagnostic.location.range.begin == place.range.begin)
      return &other;
  return nullptr;
}

SourceLocation RuleSite::placeOf(const python::Node &node) const {
  return function.file->getLocation(node);
}

SourceLocation RuleSite::placeOf(mlir::Operation *op) const {
  return locate(op->getLoc(), project);
}

static void findLongest(const python::Node &node, uint32_t begin,
                        llvm::function_ref<bool(const python::Node &)> isOfKind,
                        SourceRange &found) {
  if (node.range.begin > begin || node.range.end <= begin)
    return;
  if (node.range.begin == begin && node.range.end > found.end && isOfKind(node))
    found = node.range;
  python::forEachChild(
      node, [&](const python::Node &child) { findLongest(child, begin, isOfKind, found); });
}

SourceLocation
RuleSite::expressionAt(mlir::Operation *op,
                       llvm::function_ref<bool(const python::Node &)> isOfKind) const {
  SourceLocation place = op ? placeOf(op) : SourceLocation();
  SourceRange found;
  if (place.file)
    for (const triton::JitFunction *other : project.functions())
      if (&other->file->getSource() == place.file)
        findLongest(*other->def, place.range.begin, isOfKind, found);
  return found.end ? SourceLocation{place.file, found} : SourceLocation{};
}

} // namespace nereid::audit
