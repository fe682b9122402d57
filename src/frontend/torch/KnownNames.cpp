// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/KnownNames.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace nereid::torch {
namespace {

struct Space {
  StringLiteral name;
  StringLiteral words; // sorted, each followed by a space
};

constexpr Space known[] = {
#include "frontend/torch/KnownNames.inc"
};

} // namespace

void forEachKnownName(StringRef space, function_ref<void(StringRef)> visit) {
  for (const Space &entry : known) {
    if (entry.name != space)
      continue;
    StringRef rest = entry.words;
    while (!rest.empty()) {
      auto [word, others] = rest.split(' ');
      visit(word);
      rest = others;
    }
  }
}

bool isKnownName(StringRef space, StringRef name) {
  bool found = false;
  forEachKnownName(space, [&](StringRef word) { found |= word == name; });
  return found;
}

bool isInPlaceMethod(StringRef name) {
  return name.ends_with("_") && !name.ends_with("__") && isKnownName("Tensor", name);
}

std::string whyUnsupported(StringRef fullName) {
  StringRef name = fullName.substr(fullName.rfind('.') + 1);
  StringRef base = name.rtrim('_');
  if (base.starts_with("Lazy"))
    return "its sizes are those of its first input; make the module without Lazy and give them";
  // These come before the words that their names have in them.
  static constexpr StringLiteral ofData[] = {
      "nonzero", "argwhere", "unique", "unique_consecutive", "masked_select", "unique_dim"};
  if (is_contained(ofData, base))
    return "the size of its result depends on the data; keep all elements, and choose among them "
           "with torch.where";
  if (base == "backward" || fullName == "torch.autograd.grad")
    return "convert with --backward, which makes the gradients of what the program returns";
  static constexpr StringLiteral files[] = {"load", "save", "from_file", "from_numpy",
                                            "from_dlpack"};
  if (is_contained(files, base))
    return "data from outside are not known while converting; pass the tensor as an argument, or "
           "make it a parameter or buffer";
  if (base.contains_insensitive("pool"))
    return "pooling is not supported yet";
  if (base.contains_insensitive("attention"))
    return "write its scores, their softmax and the product with the values";
  if (base.contains("rand") || base.contains("dropout") || base.contains("Dropout") ||
      base.contains("normal") || base == "poisson" || base == "binomial")
    return "this distribution is not supported yet; torch.rand and torch.randn are";
  if (base == "equal" || base == "allclose")
    return "its answer depends on the data; keep it a tensor: (a == b).all(), torch.isclose(a, "
           "b).all()";
  if (base == "numpy")
    return "conversion cannot read a tensor's data; keep the value as a tensor";
  return "write it out with other operators of torch";
}

} // namespace nereid::torch
