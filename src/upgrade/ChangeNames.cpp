// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that moved, options that have to be named since 3.9, arguments with another name.
#include "tile/Libdevice.h"
#include "upgrade/Changes.h"

using namespace llvm;

namespace nereid::upgrade {

namespace {

class NameChanger {
public:
  NameChanger(FunctionText &text, const Version &version, Changes &changes)
      : text(text), version(version), changes(changes) {}

  void visit(const python::Call &call);

private:
  void moveToLibdevice(const python::Call &call, StringRef function);
  void nameOptions(const python::Call &call, StringRef function);
  void renameDescriptor(const python::Call &call, StringRef function);
  void changeDeprecated(const python::Call &call, StringRef function);
  void note(const python::Call &call, StringRef kind) {
    changes.kinds.insert(kind.str());
    changes.calls.push_back(&call);
  }

  FunctionText &text;
  const Version &version;
  Changes &changes;
};

} // namespace

/// What `tl.math` has since 3.0; before, it had libdevice's functions too.
static bool isInMath(StringRef name) {
  return is_contained({"umulhi", "exp", "exp2", "log", "log2", "cos", "sin", "sqrt", "sqrt_rn",
                       "rsqrt", "abs", "fdiv", "div_rn", "erf", "floor", "ceil", "fma"},
                      name);
}

void NameChanger::moveToLibdevice(const python::Call &call, StringRef function) {
  auto [owner, name] = function.rsplit('.');
  if (owner != "libdevice" && (owner != "math" || isInMath(name)))
    return;
  if (!tile::findLibdeviceFunction(name))
    return;
  // NVIDIA's own is the same.
  StringRef alias;
  for (StringRef module :
       {"triton.language.extra.libdevice", "triton.language.extra.cuda.libdevice"})
    if (alias.empty())
      alias = text.names.getAlias(module);
  changes.kinds.insert("libdevice");
  if (alias.empty() && text.names.isTaken("libdevice"))
    return changes.refuse(text.getLocation(*call.func),
                          "`tl." + function.str() +
                              "` moved to libdevice, and the name `libdevice` "
                              "means something else in this file",
                          "import triton.language.extra.libdevice under another name");
  if (alias.empty() && text.names.getImportPlace() == 0)
    return changes.refuse(text.getLocation(*call.func),
                          "`tl." + function.str() +
                              "` moved to libdevice, and no import of Triton "
                              "stands at the top level",
                          "add `from triton.language.extra import libdevice`");
  changes.needsLibdevice |= alias.empty();
  changes.edits.push_back(
      {call.func->range, (alias.empty() ? "libdevice" : alias.str()) + "." + name.str()});
  note(call, "libdevice");
}

/// Options that stand by their place: only their names are accepted since 3.9, which has none for
/// block pointers.
void NameChanger::nameOptions(const python::Call &call, StringRef function) {
  static constexpr StringLiteral ofLoad[] = {"boundary_check", "padding_option", "cache_modifier",
                                             "eviction_policy", "volatile"};
  static constexpr StringLiteral ofStore[] = {"boundary_check", "cache_modifier",
                                              "eviction_policy"};
  static constexpr StringLiteral ofSoftmax[] = {"keep_dims", "ieee_rounding"};
  unsigned first = function == "softmax" ? 2 : 3;
  ArrayRef<StringLiteral> names = function == "load"      ? ArrayRef(ofLoad)
                                  : function == "store"   ? ArrayRef(ofStore)
                                  : function == "softmax" ? ArrayRef(ofSoftmax)
                                                          : ArrayRef<StringLiteral>();
  if (version.minor < 9 || names.empty() || call.args.size() <= first)
    return;
  for (auto [argument, name] : zip(call.args.drop_front(first), names)) {
    bool isGone = name == "boundary_check" || name == "padding_option";
    if (isGone && isEmptyLiteral(*argument)) {
      removeArgument(text.names.file, *argument, changes.edits);
      continue;
    }
    if (isGone || isa<python::Starred>(argument))
      return changes.refuse(text.getLocation(*argument),
                            "tl." + function.str() + " takes no `" + name.str() +
                                "` any more, and here it stands without its name",
                            "name it: " + name.str() + "=...");
    changes.edits.push_back({{argument->range.begin, argument->range.begin}, name.str() + "="});
  }
  note(call, "options by name");
}

void NameChanger::renameDescriptor(const python::Call &call, StringRef function) {
  if (!function.consume_front("_experimental_"))
    return;
  auto *attribute = dyn_cast<python::Attribute>(call.func);
  changes.kinds.insert("descriptors");
  if (function != "make_tensor_descriptor" || !attribute)
    return changes.refuse(text.getLocation(*call.func),
                          "`tl._experimental_" + function.str() +
                              "` is gone since 3.4, and what "
                              "stands for it takes other arguments",
                          "make a descriptor: tl.make_tensor_descriptor(base, shape, strides, "
                          "block_shape)");
  uint32_t begin = attribute->range.end - attribute->attr.size();
  changes.edits.push_back({{begin, attribute->range.end}, function.str()});
  note(call, "descriptors");
}

void NameChanger::changeDeprecated(const python::Call &call, StringRef function) {
  const python::Keyword *tf32 = function == "dot" ? findKeyword(call, "allow_tf32") : nullptr;
  if (!version.deprecated || !tf32)
    return;
  auto *known = dyn_cast<python::Constant>(tf32->value);
  std::string precision =
      known && known->type == python::ConstantType::True    ? "\"tf32\""
      : known && known->type == python::ConstantType::False ? "\"ieee\""
      : known                                               ? ""
              : "\"tf32\" if " + text.getText(*tf32->value).str() + " else \"ieee\"";
  if (precision.empty() || findKeyword(call, "input_precision"))
    return changes.refuse(text.getLocation(*tf32), "`allow_tf32` is neither True nor False",
                          "write input_precision=");
  changes.edits.push_back({tf32->range, "input_precision=" + precision});
  note(call, "precision");
}

void NameChanger::visit(const python::Call &call) {
  std::string function = text.names.getLanguageName(*call.func);
  if (function.empty())
    return;
  moveToLibdevice(call, function);
  nameOptions(call, function);
  renameDescriptor(call, function);
  changeDeprecated(call, function);
}

void changeNames(FunctionText &text, const Version &version, Changes &changes) {
  NameChanger changer(text, version, changes);
  for (const python::Call *call : text.getCalls())
    changer.visit(*call);
}

} // namespace nereid::upgrade
