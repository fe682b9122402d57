// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/UserText.h"

namespace nereid::emit {

/// Whether a text uses a name as a word of its own, not as an attribute.
static bool mentions(llvm::StringRef text, llvm::StringRef name) {
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

void addDefinitions(llvm::StringRef text, FileParts &parts) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  auto add = [](std::vector<std::string> &list, std::string item) {
    if (!llvm::is_contained(list, item))
      list.push_back(std::move(item));
  };
  std::string definition;
  auto close = [&] {
    if (!llvm::StringRef(definition).trim().empty())
      add(parts.definitions, llvm::StringRef(definition).rtrim().str() + "\n");
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
    if (line == "import torch" || line == "import math" || line == "import torch.nn as nn" ||
        line == "from torch import nn" || line == "import torch.nn.functional as F")
      continue;
    add(parts.imports, line.str());
  }
  close();
  for (const std::string &each : parts.definitions)
    noteModules(each, parts);
}

} // namespace nereid::emit
