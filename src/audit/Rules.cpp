// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Rules.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::audit {

static constexpr Rule rules[] = {
    {"TRC001", "oob-access", Severity::Error, Category::Correctness,
     "an access outside of its tensor"},
    {"TRC002", "wrong-mask", Severity::Warning, Category::Correctness,
     "an access without the mask that bounds the same places in another one"},
    {"TRC003", "undefined-lane-used", Severity::Warning, Category::Correctness,
     "a fold counts lanes that a masked load leaves undefined"},
    {"TRC004", "non-neutral-other", Severity::Warning, Category::Correctness,
     "a fold counts lanes beyond a mask, which hold another number than its neutral one"},
    {"TRC005", "index-overflow", Severity::Warning, Category::Correctness,
     "an offset that 32 bits do not hold where a tensor is large"},
    {"TRC006", "race-programs", Severity::Error, Category::Correctness,
     "two programs use one element, and one of them stores to it"},
    {"TRC007", "race-in-program", Severity::Warning, Category::Correctness,
     "a program loads what its other threads have stored, without a barrier"},
    {"TRC009", "output-hole", Severity::Error, Category::Correctness,
     "an element of a result that nothing is stored to"},
    {"TRC010", "tuned-in-place", Severity::Warning, Category::Correctness,
     "an autotuned kernel changes what it reads, and nothing restores it"},
    {"TRC011", "assumes-contiguous", Severity::Warning, Category::Correctness,
     "a tensor of any strides that is read as if it were contiguous"},
    {"TRC012", "grid-mismatch", Severity::Warning, Category::Correctness,
     "more programs along an axis of a grid than a GPU takes"},
    {"TRC013", "empty-input", Severity::Warning, Category::Correctness,
     "a wrapper that fails where there are no elements"},
    {"TRC014", "arange-shape", Severity::Error, Category::Correctness,
     "a tile whose extent is no power of two"},
    {"TRC016", "unsupported-flow", Severity::Error, Category::Correctness,
     "control flow that Triton does not have"},
    {"TRC020", "guarded-too-late", Severity::Warning, Category::Correctness,
     "a place that is used before it is asked whether it is one"},
    {"TRC021", "pid-independent-store", Severity::Warning, Category::Correctness,
     "programs store different values to the same place"},
    {"TRC026", "wrong-result", Severity::Error, Category::Correctness,
     "a result that is not the reference's"},
    {"TRC027", "reads-blank-memory", Severity::Error, Category::Correctness,
     "a kernel reads or adds to memory that torch.empty made and nothing has set"},
    {"TRC028", "same-random", Severity::Warning, Category::Correctness,
     "programs or turns that draw the same random numbers"},
    {"TRC029", "refused-launch", Severity::Error, Category::Correctness,
     "a launch that raises whatever its arguments are"},
    {"TRC030", "input-hole", Severity::Warning, Category::Correctness,
     "elements of an input, behind the first blocks of an axis, that nothing reads"},
    {"TRP005", "poor-key", Severity::Warning, Category::Performance,
     "an autotuned kernel whose key names no size"},
    {"TRP006", "bad-key", Severity::Warning, Category::Performance,
     "a name given to autotune that no parameter of the kernel has"},
    {"TRN001", "low-precision-acc", Severity::Warning, Category::Numerics,
     "a sum over a loop that is held in 16 bits"},
    {"TRN002", "exp-overflow", Severity::Warning, Category::Numerics,
     "an exponential that is infinite for numbers that are not great"},
    {"TRN003", "inf-minus-inf", Severity::Warning, Category::Numerics,
     "minus infinity subtracted from itself where data mask a whole line"},
    {"TRN004", "div-by-zero", Severity::Warning, Category::Numerics,
     "a row of zeros divided by its own magnitude"},
    {"TRN005", "one-pass-variance", Severity::Warning, Category::Numerics,
     "a variance that is the difference of two large numbers"},
    {"TRN007", "nan-policy", Severity::Warning, Category::Numerics,
     "NaN or infinity at other places than in the reference"},
    {"TRN008", "domain", Severity::Warning, Category::Numerics,
     "a function of a number for which it has no value"},
    {"TRN009", "padded-lane-mass", Severity::Warning, Category::Numerics,
     "a fold counts lanes beyond a mask, of which arithmetic made something"},
    {"TRN012", "shadow-error", Severity::Warning, Category::Numerics,
     "a rounding error beyond that of the reference"},
    {"TRN014", "nondeterminism", Severity::Note, Category::Numerics,
     "a result whose last bits hang on the order of programs"},
    {"TRN015", "half-scratch", Severity::Warning, Category::Numerics,
     "partial sums of a kernel stored in the type of the inputs"},
    {"TRN016", "float32-only", Severity::Warning, Category::Numerics,
     "a function of float32 is given the type of the inputs, which may be 16 bits"},
    {"TRN017", "unscaled-sum", Severity::Warning, Category::Numerics,
     "a running sum of exponentials that does not follow the running maximum"},
    {"TRB002", "debug-leftover", Severity::Warning, Category::Practice,
     "a print that was left in a kernel"},
    {"TRB003", "deprecated-api", Severity::Note, Category::Practice,
     "a function that later versions of Triton do not have", true},
    {"TRB007", "unused-suppression", Severity::Warning, Category::Practice,
     "a comment that suppresses nothing"},
};

llvm::ArrayRef<Rule> getRules() { return rules; }

const Rule *findRule(llvm::StringRef text) {
  const Rule *rule =
      llvm::find_if(rules, [&](const Rule &r) { return r.id == text || r.name == text; });
  return rule == std::end(rules) ? nullptr : rule;
}

bool namesRules(llvm::StringRef text) {
  return llvm::any_of(rules, [&](const Rule &rule) {
    return rule.name == text || (!text.empty() && rule.id.starts_with(text));
  });
}

llvm::StringRef getName(Certainty certainty) {
  switch (certainty) {
  case Certainty::Proved:
    return "proved";
  case Certainty::Witnessed:
    return "witnessed";
  case Certainty::Likely:
    return "likely";
  }
  return "";
}

llvm::StringRef getName(Category category) {
  switch (category) {
  case Category::Correctness:
    return "correctness";
  case Category::Performance:
    return "performance";
  case Category::Memory:
    return "memory";
  case Category::Numerics:
    return "numerics";
  case Category::Practice:
    return "practice";
  }
  return "";
}

llvm::StringRef getName(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

} // namespace nereid::audit
