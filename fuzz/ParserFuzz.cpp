// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes are parsed or rejected with one error inside the file; what is parsed prints to source
// with the same tree.
#include "python/Dump.h"
#include "python/Parser.h"
#include "python/Printer.h"

#include <cstdlib>

using namespace nereid;
using namespace nereid::python;

static std::string dump(const ParsedFile &file) {
  std::string text;
  llvm::raw_string_ostream os(text);
  DumpOptions options;
  options.includeAttributes = false;
  dumpAst(file, os, options);
  return text;
}

static void fail(llvm::StringRef reason, llvm::StringRef text) {
  llvm::errs() << reason << ":\n" << text << '\n';
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  Diagnostics diagnostics;
  auto source = std::make_shared<SourceFile>("input.py", text);
  auto file = parseFile(source, diagnostics);
  if (!file) {
    if (diagnostics.all().size() != 1)
      fail("a rejected file must have one error", text);
    SourceRange range = diagnostics.all()[0].location.range;
    if (range.begin > range.end || range.end > size)
      fail("the error lies outside the file", text);
    diagnostics.print(llvm::nulls(), /*colour=*/false);
    return 0;
  }
  std::string printed;
  llvm::raw_string_ostream os(printed);
  printModule(file->getModule(), os);
  auto again = parseFile(std::make_shared<SourceFile>("printed.py", printed), diagnostics);
  if (!again) {
    diagnostics.print(llvm::errs(), /*colour=*/false);
    fail("the printed form is rejected", printed);
  }
  if (dump(*file) != dump(*again))
    fail("the printed form has another tree", printed);
  return 0;
}
