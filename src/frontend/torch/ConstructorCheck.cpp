// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes the text that an emitted file has of a module's constructor, and compares what it makes
// with what the program makes: the module, and all that stands at the top of the file.
#include "frontend/torch/Likeness.h"
#include "frontend/torch/ProgramImport.h"
#include "python/machine/Frame.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

constexpr StringLiteral copyName = "nereid_constructor";
constexpr StringLiteral ownForward = "def forward(self, *arguments, **keywords):";

/// The file that a text stands for, without its kernels.
static std::string fileOf(const ConstructorText &text, StringRef name) {
  StringRef indent = StringRef(text.body).ltrim('\n').take_while(isSpace);
  if (indent.empty())
    indent = "    ";
  return "import math\n\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n" +
         text.definitions + "\n" + text.decorators + "class " + name.str() + "(" +
         (text.bases.empty() ? "nn.Module" : text.bases) + "):\n" + text.body + "\n" +
         (indent + ownForward + "\n" + indent + indent).str() + "pass\n\n" + text.tail;
}

/// Whether a text makes the module that the program made; what is other is in `problem`.
bool ProgramImport::makesSame(const ConstructorText &text, ClassObject &cls, PyValue instance,
                              std::string &problem) {
  auto file = std::make_shared<SourceFile>("<constructor>", fileOf(text, cls.name));
  Diagnostics problems;
  ModuleObject *copy = machine->importSource(file, copyName, problems);
  auto fail = [&](const Twine &why) {
    problem = why.str();
    return false;
  };
  if (!copy)
    return fail("its text is not Python: " + problems.all().front().message);
  auto *made = dyn_cast_if_present<ClassObject>(copy->attrs->get(machine->intern(cls.name)));
  if (!made) {
    Value missing = machine->getAttribute(copy, cls.name);
    return fail(missing ? "'" + cls.name + "' is no class there"
                        : "it fails: " + machine->takeError().message);
  }
  auto *forward = dyn_cast_if_present<FunctionObject>(made->attrs->get(machine->intern("forward")));
  if (!forward || !file->getText(forward->code->node->range).starts_with(ownForward))
    return fail("its forward() is replaced");
  bool isGiven = instance->cls != &cls; // get_init_inputs() gives the module itself
  PyValue other = isGiven ? nullptr : construct(*made);
  if (!other && !isGiven)
    return fail("it fails: " + machine->takeError().message);
  Likeness likeness(*machine, copyName);
  bool isSame = isGiven || likeness.compare(instance, other, "self");
  for (const auto &[module, names] : text.names)
    for (StringRef name : names)
      isSame = isSame && likeness.compare(module->attrs->get(machine->intern(name)),
                                          copy->attrs->get(machine->intern(name)), name.str());
  const Likeness::Difference &found = likeness.difference;
  return isSame ||
         fail("it makes " + found.path + " " + found.copy + ", and here it is " + found.original);
}

std::optional<ConstructorText> ProgramImport::readConstructor(Machine &theMachine) {
  mlir::OwningOpRef<mlir::ModuleOp> module = readFile(theMachine);
  auto *cls = source ? dyn_cast_if_present<ClassObject>(findProgram()) : nullptr;
  PyValue instance = cls ? construct(*cls) : nullptr;
  if (!instance)
    return std::nullopt;
  std::string problem;
  for (bool isDecorated : {false, true}) {
    ConstructorText text = constructorText(*machine, *cls, isDecorated);
    if (!text.clash.empty()) {
      diagnostics.error(machine->definitionOf(cls),
                        text.clash + ", and one file would have both for this constructor",
                        "rename one of them");
      return std::nullopt;
    }
    if (makesSame(text, *cls, instance, problem))
      return text;
  }
  diagnostics.error(machine->definitionOf(cls),
                    "an emitted file repeats what this constructor needs, and there " + problem,
                    "let the class and its constructor depend on plain definitions of one file");
  return std::nullopt;
}

} // namespace nereid::torch
