// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stores to the memories of a wrapper's tensors beside the launch that is looked at.
#include "audit/HostMachine.h"

#include "python/machine/Machine.h"

using namespace llvm;

namespace nereid::audit {

/// Something may store to the tensor, or to one of those in a list.
void HostMachine::touch(PyValue value, unsigned depth) {
  constexpr unsigned deepest = 3;
  if (!value || depth > deepest)
    return;
  if (auto *self = dyn_cast<HostTensor>(value))
    memoryUses[self->info->memory].isOther = true;
  else if (std::optional<ArrayRef<PyValue>> items = triton::sequence(value))
    for (PyValue item : *items)
      touch(item, depth + 1);
}

void HostMachine::touchAll(const machine::CallArgs &args) {
  for (PyValue value : args.positional)
    touch(value);
  for (auto [name, value] : args.keywords)
    touch(value);
}

/// What the tensor holds is used.
void HostMachine::noteRead(PyValue value) {
  if (auto *self = dyn_cast_if_present<HostTensor>(value))
    memoryUses[self->info->memory].isRead = true;
  else if (std::optional<ArrayRef<PyValue>> items = value ? triton::sequence(value) : std::nullopt)
    for (PyValue item : *items)
      noteRead(item);
}

void HostMachine::noteRead(const machine::CallArgs &args) {
  for (PyValue value : args.positional)
    noteRead(value);
  for (auto [name, value] : args.keywords)
    noteRead(value);
}

/// Functions and methods whose result may leave some of the elements out.
static bool showsPart(StringRef name) {
  static constexpr StringLiteral names[] = {
      "chunk",    "split",     "unbind",       "narrow",        "select",        "as_strided",
      "expand",   "expand_as", "index_select", "data_ptr",      "numpy",         "unfold",
      "diagonal", "view_as",   "tensor_split", "masked_select", "masked_fill",   "where",
      "tril",     "triu",      "gather",       "take",          "take_along_dim"};
  return is_contained(names, name);
}

/// Functions and methods that make nothing of what a tensor holds, or the same once more: who is
/// given that in its place is counted for it.
static bool asksOfShape(StringRef name) {
  static constexpr StringLiteral names[] = {"size",
                                            "stride",
                                            "numel",
                                            "nelement",
                                            "dim",
                                            "ndimension",
                                            "element_size",
                                            "view",
                                            "reshape",
                                            "flatten",
                                            "ravel",
                                            "transpose",
                                            "permute",
                                            "t",
                                            "swapaxes",
                                            "swapdims",
                                            "contiguous",
                                            "detach",
                                            "to",
                                            "float",
                                            "half",
                                            "bfloat16",
                                            "double",
                                            "cuda",
                                            "squeeze",
                                            "unsqueeze",
                                            "is_contiguous",
                                            "type",
                                            "new_empty",
                                            "new_zeros",
                                            "new_ones",
                                            "new_full",
                                            "get_device",
                                            "is_tensor",
                                            "_check",
                                            "_assert",
                                            "view_as",
                                            "reshape_as",
                                            "is_floating_point",
                                            "requires_grad_"};
  return is_contained(names, name) || name.ends_with("_like");
}

/// Functions of PyTorch read what they are given, but for `out=` and those whose names say so; of
/// others nothing is known.
void HostMachine::touchByCall(StringRef callee, const machine::CallArgs &args) {
  bool isTorchs = callee.starts_with("torch.") && !callee.starts_with("torch.ops") &&
                  !callee.starts_with("torch.distributed") && !callee.ends_with("_");
  if ((!isTorchs && !callee.starts_with("ctx.")) || showsPart(callee.rsplit('.').second))
    return touchAll(args);
  if (isTorchs && !asksOfShape(callee.rsplit('.').second))
    noteRead(args);
  if (PyValue out = args.keyword("out"))
    touch(out);
}

/// Of methods those store that end so, and those may that show a part.
void HostMachine::touchByMethod(HostTensor &self, StringRef name, const machine::CallArgs &args) {
  bool isMark = name == "requires_grad_" || name == "mark";
  if ((name.ends_with("_") && !isMark) || showsPart(name))
    touch(&self);
  if (!asksOfShape(name))
    noteRead(&self);
  noteRead(args);
}

void HostMachine::noteLaunched(PyValue value) {
  value = triton::plain(value);
  if (auto *self = dyn_cast<HostTensor>(value))
    ++memoryUses[self->info->memory].launches;
  else if (std::optional<ArrayRef<PyValue>> items = triton::sequence(value))
    for (PyValue item : *items)
      touch(item);
}

} // namespace nereid::audit
