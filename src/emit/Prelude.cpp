// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/Prelude.h"

#include "emit/CallText.h"
#include "emit/CheckText.h"
#include "emit/CommandLine.h"
#include "emit/CudaGraphText.h"
#include "emit/LaunchText.h"
#include "emit/ModuleText.h"
#include "emit/UserText.h"

namespace nereid::emit {

std::vector<std::string> getImports(const FileParts &parts) {
  std::string future, standard, others;
  std::vector<std::string> modules;
  if (parts.usesCommandLine)
    modules = getCommandLineImports();
  if (parts.usesLauncher)
    modules.insert(modules.end(), {"functools", "threading"});
  if (parts.usesAlignment)
    modules.push_back("operator");
  if (parts.usesTransform || parts.usesModulesCheck || parts.usesTensorLookup ||
      parts.usesMovedClass || parts.usesComparedClass)
    modules.push_back("functools");
  if (parts.usesMath)
    modules.push_back("math");
  if (parts.usesInspect)
    modules.push_back("inspect");
  if (parts.usesConfigs || parts.usesCommandLine)
    modules.push_back("os");
  llvm::sort(modules);
  modules.erase(llvm::unique(modules), modules.end());
  for (const std::string &name : modules)
    standard += "import " + name + "\n";
  if (parts.usesTorch)
    others += "import torch\n";
  if (parts.usesFunctional)
    others += "import torch.nn.functional as F\n";
  if (parts.usesCommandLine)
    others += "import torch.utils._pytree as pytree\n";
  if (parts.usesTriton || parts.usesCommandLine)
    others += "import triton\nimport triton.language as tl\n";
  if (parts.usesNn)
    others += "from torch import nn\n";
  if (parts.usesEmptyLike)
    others += "from torch._prims_common import compute_elementwise_output_strides\n";
  if (parts.usesOnceDifferentiable)
    others += "from torch.autograd.function import once_differentiable\n";
  if (parts.usesCommandLine)
    others += "from torch.overrides import TorchFunctionMode\n";
  if (parts.usesCommandLine && parts.usesPrecision)
    others += "from torch.utils._python_dispatch import TorchDispatchMode\n";
  if (parts.usesConstantCheck)
    others += "from torch.utils.weak import WeakTensorKeyDictionary\n";
  if (parts.usesLauncher)
    others += "from triton.compiler import CompiledKernel\n";
  if (parts.usesLibdevice)
    others += "from triton.language.extra import libdevice\n";
  if (parts.hasGroups || parts.usesCudaGraphs)
    standard += std::string("from collections import ") +
                (!parts.hasGroups       ? "OrderedDict"
                 : parts.usesCudaGraphs ? "OrderedDict, namedtuple"
                                        : "namedtuple") +
                "\n";
  for (const std::string &line : parts.imports)
    if (!llvm::StringRef("\n" + standard).contains("\n" + line + "\n"))
      (llvm::StringRef(line).starts_with("from __future__") ? future : standard) += line + "\n";
  std::vector<std::string> groups;
  for (const std::string &group : {future, standard, others})
    if (!group.empty())
      groups.push_back(group);
  return groups;
}

/// The text of a function that calls programs. Where these take the tensors of a module in lists,
/// autograd and torch.func are given them one by one.
static std::string spellCallText(llvm::StringRef text, const FileParts &parts) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> spellings[] = {
      {"for argument in arguments:", "for argument in _flat(*arguments):"},
      {"[x for x in arguments if", "[x for x in _flat(*arguments) if"},
      {"gradient(*arguments)", "gradient(*_flat(*arguments))"},
      {"_transform(direct)(*arguments)", "_transform(direct, nest=_nest)(*_flat(*arguments))"},
      {"_Plain.apply(direct, *arguments)", "_Plain.apply(direct, *_flat(*arguments))"},
      {"    def forward(ctx, direct, *arguments):\n        return direct(*arguments)",
       "    def forward(ctx, direct, *arguments):\n        return direct(*_nest(*arguments))"},
      {"_transform(launch, gradient=None, backward=None)",
       "_transform(launch, gradient=None, backward=None, nest=None)"},
      {"        return launch(*inputs)\n",
       "        return launch(*(nest(*inputs) if nest else inputs))\n"},
      {"gradient.save(ctx, inputs, output)", "gradient.save(ctx, nest(*inputs), output)"},
      {"        def get_part(place):\n"
       "            for x, dim in zip(arguments, dims):\n"
       "                is_batched = isinstance(x, torch.Tensor) and dim is not None\n"
       "                yield x.select(dim, place) if is_batched else x\n",
       "        def get_part(place, arguments=arguments, dims=dims):\n"
       "            for x, dim in zip(arguments, dims):\n"
       "                if isinstance(x, (list, tuple)):\n"
       "                    yield [*get_part(place, x, dim)]\n"
       "                    continue\n"
       "                is_batched = isinstance(x, torch.Tensor) and dim is not None\n"
       "                yield x.select(dim, place) if is_batched else x\n"},
  };
  std::string spelled = text.str();
  auto spell = [&](llvm::StringRef from, llvm::StringRef to) {
    for (size_t at = 0; (at = spelled.find(from.str(), at)) != std::string::npos; at += to.size())
      spelled.replace(at, from.size(), to.str());
  };
  for (auto [from, to] : spellings)
    if (parts.hasGroups)
      spell(from, to);
  return spelled;
}

/// The same, where launches without a gradient may be replayed.
static std::string spellReplay(llvm::StringRef text, const FileParts &parts) {
  constexpr llvm::StringLiteral launches = "    return direct(*arguments)\n";
  std::string spelled = spellCallText(text, parts);
  if (parts.usesCudaGraphs && llvm::StringRef(spelled).ends_with(launches))
    spelled.replace(spelled.size() - launches.size(), launches.size(),
                    "    return _replay(direct, arguments)\n");
  return spelled;
}

std::vector<std::string> getDecorators(const FileParts &parts) {
  std::vector<std::string> texts;
  if (parts.usesConfigs)
    texts.push_back(chooseText.str());
  if (parts.usesLauncher)
    texts.push_back(launcherText.str());
  if (parts.usesAlignment)
    texts.push_back(alignedText.str());
  return texts;
}

std::vector<std::string> getPrelude(const FileParts &parts) {
  std::vector<std::string> texts;
  if (parts.usesPrecision)
    texts.push_back(precisionText.str());
  if (parts.usesFactorType)
    texts.push_back(factorTypeText.str());
  if (parts.usesCeilDiv)
    texts.push_back(ceilDivText.str());
  if (parts.usesTurns)
    texts.push_back(turnsText.str());
  if (parts.usesBlocks)
    texts.push_back(blocksText.str());
  if (parts.usesNextPower)
    texts.push_back(powerText.str());
  if (parts.usesTensorCheck)
    texts.push_back(checkTensorText.str());
  if (parts.usesMovedClass)
    texts.push_back(movedText.str());
  if (parts.usesComparedClass)
    texts.push_back(comparedText.str());
  if (parts.usesApartCheck)
    texts.push_back(checkApartText.str());
  if (parts.usesApartCopy)
    texts.push_back(apartCopyText.str());
  if (parts.usesWriteCheck)
    texts.push_back(checkWrittenText.str());
  if (parts.usesNumberCheck)
    texts.push_back(checkNumberText.str());
  if (parts.usesSeed)
    texts.push_back(seedText.str());
  if (parts.usesRequire)
    texts.push_back(requireText.str());
  if (parts.usesSizeCheck)
    texts.push_back(checkSizeText.str());
  if (parts.usesTensorTable)
    texts.push_back(checkTensorsText.str());
  if (parts.usesGroupTable)
    texts.push_back(checkTableText.str());
  if (parts.usesNumbersCheck)
    texts.push_back(checkNumbersText.str());
  if (parts.usesTensorLookup || parts.usesModulesCheck)
    texts.push_back(moduleAtText.str());
  if (parts.usesTensorLookup)
    texts.push_back(getTensorsText.str());
  if (parts.usesStateCheck)
    texts.push_back(checkStateText.str());
  if (parts.usesStateWrite)
    texts.push_back(writeText.str());
  if (parts.usesStrideCheck)
    texts.push_back(checkStrideText.str());
  if (parts.usesContiguousCheck)
    texts.push_back(checkContiguousText.str());
  if (parts.usesConstantCheck)
    texts.push_back(checkConstantText.str());
  if (parts.usesCell)
    texts.push_back(cellText.str());
  if (parts.usesFunctionName)
    texts.push_back(functionNameText.str());
  if (parts.usesMaker)
    texts.push_back(madeByText.str());
  if (parts.usesCode)
    texts.push_back(hasCodeText.str());
  if (parts.usesRestored)
    texts.push_back(restoredText.str());
  if (parts.usesDropoutScale)
    texts.push_back(dropoutScaleText.str());
  if (parts.usesKnownCheck)
    texts.push_back(checkKnownText.str());
  if (parts.usesModulesCheck)
    texts.push_back(checkModulesText.str());
  if (parts.usesTorchResults)
    texts.push_back(torchResultsText.str());
  if (parts.usesTorchGradients)
    texts.push_back(torchGradientsText.str());
  if (parts.usesRegister)
    texts.push_back(registerText.str());
  if (parts.usesTransform)
    texts.push_back(spellCallText(transformText, parts));
  if (parts.usesTransformRefusal)
    texts.push_back(refuseTransformText.str());
  if (parts.usesCudaGraphs)
    texts.push_back(spellCallText(cudaGraphText, parts));
  if (parts.usesCall)
    texts.push_back(spellReplay(callText, parts));
  if (parts.usesNoGradient)
    texts.push_back(noGradientText.str());
  if (parts.usesPlainCall)
    texts.push_back(spellCallText(plainCallText, parts));
  if (parts.usesGradientCall)
    texts.push_back(spellReplay(gradientCallText, parts));
  if (parts.usesOnceDifferentiable)
    texts.push_back(onceDifferentiableText.str());
  if (parts.usesGroupedGradient)
    texts.push_back(groupedGradientText.str());
  if (parts.usesUsedOutputs)
    texts.push_back(usedOutputsText.str());
  if (parts.usesEmptyLike)
    texts.push_back(emptyLikeText.str());
  return texts;
}

/// The lines of a definition that run while the file is imported: those outside of the bodies of
/// functions, with decorators and the defaults of arguments.
static std::string getImportTimeLines(llvm::StringRef text) {
  std::string lines;
  bool isInSignature = false;
  /// How far the function is indented in whose body the lines are.
  std::optional<size_t> function;
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    size_t indent = line.find_first_not_of(' ');
    if (indent == line.npos)
      continue;
    llvm::StringRef code = line.drop_front(indent);
    if (!isInSignature && function && indent <= *function)
      function.reset();
    if (function && !isInSignature)
      continue;
    bool isFunction = !function && code.starts_with("def ");
    // The name that is bound is none that is asked for.
    bool binds = isFunction || code.starts_with("class ");
    lines += (binds ? code.drop_until([](char c) { return c == '('; }) : code).str() + "\n";
    if (isFunction) {
      function = indent;
      isInSignature = true;
    }
    code.consume_back("  # fmt: skip");
    isInSignature &= !code.ends_with(":");
  }
  return lines;
}

std::vector<llvm::StringRef> getBoundNames(llvm::StringRef text) {
  std::vector<llvm::StringRef> names;
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    bool isDefinition = line.consume_front("def ") || line.consume_front("class ");
    llvm::StringRef name = line.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!name.empty() && (isDefinition || line.drop_front(name.size()).starts_with(" = ")))
      names.push_back(name);
  }
  return names;
}

std::vector<std::string> takeImportTime(std::vector<std::string> &prelude,
                                        llvm::ArrayRef<std::string> programs) {
  std::string run;
  for (llvm::ArrayRef<std::string> texts : {llvm::ArrayRef(prelude), programs})
    for (const std::string &text : texts)
      run += getImportTimeLines(text);
  std::vector<bool> isEarly(prelude.size());
  for (bool hasMore = true; hasMore;) {
    hasMore = false;
    for (auto [place, text] : llvm::enumerate(prelude))
      if (!isEarly[place] && llvm::any_of(getBoundNames(text), [&](llvm::StringRef name) {
            return mentions(run, name);
          })) {
        // What it calls runs with it.
        run += text;
        isEarly[place] = hasMore = true;
      }
  }
  std::vector<std::string> early, others;
  for (auto [place, text] : llvm::enumerate(prelude))
    (isEarly[place] ? early : others).push_back(std::move(text));
  prelude = std::move(others);
  return early;
}

} // namespace nereid::emit
