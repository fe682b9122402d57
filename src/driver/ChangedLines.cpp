// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ChangedLines.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;
namespace path = llvm::sys::path;

namespace nereid::driver {

namespace {
struct Lines {
  uint32_t first, last; // both inclusive
};

/// What git says of the files of the audit.
class GitDiff {
public:
  GitDiff(const std::string &revision, Diagnostics &diagnostics)
      : revision(revision), diagnostics(diagnostics) {}

  bool start(const std::vector<std::string> &paths);
  /// Nullopt after an error.
  std::optional<bool> isChanged(const SourceLocation &place);

private:
  std::optional<std::string> ask(StringRef folder, ArrayRef<StringRef> words);
  bool readFile(StringRef name);
  bool fail(const std::string &message, const std::string &help = "") {
    diagnostics.error({}, message, help);
    return false;
  }

  std::string revision;
  Diagnostics &diagnostics;
  std::string program;
  StringMap<std::vector<Lines>> files;
};
} // namespace

/// What git prints; nullopt where it fails.
std::optional<std::string> GitDiff::ask(StringRef folder, ArrayRef<StringRef> words) {
  SmallString<128> output;
  if (sys::fs::createTemporaryFile("nereid-git", "txt", output))
    return std::nullopt;
  SmallVector<StringRef> all{program, "-C", folder.empty() ? "." : folder};
  append_range(all, words);
  std::optional<StringRef> redirects[] = {StringRef(), output.str(), StringRef()};
  int status = sys::ExecuteAndWait(program, all, std::nullopt, redirects);
  std::string error;
  std::unique_ptr<SourceFile> text = readSourceFile(output, error);
  sys::fs::remove(output);
  return status == 0 && text ? std::optional(text->getText().str()) : std::nullopt;
}

bool GitDiff::start(const std::vector<std::string> &paths) {
  ErrorOr<std::string> found = sys::findProgramByName("git");
  if (!found)
    return fail("--diff needs git, which is not on the PATH");
  program = *found;
  for (const std::string &given : paths) {
    StringRef folder = sys::fs::is_directory(given) ? StringRef(given) : path::parent_path(given);
    if (!ask(folder, {"rev-parse", "--is-inside-work-tree"}))
      return fail("'" + given + "' lies in no work tree of git");
    std::string commit = revision + "^{commit}";
    if (StringRef(revision).starts_with("-") ||
        !ask(folder, {"rev-parse", "--verify", "--quiet", commit}))
      return fail("'" + revision + "' is no revision of the work tree of '" + given + "'");
  }
  return true;
}

/// `@@ -3,2 +4,0 @@`: the lines on the new side. Where lines were only taken out, those around
/// them.
static std::optional<Lines> readHunk(StringRef line) {
  if (!line.consume_front("@@ -"))
    return std::nullopt;
  line = line.split(" +").second.split(" @@").first;
  auto [startText, countText] = line.split(',');
  uint32_t start = 0, count = 1;
  if (startText.getAsInteger(10, start) ||
      (!countText.empty() && countText.getAsInteger(10, count)))
    return std::nullopt;
  return count == 0 ? Lines{start, start + 1} : Lines{start, start + count - 1};
}

bool GitDiff::readFile(StringRef name) {
  StringRef folder = path::parent_path(name), file = path::filename(name);
  std::vector<Lines> &changed = files[name];
  // What git does not know is new.
  if (!ask(folder, {"ls-files", "--error-unmatch", "--", file})) {
    changed.push_back({1, std::numeric_limits<uint32_t>::max()});
    return true;
  }
  std::optional<std::string> text =
      ask(folder, {"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--unified=0",
                   "--inter-hunk-context=0", "--text", revision, "--", file});
  if (!text)
    return fail("git tells no difference of '" + name.str() + "' since '" + revision + "'");
  for (StringRef line : split(*text, '\n'))
    if (std::optional<Lines> lines = readHunk(line))
      changed.push_back(*lines);
  return true;
}

std::optional<bool> GitDiff::isChanged(const SourceLocation &place) {
  if (!place.file)
    return false;
  StringRef name = place.file->getName();
  if (!files.contains(name) && !readFile(name))
    return std::nullopt;
  uint32_t last = std::max(place.range.begin + 1, place.range.end) - 1;
  uint32_t from = place.file->getLineColumn(place.range.begin).line;
  uint32_t to = place.file->getLineColumn(last).line;
  return any_of(files[name],
                [&](const Lines &lines) { return lines.first <= to && from <= lines.last; });
}

bool markElsewhere(audit::AuditResult &result, const std::vector<std::string> &paths,
                   const std::string &revision, Diagnostics &diagnostics) {
  GitDiff diff(revision, diagnostics);
  if (!diff.start(paths))
    return false;
  for (audit::Finding &finding : result.findings) {
    std::optional<bool> isHere = diff.isChanged(finding.diagnostic.location);
    for (const Diagnostic &note : finding.diagnostic.notes)
      if (isHere && !*isHere)
        isHere = diff.isChanged(note.location);
    if (!isHere)
      return false;
    finding.isElsewhere = !*isHere;
  }
  return true;
}

} // namespace nereid::driver
