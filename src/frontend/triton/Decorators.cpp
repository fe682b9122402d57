// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/triton/Decorators.h"
#include "frontend/triton/Values.h"
#include "python/Parser.h"

using namespace llvm;

namespace nereid::triton {

static StringRef getName(StringRef decorator) {
  StringRef name = decorator.take_until([](char c) { return c == '('; }).trim();
  name.consume_front("triton.");
  return name;
}

static bool isJit(StringRef decorator) { return getName(decorator) == "jit"; }

static bool isTritons(StringRef decorator) {
  return is_contained({"jit", "autotune", "heuristics"}, getName(decorator));
}

/// Replaces a decorator and its `@` by spaces; lines stay where they are.
static void blank(std::string &text, SourceRange range) {
  size_t begin = text.rfind('@', range.begin);
  for (size_t i = begin; begin != std::string::npos && i < range.end; ++i)
    if (text[i] != '\n' && text[i] != '\r')
      text[i] = ' ';
}

std::shared_ptr<const SourceFile> blankFailedDecorators(machine::Machine &machine,
                                                        machine::ModuleObject &module,
                                                        Diagnostics &diagnostics) {
  auto isKernel = [&](StringRef name) {
    return isa_and_present<FunctionValue>(module.attrs->get(machine.intern(name)));
  };
  auto copy =
      std::make_shared<SourceFile>(module.file->getName().str(), module.file->getText().str());
  Diagnostics unused;
  std::unique_ptr<python::ParsedFile> parsed = python::parseFile(copy, unused);
  if (!parsed)
    return nullptr;
  std::string text = copy->getText().str();
  bool changed = false;
  for (const python::Stmt *stmt : parsed->getModule().body) {
    auto *function = dyn_cast<python::FunctionDef>(stmt);
    bool hasFailed = function && module.poisoned.contains(machine.intern(function->name));
    if (!function || (!hasFailed && isKernel(function->name)))
      continue;
    auto isJitNode = [&](const python::Expr *node) { return isJit(parsed->getText(*node)); };
    if (none_of(function->decoratorList, isJitNode))
      continue;
    // What stands above Triton's own decorators changes how the kernel is launched, not what it is.
    auto isAbove = [&](const python::Expr *node) { return !isTritons(parsed->getText(*node)); };
    bool isWrapped = isAbove(function->decoratorList.front());
    if (!isWrapped && !hasFailed)
      continue;
    for (const python::Expr *decorator : function->decoratorList) {
      if (isWrapped ? !isAbove(decorator) : isJitNode(decorator))
        continue;
      blank(text, decorator->range);
      changed = true;
      if (isWrapped)
        continue;
      diagnostics.warning({module.file, decorator->range},
                          "the decorator of `" + function->name.str() +
                              "` cannot be evaluated and is left out",
                          "give its meta-parameters with --constexpr NAME=VALUE");
    }
  }
  return changed ? std::make_shared<SourceFile>(copy->getName().str(), text) : nullptr;
}

} // namespace nereid::triton
