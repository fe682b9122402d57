// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/AuditReport.h"
#include "driver/Phrases.h"
#include "driver/Session.h"

#include "llvm/ADT/StringExtras.h"

using namespace nereid;
using namespace nereid::driver;

static std::string placeOf(const fix::Fix &fix) {
  LineColumn at = fix.place.file->getLineColumn(fix.place.range.begin);
  return (fix.place.file->getName() + ":" + llvm::Twine(at.line) + ":" + llvm::Twine(at.column + 1))
      .str();
}

static void printDiffs(const fix::FixRound &round, llvm::raw_ostream &os) {
  for (const fix::FixedFile &file : round.files)
    os << upgrade::makeDiff(file.path, file.before->getText(), file.edits);
}

static size_t countMade(const fix::FixRound &round) {
  return llvm::count_if(round.fixes, [](const fix::Fix &fix) { return fix.problem.empty(); });
}

void driver::printFixes(const fix::FixResult &fixes, bool diffOnly) {
  // What takes the diff gets nothing else.
  llvm::raw_ostream &os = diffOnly ? llvm::errs() : llvm::outs();
  for (const fix::FixRound *round : {&fixes.safe, &fixes.others})
    for (const fix::Fix &fix : round->fixes)
      if (!fix.problem.empty())
        os << placeOf(fix) << ": no fix of " << fix.rule << ": " << fix.problem << '\n';
  if (diffOnly) {
    printDiffs(fixes.safe, llvm::outs());
    printDiffs(fixes.others, llvm::outs());
  } else if (!fixes.others.files.empty()) {
    os << "to be looked at, and not written:\n";
    printDiffs(fixes.others, os);
  }
  size_t made = countMade(fixes.safe), shown = countMade(fixes.others);
  size_t all = fixes.safe.fixes.size() + fixes.others.fixes.size();
  os << countOf(made, "finding") << (diffOnly ? " would be mended in " : " mended in ")
     << countOf(fixes.safe.files.size(), "file") << ", " << shown << " shown, "
     << all - made - shown << " left\n\n";
}

bool driver::writeFixes(const fix::FixResult &fixes, Diagnostics &diagnostics) {
  for (const fix::FixedFile &file : fixes.safe.files) {
    std::optional<std::string> text = upgrade::applyEdits(file.before->getText(), file.edits);
    if (!text || !writeFile(file.path, *text, diagnostics))
      return false;
  }
  return true;
}
