// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Suppressions.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid::audit {

namespace {
struct Comment {
  enum Kind : uint8_t { Line, File, Begin, End, Malformed };
  const SourceFile *file;
  Kind kind = Malformed;
  SourceRange range;
  /// The lines that it speaks of, both inclusive.
  uint32_t first = 0, last = 0;
  SmallVector<StringRef> names;
  std::string reason;
  bool isUsed = false;
};
} // namespace

static constexpr StringLiteral mark = "# nereid: ignore";

static Comment::Kind readKind(StringRef &rest) {
  for (auto [word, kind] :
       {std::pair(StringRef("-file["), Comment::File),
        std::pair(StringRef("-begin["), Comment::Begin),
        std::pair(StringRef("-end["), Comment::End), std::pair(StringRef("["), Comment::Line)})
    if (rest.consume_front(word))
      return rest.contains(']') ? kind : Comment::Malformed;
  return Comment::Malformed;
}

/// The comment on a line; nullopt when there is none.
static std::optional<Comment> readComment(const SourceFile &file, uint32_t number) {
  StringRef line = file.getLine(number);
  size_t at = line.find(mark);
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef rest = line.drop_front(at + mark.size());
  Comment comment{&file};
  comment.kind = readKind(rest);
  uint32_t begin = file.getLineStart(number) + at;
  comment.range = {begin, uint32_t(file.getLineStart(number) + line.size())};
  auto [names, reason] = rest.split(']');
  comment.reason = reason.trim().str();
  names.split(comment.names, ',');
  for (StringRef &name : comment.names)
    name = name.trim();
  // Alone on its line it speaks of the next one.
  bool isAlone = line.take_front(at).trim().empty();
  comment.first = comment.last = isAlone ? number + 1 : number;
  if (comment.kind == Comment::File || comment.kind == Comment::Begin)
    comment.last = file.getLineCount();
  if (comment.kind == Comment::File)
    comment.first = 1;
  if (comment.kind == Comment::End)
    comment.last = number;
  return comment;
}

static bool isMeant(const Comment &comment, const Finding &finding) {
  const SourceLocation &place = finding.diagnostic.location;
  bool speaks = comment.kind != Comment::End && comment.kind != Comment::Malformed;
  if (!speaks || !place.file || place.file != comment.file)
    return false;
  uint32_t line = place.file->getLineColumn(place.range.begin).line;
  return comment.first <= line && line <= comment.last &&
         any_of(comment.names, [&](StringRef name) {
           return name == finding.rule->id || name == finding.rule->name;
         });
}

/// TRB007.
static Finding &tell(const Comment &comment, std::string message, std::string help,
                     std::vector<Finding> &findings) {
  Finding finding;
  finding.rule = findRule("TRB007");
  finding.severity = Severity::Warning;
  finding.certainty = Certainty::Proved;
  finding.diagnostic.severity = Severity::Warning;
  finding.diagnostic.location = {comment.file, comment.range};
  finding.diagnostic.message = std::move(message);
  finding.diagnostic.help = std::move(help);
  findings.push_back(std::move(finding));
  return findings.back();
}

static std::string listOf(const Comment &comment) { return llvm::join(comment.names, ", "); }

/// Each range ends at the next end of the same rules; what has no partner is told, and suppresses
/// nothing. Those of one file, in order.
static void closeRanges(MutableArrayRef<Comment> comments, std::vector<Finding> &findings) {
  SmallVector<Comment *> open;
  for (Comment &comment : comments) {
    if (comment.kind == Comment::Begin)
      open.push_back(&comment);
    if (comment.kind != Comment::End)
      continue;
    auto begin = find_if(reverse(open), [&](Comment *o) { return o->names == comment.names; });
    if (begin == open.rend()) {
      tell(comment, "no ignore-begin[" + listOf(comment) + "] stands above this", "", findings);
      continue;
    }
    (*begin)->last = comment.last;
    open.erase(std::next(begin).base());
  }
  for (Comment *comment : open) {
    tell(*comment, "no ignore-end[" + listOf(*comment) + "] stands below this", "", findings);
    comment->kind = Comment::End;
  }
}

static std::vector<Comment> readComments(const SourceFile &file, std::vector<Finding> &findings) {
  std::vector<Comment> comments;
  for (uint32_t line = 1; line <= file.getLineCount(); ++line)
    if (std::optional<Comment> comment = readComment(file, line))
      comments.push_back(std::move(*comment));
  closeRanges(comments, findings);
  for (const Comment &comment : comments)
    if (comment.kind == Comment::Malformed)
      tell(comment, "this comment suppresses nothing",
           "write ignore[RULE], ignore-file[RULE], or ignore-begin[RULE] and ignore-end[RULE]",
           findings);
  return comments;
}

void applySuppressions(ArrayRef<std::shared_ptr<const SourceFile>> files,
                       std::vector<Finding> &findings) {
  std::vector<Comment> comments;
  std::vector<Finding> told;
  for (const auto &file : files)
    append_range(comments, readComments(*file, told));
  for (Finding &finding : findings)
    for (Comment &comment : comments)
      if (isMeant(comment, finding)) {
        comment.isUsed = true;
        finding.isSuppressed = true;
        finding.suppression = comment.reason;
      }
  append_range(findings, told);
  for (const Comment &comment : comments)
    if (!comment.isUsed && comment.kind != Comment::End && comment.kind != Comment::Malformed)
      tell(comment, "nothing is found here of " + listOf(comment) + ": the comment is not used", "",
           findings)
          .suggestions.push_back({Suggestion::Remove, {comment.file, comment.range}, "", ""});
}

} // namespace nereid::audit
