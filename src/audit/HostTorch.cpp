// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What wrappers call of PyTorch: functions that make tensors, attributes and methods of tensors.
#include "audit/HostMachine.h"

#include "python/machine/Machine.h"

using namespace llvm;
using nereid::machine::Answer;

namespace nereid::audit {

PyValue HostMachine::makeLike(TensorInfo &info, const machine::CallArgs &args, StringRef name) {
  TensorInfo *made = makeInfo(name + "(" + info.name + ")");
  made->hasRank = info.hasRank;
  made->sizes = info.sizes;
  made->strides.resize(info.sizes.size());
  made->alike = &info;
  made->isFresh = true;
  PyValue dtype = args.keyword("dtype");
  made->element = dtype ? elementOf(dtype) : info.element;
  made->isBlank = name == "empty_like";
  if (PyValue format = args.keyword("memory_format"))
    made->isContiguous = describe(format).ends_with("contiguous_format");
  return tensor(made);
}

PyValue HostMachine::makeNew(ArrayRef<PyValue> args, const machine::CallArgs &call,
                             StringRef name) {
  SmallVector<PyValue> given(args);
  if (PyValue named = call.keyword("size"))
    given = {named};
  std::optional<SmallVector<index::Expr>> sizes = readSizes(given);
  if (!sizes)
    return unknown(name + "(...)");
  TensorInfo *made = makeInfo(name + "(...)");
  made->hasRank = true;
  made->sizes = *sizes;
  made->strides.resize(sizes->size());
  made->isContiguous = made->isFresh = true;
  made->element = elementOf(call.keyword("dtype"));
  made->isBlank = name.contains("empty");
  return tensor(made);
}

/// `torch.empty_strided(sizes, strides)`.
PyValue HostMachine::makeStrided(PyValue sizes, PyValue strides, const machine::CallArgs &args) {
  PyValue made = makeNew({sizes}, args, "empty_strided");
  auto *tensor = dyn_cast<HostTensor>(made);
  std::optional<SmallVector<index::Expr>> steps = readSizes({strides});
  if (!tensor || !steps || steps->size() != tensor->info->sizes.size())
    return unknown("torch.empty_strided(...)");
  tensor->info->isContiguous = false;
  // Strides of other tensors lie as those do.
  tensor->info->isLaidOut = all_of(*steps, [](index::Expr step) {
    bool isOfSizes = true;
    index::forEachSymbol(step, [&](index::Expr symbol) {
      isOfSizes &= symbol.getName().contains(".shape[") || symbol.getName().ends_with(".numel()");
    });
    return isOfSizes;
  });
  tensor->info->strides = *steps;
  return made;
}

/// On the path that goes on it holds.
Answer HostMachine::assertTrue(PyValue condition) {
  machine::Truth holds = machine.truth(condition);
  if (holds == machine::Truth::Failed)
    return nullptr;
  return holds == machine::Truth::True ? machine.none()
                                       : machine.raise("AssertionError", "a check fails");
}

Answer HostMachine::callTorch(StringRef path, const machine::CallArgs &args) {
  auto [module, name] = path.rsplit('.');
  ArrayRef<PyValue> positional = args.positional;
  if (is_contained({"wrap_triton", "capture_triton"}, name) && positional.size() == 1)
    return positional.front();
  auto *first = positional.empty() ? nullptr : dyn_cast<HostTensor>(positional.front());
  if (path == "torch.nn.functional.pad" && first && first->state == HostTensor::Tensor &&
      positional.size() > 1)
    return padded(*first->info, positional[1]);
  if (module != "torch")
    return std::nullopt;
  static constexpr StringLiteral makers[] = {"empty", "zeros", "ones", "rand", "randn"};
  if (is_contained(makers, name))
    return makeNew(positional, args, name);
  if (name == "empty_strided" && positional.size() >= 2)
    return makeStrided(positional[0], positional[1], args);
  if (name == "full" && !positional.empty())
    return makeNew(positional.take_front(1), args, name);
  if (name.ends_with("_like") && !positional.empty())
    if (auto *self = dyn_cast<HostTensor>(positional.front());
        self && self->state != HostTensor::Number) {
      self->state = HostTensor::Tensor;
      return makeLike(*self->info, args, name);
    }
  if ((name == "_check" || name == "_assert") && !positional.empty())
    return assertTrue(positional.front());
  if (name == "Size" && positional.size() == 1)
    return positional.front();
  if (name == "is_tensor" && positional.size() == 1)
    return machine.makeBool(isa<HostTensor>(positional.front()));
  if ((name == "cat" || name == "concat" || name == "stack") && !positional.empty())
    return joined(positional.front(), positional.size() > 1 ? positional[1] : args.keyword("dim"),
                  name == "stack");
  if (name == "arange" && !positional.empty() && positional.size() < 3)
    return makeRange(positional, args);
  // x.view, as a function.
  static constexpr StringLiteral views[] = {"reshape", "flatten", "transpose", "permute",
                                            "numel",   "t",       "clone"};
  auto *self = positional.empty() ? nullptr : dyn_cast<HostTensor>(positional.front());
  bool isMethod = is_contained(views, name) || isViewOrMade(name);
  if (!self || !isMethod || self->state == HostTensor::Number)
    return std::nullopt;
  self->state = HostTensor::Tensor;
  return tensorMethod(*self, name, machine::CallArgs{positional.drop_front(), args.keywords});
}

PyValue HostMachine::tensorAttribute(HostTensor &self, StringRef name) {
  if (self.state == HostTensor::Number)
    return unknown(self.info->name + "." + name);
  self.state = HostTensor::Tensor;
  TensorInfo &info = *self.info;
  if (name == "shape")
    return shapeOf(info);
  if (name == "ndim")
    return askRank(info) ? machine.makeInt(int64_t(info.sizes.size())) : nullptr;
  if (name == "is_cuda" || name == "is_xpu")
    return machine.makeBool(name == "is_cuda");
  if (name == "mT")
    return transposed(info, "transpose", {machine.makeInt(-2), machine.makeInt(-1)});
  if (name == "T") {
    askRank(info);
    SmallVector<int64_t> order;
    for (size_t axis = info.sizes.size(); axis-- > 0;)
      order.push_back(axis);
    return permute(info, order);
  }
  if (name == "data")
    return &self;
  static constexpr StringLiteral plain[] = {"dtype",  "device",    "requires_grad", "grad",
                                            "layout", "is_sparse", "grad_fn",       "itemsize",
                                            "dtype_", "nbytes"};
  if (is_contained(plain, name))
    return unknown(info.name + "." + name);
  return machine.make<MethodValue>(*this, methodClass, &self, machine.save(name));
}

std::optional<int64_t> bytesOf(StringRef element) {
  constexpr unsigned bitsOfByte = 8;
  unsigned bits = 0;
  if (element == "i1" || element.starts_with("fp8"))
    return 1;
  if (element.ltrim("abcdefghijklmnopqrstuvwxyz").getAsInteger(10, bits))
    return std::nullopt;
  return bits / bitsOfByte;
}

PyValue HostMachine::queryMethod(TensorInfo &info, StringRef name, const machine::CallArgs &args) {
  if (name == "numel" || name == "nelement")
    return size(countOf(info));
  if (name == "element_size")
    if (std::optional<int64_t> bytes = bytesOf(info.element))
      return machine.makeInt(*bytes);
  if (name == "dim" || name == "ndimension")
    return askRank(info) ? machine.makeInt(int64_t(info.sizes.size())) : nullptr;
  if (name == "size" || name == "stride") {
    PyValue given = args.positional.empty() ? args.keyword("dim") : args.positional.front();
    if (given) {
      std::optional<size_t> axis = axisOf(info, given);
      if (!axis)
        return machine.pending() ? nullptr : unknown(info.name + "." + name + "(...)");
      return size(name == "size" ? info.sizes[*axis] : strideOf(info, *axis));
    }
    if (name == "size")
      return shapeOf(info);
    askRank(info);
    SmallVector<PyValue> items;
    for (size_t axis = 0; axis < info.sizes.size(); ++axis)
      items.push_back(size(strideOf(info, axis)));
    return machine.makeTuple(items);
  }
  if (name != "is_contiguous")
    return nullptr;
  if (info.isContiguous)
    return machine.makeBool(true);
  TensorInfo *asked = &info;
  return condition({}, info.name + " is contiguous", [this, asked](bool holds) {
    asked->isStrided |= !holds;
    if (!holds || asked->isContiguous)
      return;
    SmallVector<index::Expr> known(asked->strides);
    asked->isContiguous = true;
    for (auto [axis, stride] : enumerate(known))
      if (stride && stride.isSymbol())
        replacements[stride] = strideOf(*asked, axis);
  });
}

/// `transpose(a, b)`, `permute(...)` or `t()`.
PyValue HostMachine::transposed(TensorInfo &info, StringRef name, ArrayRef<PyValue> given) {
  askRank(info);
  SmallVector<PyValue> items(given);
  if (given.size() == 1)
    if (std::optional<ArrayRef<PyValue>> list = triton::sequence(given.front()))
      items.assign(list->begin(), list->end());
  SmallVector<int64_t> axes, order;
  for (PyValue item : items) {
    index::Expr number = asNumber(item);
    if (!number || !number.isConstant())
      return unknown(info.name + "." + name + "(...)");
    axes.push_back(*number.getConstant());
  }
  if (name == "permute")
    return permute(info, axes);
  int64_t rank = info.sizes.size();
  if (name == "t")
    axes = rank == 2 ? SmallVector<int64_t>{0, 1} : SmallVector<int64_t>{0, 0};
  if (axes.size() != 2)
    return unknown(info.name + ".transpose(...)");
  for (int64_t axis = 0; axis < rank; ++axis)
    order.push_back(axis);
  for (int64_t &axis : axes)
    axis += axis < 0 ? rank : 0;
  if (axes[0] < 0 || axes[1] < 0 || axes[0] >= rank || axes[1] >= rank)
    return machine.raise("IndexError", "dimension out of range");
  std::swap(order[axes[0]], order[axes[1]]);
  return permute(info, order);
}

/// Methods whose result shows or copies the tensor; null without an error for others.
PyValue HostMachine::viewMethod(TensorInfo &info, StringRef name, const machine::CallArgs &args) {
  ArrayRef<PyValue> given = args.positional;
  if (name == "view" || name == "reshape")
    return given.empty()                               ? unknown(info.name + ".view(...)")
           : isa<machine::OpaqueObject>(given.front()) ? retyped(info, given.front())
                                                       : reshape(info, given, name == "reshape");
  if ((name == "flatten" && given.empty()) || name == "ravel")
    return reshape(info, {machine.makeInt(int64_t(-1))}, true);
  if (is_contained({"transpose", "permute", "t", "swapaxes", "swapdims"}, name))
    return transposed(info, name, given);
  if (name == "contiguous") {
    if (info.isContiguous)
      return tensor(&info);
    PyValue made = makeLike(info, machine::CallArgs(), name);
    auto *copy = cast<HostTensor>(made)->info;
    copy->isContiguous = true;
    // The tensor itself, where it is contiguous.
    copy->memory = info.memory;
    copy->isFresh = info.isFresh;
    copy->isPart = info.isPart;
    return made;
  }
  static constexpr StringLiteral same[] = {"detach", "requires_grad_", "zero_", "fill_",
                                           "cuda",   "copy_",          "data_", "mark"};
  if (is_contained(same, name))
    return tensor(&info);
  static constexpr StringLiteral copies[] = {"to",   "float", "half", "bfloat16", "clone",
                                             "long", "int",   "bool", "double",   "type"};
  if (!is_contained(copies, name))
    return nullptr;
  PyValue made = makeLike(info, args, name);
  // Where nothing has to change the result is the tensor itself.
  if (name != "clone") {
    cast<HostTensor>(made)->info->memory = info.memory;
    cast<HostTensor>(made)->info->isPart = info.isPart;
  }
  std::string &element = cast<HostTensor>(made)->info->element;
  if (StringRef type = getElementType(name); !type.empty())
    element = type.str();
  for (PyValue arg : given)
    if (std::string type = elementOf(arg); !type.empty())
      element = type;
  return made;
}

PyValue HostMachine::tensorMethod(HostTensor &self, StringRef name, const machine::CallArgs &args) {
  TensorInfo &info = *self.info;
  touchByMethod(self, name, args);
  if (PyValue result = queryMethod(info, name, args); result || machine.pending())
    return result;
  for (auto method : {&HostMachine::viewMethod, &HostMachine::cutMethod, &HostMachine::madeMethod})
    if (PyValue result = (this->*method)(info, name, args); result || machine.pending())
      return result;
  // Of the same type, if nothing else is said.
  auto asIn = [&](PyValue made) {
    auto *tensor = dyn_cast_if_present<HostTensor>(made);
    if (tensor && !args.keyword("dtype"))
      tensor->info->element = info.element;
    return made;
  };
  if (name == "new_empty" || name == "new_zeros" || name == "new_ones")
    return asIn(makeNew(args.positional, args, name));
  if (name == "new_full" && !args.positional.empty())
    return asIn(makeNew(args.positional.take_front(1), args, name));
  static constexpr StringLiteral reshaping[] = {
      "resize_",  "resize_as_", "t_",   "transpose_",  "swapaxes_", "swapdims_",
      "squeeze_", "unsqueeze_", "set_", "as_strided_", "rename_"};
  if (is_contained(reshaping, name))
    return machine.refuse("'" + info.name + "." + name + "(...)' gives the tensor another shape");
  return unknown(info.name + "." + name + "(...)");
}

} // namespace nereid::audit
