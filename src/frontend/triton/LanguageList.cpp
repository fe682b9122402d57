// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/triton/LanguageList.h"

#include "frontend/triton/Prelude.h"
#include "frontend/triton/TritonLibrary.h"
#include "python/Parser.h"
#include "python/machine/Machine.h"

#include <map>

using namespace llvm;

namespace nereid::triton {

namespace {

struct Page {
  const char *file, *topic, *text;
};

constexpr Page pages[] = {
#include "TritonLanguage.inc"
};

} // namespace

/// The sentences of Language.md by the names in front of them: `- load: reads ...`.
static StringMap<std::string> readTexts() {
  StringMap<std::string> texts;
  SmallVector<StringRef> lines;
  for (const Page &page : pages)
    StringRef(page.text).split(lines, '\n');
  for (StringRef line : lines) {
    if (!line.consume_front("- "))
      continue;
    auto [names, text] = line.split(": ");
    SmallVector<StringRef> each;
    names.split(each, ", ");
    for (StringRef name : each)
      texts[name] = text.str();
  }
  return texts;
}

/// `(x, dim=None)` of a definition in a prelude.
static std::string signatureOf(const python::ParsedFile &file, const python::FunctionDef &def) {
  StringRef text = file.getText(def);
  size_t open = text.find('(', text.find("def " + def.name.str()));
  unsigned depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    depth += text[at] == '(';
    if (text[at] == ')' && --depth == 0)
      return text.slice(open, at + 1).str();
  }
  return "";
}

static void addPreludes(std::map<std::string, std::string> &signatures) {
  for (const PreludeFile &prelude : getPreludeFiles()) {
    if (prelude.module == "libdevice" || prelude.module == "cuda")
      continue;
    auto source = std::make_shared<SourceFile>(prelude.name.str(), prelude.text.str());
    Diagnostics none;
    std::unique_ptr<python::ParsedFile> file = python::parseFile(source, none);
    if (!file)
      continue;
    for (const python::Stmt *stmt : file->getModule().body)
      if (auto *def = dyn_cast<python::FunctionDef>(stmt); def && !def->name.starts_with("_"))
        signatures[def->name.str()] = signatureOf(*file, *def);
  }
}

static std::vector<LanguageFunction> makeList() {
  machine::Machine machine;
  TritonLibrary library(machine);
  std::map<std::string, std::string> signatures;
  // What takes anything is refused with advice.
  for (const auto &entry : library.signatures)
    if (!entry.getKey().starts_with("_") && entry.getValue() != "(*args, **kwargs)")
      signatures[entry.getKey().str()] = entry.getValue();
  addPreludes(signatures);
  StringMap<std::string> texts = readTexts();
  std::vector<LanguageFunction> list;
  for (auto &[name, signature] : signatures)
    list.push_back({name, signature, texts.lookup(name)});
  return list;
}

ArrayRef<LanguageFunction> listLanguage() {
  static const std::vector<LanguageFunction> list = makeList();
  return list;
}

const LanguageFunction *findFunction(StringRef name) {
  // The functions of `tl.math` are those of `tl`.
  name.consume_front("math.");
  for (const LanguageFunction &function : listLanguage())
    if (function.name == name)
      return &function;
  return nullptr;
}

} // namespace nereid::triton
