// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/OperatorList.h"

#include "frontend/torch/KnownNames.h"
#include "frontend/torch/TorchLibrary.h"

#include "llvm/ADT/StringSwitch.h"

#include <map>
#include <set>

using namespace llvm;

namespace nereid::torch {

SmallVector<StringRef> TorchLibrary::publicNames(StringRef family) {
  SmallVector<StringRef> names;
  if (!prelude(family))
    return names;
  for (ModuleObject *part : preludes[family]) {
    for (const machine::Namespace::Slot &slot : part->attrs->slots)
      if (slot.value && isKnownName(family, slot.name->text))
        names.push_back(slot.name->text);
  }
  sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

namespace {

/// Where users write the names of a space; empty for what is no operator.
StringRef prefixOf(StringRef space) {
  return StringSwitch<StringRef>(space)
      .Case("torch", "torch.")
      .Case("F", "F.")
      .Case("Tensor", "Tensor.")
      .Case("special", "torch.special.")
      .Case("linalg", "torch.linalg.")
      .Case("fft", "torch.fft.")
      .Case("masked", "torch.masked.")
      .Default("");
}

/// `torch.clamp`, `Tensor.clamp`, `torch.clip`, `Tensor.clip`.
std::string spellings(const Registered &entry) {
  SmallVector<StringRef> names, spaces;
  StringRef(entry.names).split(names, ' ');
  StringRef(entry.spaces).split(spaces, ' ');
  std::string text;
  for (StringRef name : names)
    for (StringRef space : spaces)
      if (StringRef prefix = prefixOf(space); !prefix.empty())
        text += (text.empty() ? "`" : ", `") + (prefix + name + "`").str();
  return text;
}

/// The words of @op's `dtypes` for readers.
StringRef acceptedBy(StringRef rule) {
  return StringSwitch<StringRef>(rule)
      .Case("float", "floats")
      .Case("same", "floats of one type")
      .Case("one", "numbers of one type")
      .Case("norm", "first tensor of floats")
      .Case("second", "second tensor of floats")
      .Case("promote", "all; integers as f32")
      .Case("promote_number", "all but bool; integers as f32")
      .Default("all");
}

using Rows = std::map<std::string, std::set<std::string>>;

void print(raw_ostream &os, StringRef title, StringRef head, StringRef rule, const Rows &rows) {
  os << "\n## " << title << "\n\n" << head << '\n' << rule << '\n';
  for (const auto &[key, lines] : rows)
    for (const std::string &line : lines)
      os << line << '\n';
}

void printNames(raw_ostream &os, StringRef title, ArrayRef<StringRef> names) {
  os << "\n## " << title << "\n\n";
  std::string line;
  for (auto [place, name] : enumerate(names)) {
    std::string word = ("`" + name + "`").str() + (place + 1 == names.size() ? "" : ",");
    if (line.size() + word.size() > 110) {
      os << line << '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  os << line << '\n';
}

void printPage(raw_ostream &os, TorchLibrary &library) {
  Rows definitions, views, primitives;
  std::set<StringRef> complex;
  for (const Registered &entry : library.getRegistered()) {
    if (StringRef(entry.spaces).split(' ').first == "Complex")
      for (StringRef name : split(entry.names, ' '))
        if (!is_contained({"getitem", "setitem", "len"}, name))
          complex.insert(name);
    std::string names = spellings(entry);
    // What Python calls by itself is no operator.
    if (names.empty() || StringRef(entry.names).starts_with("__"))
      continue;
    if (entry.file.empty())
      primitives[entry.names].insert("| " + names + " | `" + entry.signature + "` |");
    else if (entry.signature.empty())
      views[entry.names].insert("| " + names + " | `" + entry.file + "` |");
    else
      definitions[entry.signature].insert("| " + names + " | `" + entry.signature + "` | `" +
                                          entry.file + "` | " + acceptedBy(entry.dtypes).str() +
                                          " |");
  }
  os << "# Operators\n\nWhat of PyTorch is read. This page is what `nereid docs operators` prints "
        "from the tables of the binary.\nWhat is missing here is refused by name with its place in "
        "the source. `F` is `torch.nn.functional`.\nPython's operators on tensors, indexing and "
        "assignment in place are read as the functions that PyTorch calls for them.\n";
  print(os, "Defined by other operators",
        "| names | schema | in `src/frontend/torch/prelude` | element types |", "|---|---|---|---|",
        definitions);
  print(os, "Read in the place of the call", "| names | in `src/frontend/torch/prelude` |",
        "|---|---|", views);
  print(os, "Primitives (element types as in PyTorch)", "| names | parameters |", "|---|---|",
        primitives);
  printNames(os, "Of complex tensors", SmallVector<StringRef>(complex.begin(), complex.end()));
  printNames(os, "Modules of `torch.nn`", library.publicNames("nn"));
  printNames(os, "Functions of `torch.nn.init`", library.publicNames("init"));
  printNames(os, "Names of `torch.distributions`, whose parameters are not checked",
             library.publicNames("distributions"));
}

} // namespace

std::string listOperators(mlir::MLIRContext *context) {
  context->loadDialect<graph::GraphDialect, mlir::func::FuncDialect>();
  Diagnostics diagnostics;
  TorchLibrary library(context, diagnostics);
  machine::Machine machine;
  std::string page;
  machine.session([&] {
    library.attach(machine);
    if (!library.prelude("functional") || !library.prelude("nn") || !library.prelude("init") ||
        !library.prelude("distributions"))
      return;
    raw_string_ostream os(page);
    printPage(os, library);
  });
  return page;
}

} // namespace nereid::torch
