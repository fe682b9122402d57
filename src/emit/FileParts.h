// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of one emitted file share: which imports and private functions they need.
#pragma once

#include "emit/Names.h"

#include "llvm/ADT/StringMap.h"

#include <set>
#include <string>
#include <vector>

namespace nereid::emit {

struct FileParts {
  Names names;
  bool usesTorch = false;
  bool usesTriton = false;
  bool usesLibdevice = false;
  bool usesMath = false;
  bool usesConfigs = false;
  bool usesLauncher = false;
  bool usesCeilDiv = false;
  bool usesNextPower = false;
  bool usesEmptyLike = false;
  bool usesTensorCheck = false;
  bool usesTensorTable = false;
  bool usesApartCheck = false;
  bool usesApartCopy = false;
  bool usesWriteCheck = false;
  bool usesNumberCheck = false;
  bool usesSeed = false;
  bool usesSizeCheck = false;
  bool usesShapeCheck = false;
  bool usesKnownCheck = false;
  bool usesModulesCheck = false;
  bool usesConstantCheck = false;
  bool usesCell = false;
  bool usesRestored = false;
  bool usesDropoutScale = false;
  bool usesCall = false;
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
  bool usesFunctional = false;
  bool usesCommandLine = false;
  /// Import lines that a class's constructor needs, beside those above.
  std::vector<std::string> imports;
  /// Definitions that a class's constructor needs, as the user wrote them.
  std::vector<std::string> definitions;

  /// Programs that are operators of PyTorch.
  llvm::StringSet<> registered;
  /// The Function classes of programs with gradients.
  llvm::StringMap<std::string> gradientClasses;

  /// The meta-parameters that launches give to each kernel.
  llvm::StringMap<std::vector<std::string>> launchMeta;

  /// The arguments of each kernel that launches may leave out: what nobody asks for is not stored.
  llvm::StringMap<std::set<unsigned>> optional;

  /// Functions that fold two values, as text, in the order of their first use.
  std::vector<std::string> combiners;
  /// From the text of a combiner after its name to the name.
  llvm::StringMap<std::string> combinerNames;
};

} // namespace nereid::emit
