// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/WhatIsFixed.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

namespace nereid::driver {

std::vector<SizeNote> sizeNotes(mlir::ModuleOp graph) {
  std::vector<SizeNote> notes = {
      {"graph.fixed", "fixed", "sizes that the program fixes: "},
      {"graph.merged", "merged", "sizes that the program makes one: "},
      {"graph.typical", "typical", "typical sizes, as none are given: "},
  };
  for (SizeNote &note : notes) {
    std::vector<std::string> found;
    auto add = [&](std::string size) {
      if (!llvm::is_contained(found, size))
        found.push_back(std::move(size));
    };
    for (auto program : graph.getOps<mlir::func::FuncOp>()) {
      mlir::Attribute sizes = program->getAttr(note.attribute);
      if (auto list = llvm::dyn_cast_if_present<mlir::ArrayAttr>(sizes))
        for (auto size : list.getAsRange<mlir::StringAttr>())
          add(size.getValue().str());
      if (auto named = llvm::dyn_cast_if_present<mlir::DictionaryAttr>(sizes))
        for (mlir::NamedAttribute size : named)
          add(size.getName().str() + "=" +
              std::to_string(llvm::cast<mlir::IntegerAttr>(size.getValue()).getInt()));
    }
    note.sizes = llvm::join(found, ", ");
  }
  return notes;
}

std::string spellFixedNumbers(mlir::ModuleOp graph) {
  llvm::SmallVector<std::string> fixed;
  for (auto program : graph.getOps<mlir::func::FuncOp>()) {
    auto known = program->getAttrOfType<mlir::ArrayAttr>("graph.known");
    for (mlir::Attribute entry : known ? known.getValue() : llvm::ArrayRef<mlir::Attribute>()) {
      auto pair = llvm::cast<mlir::ArrayAttr>(entry);
      llvm::StringRef name = llvm::cast<mlir::StringAttr>(pair[0]).getValue();
      llvm::StringRef value = llvm::cast<mlir::StringAttr>(pair[1]).getValue();
      double number;
      bool isName = llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
      if (isName && (value == "True" || value == "False" || !value.getAsDouble(number)))
        if (std::string text = (name + "=" + value).str(); !llvm::is_contained(fixed, text))
          fixed.push_back(text);
    }
  }
  return llvm::join(fixed, ", ");
}

FixedSettings findFixedSettings(mlir::ModuleOp graph) {
  FixedSettings settings;
  auto add = [&](bool isOwn, std::string text) {
    std::vector<std::string> &list = isOwn ? settings.own : settings.ofParts;
    if (!llvm::is_contained(list, text))
      list.push_back(std::move(text));
  };
  auto pairOf = [](mlir::Attribute entry) {
    auto pair = llvm::cast<mlir::ArrayAttr>(entry);
    return std::pair(llvm::cast<mlir::StringAttr>(pair[0]).getValue(),
                     llvm::cast<mlir::StringAttr>(pair[1]).getValue());
  };
  for (auto program : graph.getOps<mlir::func::FuncOp>()) {
    auto modules = program->getAttrOfType<mlir::ArrayAttr>("graph.modules");
    for (mlir::Attribute entry : modules ? modules.getValue() : llvm::ArrayRef<mlir::Attribute>()) {
      auto row = llvm::cast<mlir::ArrayAttr>(entry);
      llvm::StringRef path = llvm::cast<mlir::StringAttr>(row[0]).getValue();
      for (mlir::Attribute setting : llvm::cast<mlir::ArrayAttr>(row[2])) {
        auto [name, value] = pairOf(setting);
        if (value != "self.training")
          add(path.empty(),
              ("self." + path + (path.empty() ? "" : ".") + name + "=" + value).str());
      }
    }
    auto known = program->getAttrOfType<mlir::ArrayAttr>("graph.known");
    for (mlir::Attribute entry : known ? known.getValue() : llvm::ArrayRef<mlir::Attribute>())
      if (auto [name, value] = pairOf(entry); name.contains("self.")) {
        bool isPlain =
            llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
        add(isPlain || name.starts_with("_has_code(self."),
            value == "True" ? name.str()
                            : (name + (name.contains(' ') ? " is " : "=") + value).str());
      }
  }
  return settings;
}

std::vector<std::string> FixedSettings::all() const {
  std::vector<std::string> list = own;
  list.insert(list.end(), ofParts.begin(), ofParts.end());
  return list;
}

std::string FixedSettings::spell() const {
  std::string text = llvm::join(own, ", ");
  if (!ofParts.empty())
    text += (text.empty() ? "" : " and ") + std::to_string(ofParts.size()) +
            " of its parts (--json names them; --init converts for others)";
  else
    text += " (--init converts for others)";
  return text;
}

} // namespace nereid::driver
