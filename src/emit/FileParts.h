// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of one emitted file share: which imports and private functions they need.
#pragma once

#include "emit/Names.h"

#include "llvm/ADT/StringMap.h"

#include <set>
#include <string>
#include <vector>

namespace nereid::emit {

/// Arguments that a function takes as one: tensors or numbers under names.
struct ArgumentGroup {
  /// What the function calls it, and its named tuple.
  std::string parameter, variable;
  /// The class of named tuples, and the table of what its tensors must be; empty where it has none.
  std::string type, table;
  /// `torch.Tensor` or `float`.
  std::string element;
  /// The places of the arguments, and their fields.
  std::vector<unsigned> places;
  std::vector<std::string> fields;
};
using ArgumentGroups = std::vector<ArgumentGroup>;

struct FileParts {
  Names names;
  bool usesTorch = false;
  bool usesTriton = false;
  bool usesLibdevice = false;
  bool usesPrecision = false;
  bool usesFactorType = false;
  bool usesMath = false;
  bool usesInspect = false;
  bool usesConfigs = false;
  bool usesLauncher = false;
  bool usesAlignment = false;
  bool usesCeilDiv = false;
  bool usesNextPower = false;
  bool usesEmptyLike = false;
  bool usesTensorCheck = false;
  bool usesTensorTable = false;
  /// Whether arguments of the module pass in groups.
  bool hasGroups = false;
  bool usesGroupTable = false;
  bool usesGroupedGradient = false;
  bool usesStateCheck = false;
  bool usesStateWrite = false;
  bool usesTensorLookup = false;
  bool usesNumbersCheck = false;
  bool usesApartCheck = false;
  bool usesApartCopy = false;
  bool usesWriteCheck = false;
  bool usesNumberCheck = false;
  bool usesSeed = false;
  bool usesSizeCheck = false;
  bool usesRequire = false;
  bool usesRegister = false;
  bool usesKnownCheck = false;
  bool usesModulesCheck = false;
  bool usesBlocks = false;
  bool usesTurns = false;
  bool usesConstantCheck = false;
  bool usesCell = false;
  bool usesCode = false;
  bool usesFunctionName = false;
  bool usesMaker = false;
  bool usesRestored = false;
  bool usesDropoutScale = false;
  bool usesCall = false;
  bool usesCudaGraphs = false;
  bool usesTransform = false;
  bool usesTransformRefusal = false;
  bool usesGradientCall = false;
  bool usesNoGradient = false;
  bool usesPlainCall = false;
  bool usesOnceDifferentiable = false;
  bool usesUsedOutputs = false;
  bool usesStrideCheck = false;
  bool usesTorchResults = false;
  bool usesTorchGradients = false;
  bool usesContiguousCheck = false;
  bool usesNn = false;
  bool usesMovedClass = false;
  bool usesComparedClass = false;
  bool usesFunctional = false;
  bool usesCommandLine = false;
  /// Statements of the user's file that stand behind its class.
  std::vector<std::string> tail;
  /// Import lines that a class's constructor needs, beside those above.
  std::vector<std::string> imports;
  /// Definitions that a class's constructor needs, as the user wrote them.
  std::vector<std::string> definitions;

  /// By program: the arguments that pass as one.
  llvm::StringMap<ArgumentGroups> groups;
  /// By program: the places of the state that it does not write to itself. It returns what its
  /// caller copies there, so that it is an operator without side effects.
  llvm::StringMap<std::vector<unsigned>> written;

  /// Programs that are operators of PyTorch.
  llvm::StringSet<> registered;
  /// The Function classes of programs with gradients.
  llvm::StringMap<std::string> gradientClasses;

  /// The meta-parameters that launches give to each kernel.
  llvm::StringMap<std::vector<std::string>> launchMeta;

  /// The arguments of each kernel that launches may leave out: what nobody asks for is not stored.
  llvm::StringMap<std::set<unsigned>> optional;

  /// Lists of configurations, as text, in the order of their first use, and their names.
  std::string configLists;
  llvm::StringMap<std::string> configNames;
  /// Functions that fold two values, as text, in the order of their first use.
  std::vector<std::string> combiners;
  /// From the text of a combiner after its name to the name.
  llvm::StringMap<std::string> combinerNames;
};

} // namespace nereid::emit
