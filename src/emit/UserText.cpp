// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/UserText.h"

namespace nereid::emit {

bool mentions(llvm::StringRef text, llvm::StringRef name) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != llvm::StringRef::npos; at = text.find(name, at + 1)) {
    char before = at == 0 ? ' ' : text[at - 1];
    char after = at + name.size() < text.size() ? text[at + name.size()] : ' ';
    if (!isWord(before) && before != '.' && !isWord(after))
      return true;
  }
  return false;
}

void noteModules(llvm::StringRef text, FileParts &parts) {
  parts.usesTorch |= mentions(text, "torch");
  parts.usesNn |= mentions(text, "nn");
  parts.usesFunctional |= mentions(text, "F");
  parts.usesMath |= mentions(text, "math");
}

/// `from a import b, c` and `import b, c` as an import of each, without comments.
static llvm::SmallVector<std::string> splitImport(llvm::StringRef line) {
  line = line.split('#').first.rtrim();
  size_t names = line.starts_with("import ") ? 0 : line.find(" import ") + 1;
  names += sizeof("import ") - 1;
  if (line.contains('(') || line.contains('\\') || line.contains(';'))
    return {line.str()};
  llvm::SmallVector<std::string> imports;
  for (llvm::StringRef name : llvm::split(line.drop_front(names), ','))
    imports.push_back((line.take_front(names) + name.trim()).str());
  return imports;
}

llvm::StringRef getBoundName(llvm::StringRef line) {
  bool isWhole = line.consume_front("import ");
  llvm::StringRef name = isWhole ? line : line.split(" import ").second;
  if (auto [made, as] = name.split(" as "); !as.empty())
    name = as;
  else if (isWhole)
    name = name.split('.').first;
  name = name.trim();
  bool isOne = llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  return isOne ? name : llvm::StringRef();
}

void addDefinitions(llvm::StringRef text, FileParts &parts) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  auto add = [](std::vector<std::string> &list, std::string item) {
    if (!llvm::is_contained(list, item))
      list.push_back(std::move(item));
  };
  // Of what another text has brought already; a statement may stand twice in one.
  const std::vector<std::string> known = parts.definitions;
  std::string definition;
  auto close = [&] {
    std::string whole = llvm::StringRef(definition).rtrim().str() + "\n";
    if (!llvm::StringRef(definition).trim().empty() && !llvm::is_contained(known, whole))
      parts.definitions.push_back(whole);
    definition.clear();
  };
  bool afterDecorator = false;
  for (llvm::StringRef line : lines) {
    bool starts =
        !line.empty() && !llvm::isSpace(line.front()) && line.front() != ')' && line.front() != ']';
    if (starts && !afterDecorator)
      close();
    afterDecorator = starts && line.front() == '@';
    bool isImport = starts && (line.starts_with("import ") || line.starts_with("from "));
    if (!isImport) {
      definition += line.str() + "\n";
      continue;
    }
    for (const std::string &each : splitImport(line))
      if (each != "import torch" && each != "import math" && each != "import torch.nn as nn" &&
          each != "from torch import nn" && each != "import torch.nn.functional as F")
        add(parts.imports, each);
  }
  close();
  for (const std::string &each : parts.definitions)
    noteModules(each, parts);
}

} // namespace nereid::emit
