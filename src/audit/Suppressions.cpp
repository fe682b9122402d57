// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Suppressions.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid::audit {

namespace {
struct Comment {
  const SourceFile *file;
  SourceRange range;
  /// 0: the whole file.
  uint32_t line;
  SmallVector<StringRef> names;
  std::string reason;
  bool isUsed = false;
};
} // namespace

/// The comment on a line; nullopt when there is none.
static std::optional<Comment> readComment(const SourceFile &file, uint32_t number) {
  StringRef line = file.getLine(number);
  size_t at = line.find("# nereid: ignore");
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef rest = line.drop_front(at + StringRef("# nereid: ignore").size());
  bool isWhole = rest.consume_front("-file");
  if (!rest.consume_front("["))
    return std::nullopt;
  auto [names, reason] = rest.split(']');
  // Alone on its line it speaks of the next one.
  bool isAlone = line.take_front(at).trim().empty();
  uint32_t begin = file.getLineStart(number) + at;
  Comment comment{&file,
                  {begin, uint32_t(file.getLineStart(number) + line.size())},
                  isWhole   ? 0
                  : isAlone ? number + 1
                            : number,
                  {},
                  reason.trim().str()};
  names.split(comment.names, ',');
  for (StringRef &name : comment.names)
    name = name.trim();
  return comment;
}

static bool isMeant(const Comment &comment, const Finding &finding) {
  const SourceLocation &place = finding.diagnostic.location;
  if (!place.file || place.file != comment.file)
    return false;
  uint32_t line = place.file->getLineColumn(place.range.begin).line;
  return (comment.line == 0 || comment.line == line) && any_of(comment.names, [&](StringRef name) {
           return name == finding.rule->id || name == finding.rule->name;
         });
}

void applySuppressions(ArrayRef<std::shared_ptr<const SourceFile>> files,
                       std::vector<Finding> &findings) {
  std::vector<Comment> comments;
  for (const auto &file : files)
    for (uint32_t line = 1; line <= file->getLineCount(); ++line)
      if (std::optional<Comment> comment = readComment(*file, line))
        comments.push_back(std::move(*comment));
  for (Finding &finding : findings)
    for (Comment &comment : comments)
      if (isMeant(comment, finding)) {
        comment.isUsed = true;
        finding.isSuppressed = true;
        finding.suppression = comment.reason;
      }
  for (const Comment &comment : comments) {
    if (comment.isUsed)
      continue;
    Finding finding;
    finding.rule = findRule("TRB007");
    finding.severity = Severity::Warning;
    finding.certainty = Certainty::Proved;
    finding.diagnostic.severity = Severity::Warning;
    finding.diagnostic.location = {comment.file, comment.range};
    finding.diagnostic.message =
        "nothing is found here of " + llvm::join(comment.names, ", ") + ": the comment is not used";
    findings.push_back(std::move(finding));
  }
}

} // namespace nereid::audit
