// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One page that needs nothing else: findings, proofs by kernel, and the sources, in which each
// access has the colour of its verdict and says under the pointer what that takes for granted or
// what refutes it.
#include "driver/AuditReport.h"
#include "driver/Document.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace nereid;
using namespace nereid::driver;
using analysis::Property;
using analysis::Verdict;

namespace {

constexpr llvm::StringLiteral style = R"css(
:root { color-scheme: light dark; --ink: #1c2330; --paper: #fff; --faint: #667; --line: #d5d9e2;
  --proved: #cdeed6; --wrong: #fbc9c4; --open: #f6e7b8; --warning: #8a5a00; --error: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ee; --paper: #15181e; --faint: #98a0b0;
  --line: #353b47; --proved: #1f4a2c; --wrong: #6b2a26; --open: #54481c; --warning: #f0c060;
  --error: #ff8a80; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 90em; margin: 2em auto; padding: 0 1.2em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
a { color: inherit; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: .25em .7em; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
th { color: var(--faint); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.source { font: 13px/1.45 ui-monospace, monospace; overflow-x: auto; counter-reset: line; }
.source div.l { white-space: pre; counter-increment: line; }
.source div.l::before { content: counter(line); display: inline-block; width: 4em;
  margin-right: 1em; text-align: right; color: var(--faint); }
.source div.l:target { outline: 2px solid var(--faint); }
.source div.f { margin-left: 5em; font-family: system-ui, sans-serif; white-space: pre-line; }
.proved { background: var(--proved); } .wrong { background: var(--wrong); }
.open { background: var(--open); } [title] { border-radius: 3px; }
.error { color: var(--error); } .warning { color: var(--warning); } .note { color: var(--faint); }
summary { cursor: pointer; font-weight: 600; margin-top: 1em; }
)css";

/// What is said of a part of a line.
struct Mark {
  uint32_t begin, end;
  Verdict verdict;
  std::string title;
};

llvm::StringRef classOf(Verdict verdict) {
  return verdict == Verdict::Proved           ? "proved"
         : verdict == Verdict::Counterexample ? "wrong"
                                              : "open";
}

/// A counterexample says more than what is open, and that more than a proof.
Verdict worse(Verdict a, Verdict b) {
  for (Verdict verdict : {Verdict::Counterexample, Verdict::Unknown})
    if (a == verdict || b == verdict)
      return verdict;
  return Verdict::Proved;
}

std::string titleOf(const audit::AuditedAccess &access) {
  std::string text = access.operation;
  if (!access.argument.empty())
    text += " of " + access.argument;
  text += access.property == Property::InBounds ? ", in bounds: " : ", apart from other programs: ";
  if (access.verdict == Verdict::Proved) {
    text += "proved";
    for (const std::string &assumption : access.assumptions)
      text += "\n  where " + assumption;
    return text;
  }
  text += access.verdict == Verdict::Counterexample ? "counterexample" : "not known";
  text += ": " + access.reason;
  if (access.verdict == Verdict::Counterexample && !access.launch.empty())
    text += "\n  launched so by " + access.launch;
  return text;
}

class Page {
public:
  explicit Page(const audit::AuditResult &result) : result(result), os(text) {}

  std::string make() {
    collect();
    os << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
          "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>nereid "
          "audit</title>\n<style>"
       << style << "</style>\n</head>\n<body>\n<h1>nereid audit</h1>\n";
    writeSummary();
    writeFindings();
    writeProofs();
    writeSources();
    os << "</body>\n</html>\n";
    return text;
  }

private:
  struct File {
    std::map<unsigned, std::vector<const audit::AuditedAccess *>> accesses; // by line
    std::map<unsigned, std::vector<const audit::Finding *>> findings;
    unsigned number = 0;
  };

  void collect();
  void writeSummary();
  void writeFindings();
  void writeProofs();
  void writeSources();
  void writeSource(const SourceFile &source, const File &file);
  void writeLine(const SourceFile &source, unsigned number, const File &file);
  std::vector<Mark> marksOf(const SourceFile &source, unsigned number, const File &file) const;
  std::string linkTo(const std::string &path, unsigned line) const;
  std::string linkTo(const SourceLocation &place) const;

  const audit::AuditResult &result;
  std::string text;
  llvm::raw_string_ostream os;
  std::map<std::string, File> files;
};

} // namespace

void Page::collect() {
  for (const audit::AuditedKernel &kernel : result.kernels) {
    files[kernel.path];
    for (const audit::AuditedAccess &access : kernel.accesses)
      if (access.line != 0)
        files[access.path].accesses[access.line].push_back(&access);
  }
  for (const audit::Finding &finding : result.findings)
    if (const SourceFile *file = finding.diagnostic.location.file; file && !finding.isLeftOut()) {
      unsigned line = file->getLineColumn(finding.diagnostic.location.range.begin).line;
      files[file->getName().str()].findings[line].push_back(&finding);
    }
  unsigned number = 0;
  for (auto &[path, file] : files)
    file.number = ++number;
}

std::string Page::linkTo(const std::string &path, unsigned line) const {
  std::string place = escapeHtml(path) + ":" + std::to_string(line);
  auto file = files.find(path);
  if (file == files.end())
    return place;
  return "<a href=\"#f" + std::to_string(file->second.number) + "-" + std::to_string(line) + "\">" +
         place + "</a>";
}

std::string Page::linkTo(const SourceLocation &place) const {
  return place.file ? linkTo(place.file->getName().str(),
                             place.file->getLineColumn(place.range.begin).line)
                    : "";
}

void Page::writeSummary() {
  size_t verdicts[3] = {}, kernels = 0;
  for (const audit::AuditedKernel &kernel : result.kernels) {
    kernels += kernel.caller.empty();
    for (const audit::AuditedAccess &access : kernel.accesses)
      if (kernel.caller.empty())
        ++verdicts[access.verdict == Verdict::Proved           ? 0
                   : access.verdict == Verdict::Counterexample ? 1
                                                               : 2];
  }
  os << "<p>" << kernels << " kernels in " << result.files
     << " files. Properties of accesses: <span class=\"proved\">" << verdicts[0]
     << " proved</span>, <span class=\"wrong\">" << verdicts[1]
     << " with a counterexample</span>, <span class=\"open\">" << verdicts[2]
     << " not known</span>.</p>\n";
}

void Page::writeFindings() {
  os << "<h2>Findings</h2>\n<table id=\"findings\">\n<thead><tr><th>severity</th><th>rule</th>"
        "<th>kernel</th><th>place</th><th>what</th></tr></thead>\n<tbody>\n";
  for (const audit::Finding &finding : result.findings) {
    if (finding.isLeftOut())
      continue;
    llvm::StringRef severity = audit::getName(finding.severity);
    os << "<tr><td class=\"" << severity << "\">" << severity << "</td><td>" << finding.rule->id
       << ' ' << finding.rule->name << "</td><td>" << escapeHtml(finding.kernel) << "</td><td>"
       << linkTo(finding.diagnostic.location) << "</td><td>"
       << escapeHtml(finding.diagnostic.message) << "</td></tr>\n";
  }
  os << "</tbody>\n</table>\n";
}

void Page::writeProofs() {
  os << "<h2>Proofs</h2>\n<table id=\"proofs\">\n<thead><tr><th>kernel</th><th>place</th><th "
        "class=\"n\">launches</th><th class=\"n\">proved</th><th class=\"n\">counterexample</th>"
        "<th class=\"n\">not known</th><th>taken for granted</th></tr></thead>\n<tbody>\n";
  for (const audit::AuditedKernel &kernel : result.kernels) {
    if (!kernel.caller.empty())
      continue;
    size_t proved = 0, wrong = 0;
    std::set<std::string> assumptions;
    for (const audit::AuditedAccess &access : kernel.accesses) {
      proved += access.verdict == Verdict::Proved;
      wrong += access.verdict == Verdict::Counterexample;
      if (access.verdict == Verdict::Proved)
        assumptions.insert(access.assumptions.begin(), access.assumptions.end());
    }
    os << "<tr><td>" << escapeHtml(kernel.name) << "</td><td>" << linkTo(kernel.path, kernel.line)
       << "</td><td class=\"n\">" << kernel.launches << "</td><td class=\"n\">" << proved
       << "</td><td class=\"n\">" << wrong << "</td><td class=\"n\">"
       << kernel.accesses.size() - proved - wrong << "</td><td>"
       << escapeHtml(llvm::join(assumptions, "; ")) << "</td></tr>\n";
  }
  os << "</tbody>\n</table>\n";
}

void Page::writeSources() {
  os << "<h2>Sources</h2>\n";
  for (const auto &[path, file] : files) {
    std::string error;
    std::unique_ptr<SourceFile> source = readSourceFile(path, error);
    os << "<details open><summary>" << escapeHtml(path) << "</summary>\n";
    if (source)
      writeSource(*source, file);
    else
      os << "<p>" << escapeHtml("cannot be read: " + error) << "</p>\n";
    os << "</details>\n";
  }
}

void Page::writeSource(const SourceFile &source, const File &file) {
  os << "<div class=\"source\">\n";
  unsigned last = source.getLineCount();
  // What follows the last line end is no line.
  last -= last > 1 && source.getLine(last).empty();
  for (unsigned number = 1; number <= last; ++number) {
    os << "<div class=\"l\" id=\"f" << file.number << '-' << number << "\">";
    writeLine(source, number, file);
    os << "</div>\n";
    auto findings = file.findings.find(number);
    if (findings == file.findings.end())
      continue;
    for (const audit::Finding *finding : findings->second) {
      llvm::StringRef severity = audit::getName(finding->severity);
      os << "<div class=\"f " << severity << "\">" << severity << ": "
         << escapeHtml(finding->diagnostic.message) << " [" << finding->rule->id << "]";
      if (!finding->diagnostic.help.empty())
        os << escapeHtml("\nhelp: " + finding->diagnostic.help);
      for (const Diagnostic &note : finding->diagnostic.notes)
        os << '\n'
           << linkTo(note.location) << escapeHtml((note.location.file ? ": " : "") + note.message);
      os << "</div>\n";
    }
  }
  os << "</div>\n";
}

/// One for each access of the line: calls lie in each other or apart.
std::vector<Mark> Page::marksOf(const SourceFile &source, unsigned number, const File &file) const {
  std::vector<Mark> marks;
  auto accesses = file.accesses.find(number);
  if (accesses == file.accesses.end())
    return marks;
  uint32_t start = source.getLineStart(number);
  for (const audit::AuditedAccess *access : accesses->second) {
    SourceRange range = audit::rangeOfCall(source, access->line, access->column);
    Mark mark{range.begin - start, range.end - start, access->verdict, titleOf(*access)};
    auto same = llvm::find_if(marks, [&](const Mark &other) {
      return other.begin == mark.begin && other.end == mark.end;
    });
    if (same == marks.end()) {
      marks.push_back(std::move(mark));
      continue;
    }
    same->verdict = worse(same->verdict, mark.verdict);
    same->title += "\n" + mark.title;
  }
  llvm::sort(marks, [](const Mark &a, const Mark &b) {
    return std::pair(a.begin, ~a.end) < std::pair(b.begin, ~b.end);
  });
  return marks;
}

void Page::writeLine(const SourceFile &source, unsigned number, const File &file) {
  llvm::StringRef line = source.getLine(number);
  std::vector<uint32_t> ends;
  uint32_t done = 0;
  auto copy = [&](uint32_t until) {
    until = std::min<uint32_t>(until, line.size());
    os << escapeHtml(line.slice(done, until));
    done = std::max(done, until);
  };
  auto close = [&](uint32_t before) {
    while (!ends.empty() && ends.back() <= before) {
      copy(ends.back());
      os << "</span>";
      ends.pop_back();
    }
  };
  for (const Mark &mark : marksOf(source, number, file)) {
    close(mark.begin);
    copy(mark.begin);
    os << "<span class=\"" << classOf(mark.verdict) << "\" title=\"" << escapeHtml(mark.title)
       << "\">";
    ends.push_back(ends.empty() ? mark.end : std::min(mark.end, ends.back()));
  }
  close(~0u);
  copy(line.size());
}

std::string driver::makeAuditHtml(const audit::AuditResult &result) { return Page(result).make(); }
