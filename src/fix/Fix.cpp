// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/Fix.h"
#include "fix/FixText.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace llvm;
using nereid::analysis::Verdict;
using nereid::audit::AuditResult;
using nereid::audit::Finding;
using nereid::audit::Suggestion;

namespace nereid::fix {

static std::string plainPath(StringRef path) {
  SmallString<256> plain(path);
  sys::path::remove_dots(plain, /*remove_dot_dot=*/true);
  return plain.str().str();
}

namespace {
/// What an audit says of one kernel, for another audit to be compared with.
struct Standing {
  bool isCompiled = true;
  size_t proved = 0, wrong = 0;
  /// How many places findings tell of, by their rules.
  std::map<std::string, size_t> places;

  /// What is worse than it was; empty: nothing.
  std::string compare(const Standing &before) const;
};

using KernelKey = std::pair<std::string, std::string>; // path and name
using Standings = std::map<KernelKey, Standing>;

/// One attempt at the fixes of an audit.
class Attempt {
public:
  Attempt(const audit::AuditOptions &options, const AuditResult &before)
      : options(options), before(before) {}

  /// `isSafe`: of which kind.
  void plan(bool isSafe);
  /// Takes fixes back until the others hold; `after` is what is found then.
  void settle(AuditResult &after);
  FixRound finish();
  const SourceTexts &getTexts() const { return texts; }

private:
  void addFinding(const Finding &finding);
  void write();
  bool judge(const AuditResult &after);
  bool holds(const Fix &fix) const { return fix.problem.empty(); }
  const FixText &textOf(const SourceFile &file);

  audit::AuditOptions options;
  const AuditResult &before;
  std::vector<Fix> fixes;
  std::map<const SourceFile *, std::unique_ptr<FixText>> parsed;
  /// What is put into one list of one call.
  std::map<std::pair<const SourceFile *, uint32_t>, std::vector<std::string>> lists;
  /// Of the fixes that hold.
  std::map<const SourceFile *, std::vector<upgrade::Edit>> edits;
  SourceTexts texts;
};
} // namespace

static Standings standingsOf(const AuditResult &result) {
  Standings standings;
  for (const audit::AuditedKernel &kernel : result.kernels) {
    Standing &standing = standings[{plainPath(kernel.path), kernel.name}];
    standing.isCompiled = kernel.compiled;
    for (const audit::AuditedAccess &access : kernel.accesses) {
      standing.proved += access.verdict == Verdict::Proved;
      standing.wrong += access.verdict == Verdict::Counterexample;
    }
  }
  for (const Finding &finding : result.findings)
    if (const SourceFile *file = finding.diagnostic.location.file)
      standings[{plainPath(file->getName()), finding.kernel}].places[finding.rule->id.str()] +=
          1 + finding.diagnostic.notes.size();
  return standings;
}

std::string Standing::compare(const Standing &before) const {
  if (!isCompiled && before.isCompiled)
    return "the kernel does not compile with it";
  if (proved < before.proved)
    return "less is proved of the kernel with it";
  if (wrong > before.wrong)
    return "more of the kernel is wrong with it";
  for (const auto &[rule, count] : places) {
    auto known = before.places.find(rule);
    if (known == before.places.end())
      return "it brings another finding: " + rule;
  }
  return "";
}

const FixText &Attempt::textOf(const SourceFile &file) {
  std::unique_ptr<FixText> &text = parsed[&file];
  if (!text)
    text = std::make_unique<FixText>(file);
  return *text;
}

/// Whether the text is the file's, and no transcription of it.
static bool isAsRead(const SourceFile &source) {
  std::string error;
  std::unique_ptr<SourceFile> file = readSourceFile(source.getName(), error);
  return file && file->getText() == source.getText();
}

void Attempt::addFinding(const Finding &finding) {
  Fix fix;
  fix.rule = finding.rule->id.str();
  fix.kernel = finding.kernel;
  fix.place = finding.diagnostic.location;
  const SourceFile *file = fix.file = finding.suggestions.front().place.file;
  if (!options.texts.contains(plainPath(file->getName())) && !isAsRead(*file))
    fix.problem = "the file is not UTF-8";
  for (const Suggestion &suggestion : finding.suggestions) {
    if (!fix.problem.empty())
      break;
    if (suggestion.place.file != file) {
      fix.problem = "it would change several files";
      break;
    }
    ArrayRef<std::string> items;
    if (suggestion.kind == Suggestion::ListItem)
      items = lists[{file, suggestion.place.range.begin}];
    auto edits = textOf(*file).edit(suggestion, items, fix.problem);
    if (!edits)
      break;
    append_range(fix.edits, *edits);
  }
  fixes.push_back(std::move(fix));
}

void Attempt::plan(bool isSafe) {
  auto isWanted = [&](const Finding &finding) {
    return !finding.isLeftOut() && finding.severity != Severity::Note &&
           !finding.suggestions.empty() && finding.suggestions.front().place.file &&
           all_of(finding.suggestions, [&](const Suggestion &s) { return s.isSafe() == isSafe; });
  };
  for (const Finding &finding : before.findings)
    for (const Suggestion &suggestion : finding.suggestions)
      if (isWanted(finding) && suggestion.kind == Suggestion::ListItem)
        lists[{suggestion.place.file, suggestion.place.range.begin}].push_back(suggestion.text);
  for (const Finding &finding : before.findings)
    if (isWanted(finding))
      addFinding(finding);
}

static bool isSame(const upgrade::Edit &a, const upgrade::Edit &b) {
  return a.range.begin == b.range.begin && a.range.end == b.range.end && a.text == b.text;
}

/// Makes the texts of the fixes that hold; what two of them ask for is made once, and one that
/// overlaps others is taken back.
void Attempt::write() {
  texts = options.texts;
  edits.clear();
  for (Fix &fix : fixes) {
    if (!holds(fix))
      continue;
    std::vector<upgrade::Edit> all = edits[fix.file];
    for (const upgrade::Edit &edit : fix.edits)
      if (none_of(all, [&](const upgrade::Edit &other) { return isSame(edit, other); }))
        all.push_back(edit);
    std::optional<std::string> text = upgrade::applyEdits(fix.file->getText(), all);
    if (!text) {
      fix.problem = "it overlaps another fix";
      continue;
    }
    edits[fix.file] = std::move(all);
    texts[plainPath(fix.file->getName())] = *text;
  }
}

/// Whether all fixes hold; those that do not are taken back.
bool Attempt::judge(const AuditResult &after) {
  Standings old = standingsOf(before), now = standingsOf(after);
  bool areAllGood = true;
  auto drop = [&](Fix &fix, const std::string &why) {
    fix.problem = why;
    areAllGood = false;
  };
  for (const Diagnostic &problem : after.problems)
    for (Fix &fix : fixes)
      if (holds(fix) && problem.location.file &&
          plainPath(problem.location.file->getName()) == plainPath(fix.file->getName()))
        drop(fix, "the file is no Python with it");
  // Those that mend nothing first: what is worse may be theirs.
  for (Fix &fix : fixes) {
    KernelKey key{plainPath(fix.place.file->getName()), fix.kernel};
    if (holds(fix) && now[key].places[fix.rule] >= old[key].places[fix.rule])
      drop(fix, "the finding is there with it too");
  }
  for (Fix &fix : fixes) {
    KernelKey key{plainPath(fix.place.file->getName()), fix.kernel};
    if (!areAllGood || !holds(fix))
      continue;
    if (std::string worse = now[key].compare(old[key]); !worse.empty())
      for (Fix &other : fixes)
        if (holds(other) && other.kernel == fix.kernel && other.place.file == fix.place.file)
          drop(other, worse);
  }
  return areAllGood;
}

void Attempt::settle(AuditResult &after) {
  for (;;) {
    write();
    if (edits.empty()) {
      texts = options.texts;
      after = before;
      return;
    }
    audit::AuditOptions request = options;
    request.texts = texts;
    after = audit::audit(request);
    if (judge(after))
      return;
  }
}

FixRound Attempt::finish() {
  FixRound round;
  for (auto &[file, all] : edits) {
    auto copy = std::make_shared<SourceFile>(file->getName().str(), file->getText().str());
    round.files.push_back({file->getName().str(), copy, std::move(all)});
  }
  llvm::sort(round.files, [](const auto &a, const auto &b) { return a.path < b.path; });
  round.fixes = std::move(fixes);
  return round;
}

FixResult fixFindings(const audit::AuditOptions &options, const AuditResult &found) {
  FixResult result;
  Attempt safe(options, found);
  safe.plan(/*isSafe=*/true);
  safe.settle(result.after);
  audit::AuditOptions rest = options;
  rest.texts = safe.getTexts();
  Attempt others(rest, result.after);
  others.plan(/*isSafe=*/false);
  AuditResult unseen;
  others.settle(unseen);
  result.safe = safe.finish();
  result.others = others.finish();
  return result;
}

} // namespace nereid::fix
