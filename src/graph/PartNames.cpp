// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/PartNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace nereid::graph {

bool areAllArguments(ArrayRef<Part *> parts, unsigned place,
                     llvm::function_ref<bool(BlockArgument, func::FuncOp)> holds) {
  return llvm::all_of(parts, [&](Part *part) {
    auto argument = dyn_cast<BlockArgument>(part->inputs[place]);
    return argument && holds(argument, part->program);
  });
}

namespace {

/// The words of names that all of them begin and end with.
struct CommonWords {
  SmallVector<StringRef> start, end;

  CommonWords(ArrayRef<StringRef> names, char separator) {
    SmallVector<SmallVector<StringRef>> all(names.size());
    for (auto [name, words] : llvm::zip_equal(names, all))
      name.split(words, separator);
    size_t least = std::numeric_limits<size_t>::max();
    for (ArrayRef<StringRef> words : all)
      least = std::min(least, words.size());
    auto isCommon = [&](auto wordOf) {
      return llvm::all_of(
          all, [&](ArrayRef<StringRef> words) { return wordOf(words) == wordOf(all.front()); });
    };
    auto first = [&](ArrayRef<StringRef> words) { return words[start.size()]; };
    auto last = [&](ArrayRef<StringRef> words) { return words[words.size() - 1 - end.size()]; };
    while (end.size() < least && isCommon(last))
      end.insert(end.begin(), last(all.front()));
    while (start.size() + end.size() < least && isCommon(first))
      start.push_back(first(all.front()));
  }
};

/// What the arguments at a place are called in all parts; nothing where one of them is no argument.
SmallVector<StringRef> namesOf(ArrayRef<Part *> parts, unsigned place, StringRef mark) {
  SmallVector<StringRef> names;
  bool areArguments =
      areAllArguments(parts, place, [&](BlockArgument argument, func::FuncOp program) {
        auto name = program.getArgAttrOfType<StringAttr>(argument.getArgNumber(), mark);
        if (name)
          names.push_back(name.getValue());
        return bool(name);
      });
  return areArguments ? names : SmallVector<StringRef>();
}

} // namespace

std::string nameOfInput(ArrayRef<Part *> parts, unsigned place) {
  Part &first = *parts.front();
  if (auto paths = namesOf(parts, place, "graph.parameter"); !paths.empty())
    if (CommonWords words(paths, '.'); !words.end.empty())
      return llvm::join(words.end, "_");
  if (auto known = namesOf(parts, place, "graph.name"); !known.empty()) {
    CommonWords words(known, '_');
    // What a number is made by comes before the path of the module.
    bool isLess = words.start.size() >= 2 && words.start[0] == "one" && words.start[1] == "minus";
    if (!words.end.empty())
      return (isLess ? "one_minus_" : "") + llvm::join(words.end, "_");
  }
  Value value = first.inputs[place];
  if (auto argument = dyn_cast<BlockArgument>(value))
    return first.program.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name").str();
  auto named = dyn_cast<NameLoc>(value.getLoc());
  return named ? named.getName().str() : "x";
}

} // namespace nereid::graph
