// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the constructs of a kernel want their parts to be.
#include "audit/UseFlow.h"

#include "frontend/triton/Types.h"
#include "python/AstVisit.h"

using namespace llvm;

namespace nereid::audit {

/// The pointer x whose elements' dtype this is, `x.dtype.element_ty`; null for others.
static const python::Name *findPointer(const python::Expr &expr) {
  auto *element = dyn_cast<python::Attribute>(&expr);
  auto *type = element && element->attr == "element_ty"
                   ? dyn_cast<python::Attribute>(element->value)
                   : nullptr;
  bool isType = type && (type->attr == "dtype" || type->attr == "type");
  return isType ? dyn_cast<python::Name>(type->value) : nullptr;
}

void UseFlow::findCallees() {
  auto visit = [&](auto &self, const python::Node &node) -> void {
    if (isa<python::Name, python::Attribute>(node))
      if (triton::JitFunction *callee = all.getCallee(uses, cast<python::Expr>(node)))
        uses.callees.insert(callee);
    python::forEachChild(node, [&](const python::Node &child) { self(self, child); });
  };
  for (const python::Stmt *stmt : uses.function->def->body)
    visit(visit, *stmt);
}

bool UseFlow::run() {
  changed = false;
  for (const python::Stmt *stmt : uses.function->def->body)
    visit(*stmt);
  return changed;
}

void UseFlow::visit(const python::Node &node) {
  auto *calledMethod = dyn_cast<python::Call>(&node);
  auto *method = calledMethod ? dyn_cast<python::Attribute>(calledMethod->func) : nullptr;
  if (auto *call = dyn_cast<python::Call>(&node))
    visitCall(*call);
  else if (auto *binary = dyn_cast<python::BinOp>(&node))
    visitBinary(*binary);
  else if (auto *compare = dyn_cast<python::Compare>(&node))
    visitCompare(*compare);
  else if (auto *branch = dyn_cast<python::If>(&node))
    want(*branch->test, Want::Condition);
  else if (auto *choice = dyn_cast<python::IfExp>(&node))
    want(*choice->test, Want::Condition);
  else if (auto *unary = dyn_cast<python::UnaryOp>(&node);
           unary && unary->op == python::UnaryOperator::Not)
    want(*unary->operand, Want::Condition);
  else if (auto *inverted = dyn_cast<python::UnaryOp>(&node);
           inverted && inverted->op == python::UnaryOperator::Invert)
    want(*inverted->operand, Want::Integer);
  else if (auto *boolean = dyn_cast<python::BoolOp>(&node))
    for (const python::Expr *value : boolean->values)
      want(*value, Want::Condition);
  else if (auto *assign = dyn_cast<python::AugAssign>(&node)) {
    if (isAddress(*assign->target) == Likely::Yes)
      want(*assign->value, Want::Integer);
    else if (isFloat(*assign->target) && isa<python::Name>(assign->value))
      want(*assign->value, Want::Float);
    else if (auto *product = dyn_cast<python::Call>(assign->value);
             product && getLastName(*product->func) == "dot" && isInteger(*assign->target))
      for (const python::Expr *operand : product->args.take_front(2))
        want(*operand, Want::Byte);
  } else if (auto *simple = dyn_cast<python::Assign>(&node)) {
    visitAssign(*simple);
  } else if (auto *subscript = dyn_cast<python::Subscript>(&node)) {
    visitSubscript(*subscript);
  } else if (auto *shape = dyn_cast<python::Attribute>(&node);
             shape && shape->attr == "shape" && isa<python::Name>(shape->value)) {
    if (ParameterUse *tile = uses.find(cast<python::Name>(shape->value)->id))
      noteTile(*tile, 1);
  } else if (auto *pointee = dyn_cast<python::Attribute>(&node);
             pointee && pointee->attr == "element_ty") {
    if (const python::Name *pointer = findPointer(*pointee))
      want(*pointer, Want::Address);
  } else if (auto *asked = dyn_cast<python::Attribute>(&node); asked && isOfDtype(asked->attr)) {
    want(*asked->value, Want::Dtype);
  } else if (auto *field = dyn_cast<python::Attribute>(&node)) {
    (void)findUse(*field);
  }
  python::forEachChild(node, [&](const python::Node &child) {
    // The name of a method is no field.
    if (&child == method && !isOfDtype(method->attr))
      visit(*method->value);
    else if (!isa<python::FunctionDef, python::Lambda>(child))
      visit(child);
  });
}

void UseFlow::visitCall(const python::Call &call) {
  StringRef name = getLastName(*call.func);
  visitClass(call);
  if (triton::JitFunction *callee = all.getCallee(uses, *call.func))
    return visitJit(call, *callee);
  if (auto *simple = dyn_cast<python::Name>(call.func)) {
    if (ParameterUse *use = uses.find(simple->id))
      return set(use->isCalled);
    auto *measured = call.args.size() == 1 ? dyn_cast<python::Name>(call.args.front()) : nullptr;
    if (ParameterUse *use = measured && name == "len" ? uses.find(measured->id) : nullptr)
      return set(use->isTuple);
  }
  if (!isa<python::Name, python::Attribute>(call.func)) // `functions[0](x)`
    return;
  if (!isLanguage(*call.func))
    return visitMethod(call, name);
  visitMemory(call, name);
  visitLanguage(call, name);
}

void UseFlow::visitMemory(const python::Call &call, StringRef name) {
  if (name == "make_block_ptr" || name == "make_tensor_descriptor") {
    if (const python::Expr *base = getArgument(call, 0, "base"))
      want(*base, Want::Address);
    bool isBlock = name == "make_block_ptr";
    unsigned index = 0;
    for (StringRef part : {"shape", "strides", "offsets"})
      if (const python::Expr *values = getArgument(call, ++index, part))
        if (isBlock || part != "offsets")
          want(*values, Want::Integer);
    if (const python::Expr *block = getArgument(call, isBlock ? 4 : 3, "block_shape"))
      wantAll(*block, Want::Size);
    return;
  }
  if (name == "advance") {
    if (const python::Expr *offsets = getArgument(call, 1, "offsets"))
      want(*offsets, Want::Integer);
    return;
  }
  if (name.contains("descriptor")) {
    const python::Expr *descriptor = getArgument(call, 0, "desc");
    if (!descriptor)
      return;
    want(*descriptor, Want::Descriptor);
    if (name == "load_tensor_descriptor" || name == "store_tensor_descriptor")
      noteRank(*descriptor, getArgument(call, 1, "offsets"));
    return;
  }
  if (name != "load" && name != "store" && !name.starts_with("atomic_"))
    return;
  if (name == "load" || name == "store")
    if (const python::Expr *mask = getArgument(call, name == "load" ? 1 : 2, "mask"))
      want(*mask, Want::Bit);
  constexpr unsigned keywordOnly = ~0u;
  for (StringRef option : {"cache_modifier", "eviction_policy", "sem", "scope"})
    if (const python::Expr *text = getArgument(call, keywordOnly, option))
      want(*text, Want::Text);
  if (const python::Expr *pointer = getArgument(call, 0, "pointer")) {
    want(*pointer, Want::Address);
    if (is_contained({"atomic_and", "atomic_or", "atomic_xor", "atomic_cas"}, name))
      want(*pointer, Want::PointerToIntegers);
  }
}

void UseFlow::visitLanguage(const python::Call &call, StringRef name) {
  auto wantArguments = [&](Want what, bool deeply) {
    for (const python::Expr *argument : call.args)
      deeply ? wantAll(*argument, what) : want(*argument, what);
    for (const python::Keyword *keyword : call.keywords)
      if (is_contained({"start", "end", "step", "arg1", "arg2"}, keyword->arg))
        deeply ? wantAll(*keyword->value, what) : want(*keyword->value, what);
  };
  auto wantArgument = [&](unsigned index, StringRef keyword, Want what) {
    if (const python::Expr *argument = getArgument(call, index, keyword))
      what == Want::Size ? wantAll(*argument, what) : want(*argument, what);
  };
  constexpr unsigned keywordOnly = ~0u;
  if (name == "arange") {
    wantArguments(Want::Size, true);
  } else if (name == "static_range") {
    wantArguments(Want::Count, true);
  } else if (name == "range" || name == "cdiv") {
    wantArguments(Want::Integer, false);
  } else if (name == "zeros" || name == "full") {
    wantArgument(0, "shape", Want::Size);
    wantArgument(name == "zeros" ? 1 : 2, "dtype", Want::Dtype);
  } else if (name == "cast") {
    wantArgument(1, "dtype", Want::Dtype);
  } else if (is_contained({"reshape", "view", "broadcast_to"}, name)) {
    for (const python::Expr *argument : call.args.drop_front(call.args.empty() ? 0 : 1))
      wantAll(*argument, Want::Size);
  } else if (name == "program_id" || name == "num_programs") {
    wantArgument(0, "axis", Want::Axis);
  } else if (is_contained({"sum", "max", "min", "argmax", "argmin", "cumsum", "cumprod",
                           "expand_dims", "softmax", "reduce", "associative_scan", "xor_sum",
                           "flip", "sort"},
                          name)) {
    wantArgument(1, "axis", Want::Axis);
  } else if (is_contained({"exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sigmoid", "sin", "cos",
                           "erf", "tanh"},
                          name)) {
    wantArgument(0, "x", Want::Float);
  } else if (name == "device_assert") {
    wantArgument(1, "msg", Want::Text);
  } else if (name == "inline_asm_elementwise") {
    auto *args = dyn_cast_if_present<python::Name>(getArgument(call, 2, "args"));
    if (ParameterUse *use = args ? uses.find(args->id) : nullptr)
      set(use->isTuple);
  } else if (name == "dot_scaled") {
    static constexpr std::pair<unsigned, StringLiteral> bytes[] = {
        {0, "lhs"}, {1, "lhs_scale"}, {3, "rhs"}, {4, "rhs_scale"}};
    for (auto [index, keyword] : bytes)
      wantArgument(index, keyword, Want::Byte);
  } else if (name == "dot") {
    auto *precision = dyn_cast_if_present<python::Name>(getArgument(call, 3, "input_precision"));
    if (ParameterUse *use = precision ? uses.find(precision->id) : nullptr)
      changed |= use->compared.insert("'ieee'").second;
    wantArgument(keywordOnly, "out_dtype", Want::Dtype);
    // What is summed as integers is a product of those of 8 bits.
    const python::Expr *acc = getArgument(call, 2, "acc");
    const python::Expr *type = getArgument(call, keywordOnly, "out_dtype");
    if ((acc && isInteger(*acc)) || (type && uses.function->file->getText(*type).contains("int32")))
      for (unsigned index : {0, 1})
        wantArgument(index, index ? "other" : "input", Want::Byte);
  }
  for (StringRef hint : {"num_stages", "loop_unroll_factor"})
    wantArgument(keywordOnly, hint, Want::Axis);
}

/// `x.load([i, j])`: a parameter of this name, or that such a name stands for, is a descriptor of
/// blocks of so many axes.
void UseFlow::noteRank(const python::Expr &descriptor, const python::Expr *offsets,
                       unsigned depth) {
  unsigned rank = 0;
  if (auto *list = dyn_cast_if_present<python::List>(offsets))
    rank = list->elts.size();
  else if (auto *tuple = dyn_cast_if_present<python::Tuple>(offsets))
    rank = tuple->elts.size();
  constexpr unsigned deepest = 4;
  ParameterUse *use = findUse(descriptor);
  auto *name = dyn_cast<python::Name>(&descriptor);
  if (!use && name && depth < deepest)
    for (const Definition &definition : uses.definitions.lookup(name->id))
      if (definition.item < 0 && !definition.isLoopIndex)
        noteRank(*definition.value, offsets, depth + 1);
  if (!use || use->descriptorRank >= rank)
    return;
  use->descriptorRank = rank;
  changed = true;
}

void UseFlow::visitMethod(const python::Call &call, StringRef name) {
  const python::Expr &self = *cast<python::Attribute>(call.func)->value;
  if (name == "to" || name == "cast") {
    const python::Expr *type = getArgument(call, 0, "dtype");
    if (!type)
      return;
    want(*type, Want::Dtype);
    StringRef text = uses.function->file->getText(*type);
    if (text.contains("pointer_type"))
      want(self, Want::Address);
    else if (getArgument(call, ~0u, "bitcast") &&
             (text.ends_with("int8") || text.contains(".float8")))
      want(self, Want::Byte);
  } else if (name == "load" || name == "store" || name == "gather" || name == "scatter") {
    if (isa<python::Name>(self) || findUse(self)) {
      want(self, Want::Descriptor);
      noteRank(self, getArgument(call, 0, "offsets"));
    }
    if (!call.args.empty())
      want(*call.args[0], Want::Integer);
  } else if (name == "reshape" || name == "view" || name == "broadcast_to") {
    for (const python::Expr *argument : call.args)
      wantAll(*argument, Want::Size);
  } else if (name == "sum" || name == "max" || name == "min") {
    if (const python::Expr *axis = getArgument(call, 0, "axis"))
      want(*axis, Want::Axis);
  }
}

/// What a callee does with a parameter, as what it wants of the argument.
static void forEachWant(const ParameterUse &use, llvm::function_ref<void(Want)> visit) {
  if (use.isPointer) {
    visit(use.pointee == Pointee::Integer   ? Want::PointerToIntegers
          : use.pointee == Pointee::Bit     ? Want::PointerToBits
          : use.pointee == Pointee::Byte    ? Want::PointerToBytes
          : use.pointee == Pointee::Address ? Want::PointerToAddresses
                                            : Want::Address);
    visit(Want::Address);
  }
  const std::pair<bool, Want> wants[] = {{use.isInteger && !use.isPointer, Want::Integer},
                                         {use.isFloat, Want::Float},
                                         {use.isCondition, Want::Condition},
                                         {use.isBit, Want::Bit},
                                         {use.isDtype, Want::Dtype},
                                         {use.isNarrow, Want::NarrowDtype},
                                         {use.isIntegers, Want::IntegerDtype},
                                         {use.isDescriptor, Want::Descriptor},
                                         {use.isSize, Want::Size},
                                         {use.isAxis, Want::Axis},
                                         {use.isCount, Want::Count},
                                         {use.isText, Want::Text}};
  for (auto [has, what] : wants)
    if (has)
      visit(what);
}

/// A tuple that is passed on whole is what the callee makes of it.
void UseFlow::merge(ParameterUse &to, const ParameterUse &from, const python::Node &place) {
  set(to.isTuple);
  auto add = [&](ParameterUse &own, const ParameterUse &item) {
    forEachWant(item, [&](Want what) { note(own, what, place); });
    noteCompared(own, item);
    if (item.descriptorRank > own.descriptorRank) {
      own.descriptorRank = item.descriptorRank;
      changed = true;
    }
    if (item.isTuple)
      merge(own, item, place);
  };
  for (auto [number, item] : enumerate(from.items))
    add(number < from.names.size() ? fieldOf(to, from.names[number]) : itemOf(to, number), item);
  for (const ParameterUse &item : from.each)
    add(eachOf(to), item);
}

void UseFlow::pass(const python::Expr &argument, const ParameterUse &use) {
  if (auto *tuple = dyn_cast<python::Tuple>(&argument); tuple && use.isTuple) {
    for (auto [number, item] : enumerate(tuple->elts))
      pass(*item, use.getItem(number));
    return;
  }
  forEachWant(use, [&](Want what) { want(argument, what); });
  auto *name = dyn_cast<python::Name>(&argument);
  ParameterUse *own = name ? uses.find(name->id) : nullptr;
  if (own && use.descriptorRank > 0 && own->descriptorRank == 0) {
    own->descriptorRank = use.descriptorRank;
    changed = true;
  }
  if (own && use.isTuple)
    merge(*own, use, argument);
  if (own && own->isConstexpr)
    noteCompared(*own, use);
}

/// What a callee compares its parameter with, the argument may be.
void UseFlow::noteCompared(ParameterUse &own, const ParameterUse &use) {
  for (const std::string &value : use.compared) {
    bool isText = value.front() == '\'' || value.front() == '"';
    changed |= (isText ? own.compared : own.comparedWithin).insert(value).second;
  }
  for (const std::string &value : use.comparedWithin)
    changed |= own.comparedWithin.insert(value).second;
}

/// `Tile(x, stride)`: the fields of an aggregate are wanted as what its methods do with them.
void UseFlow::visitClass(const python::Call &call) {
  ArrayRef<std::string> fields = all.getFields(uses, *call.func);
  if (fields.empty())
    return;
  std::vector<std::pair<std::string, ParameterUse>> wanted;
  for (FunctionUses *method : all.getMethods(uses, *call.func))
    for (const std::string &field : fields)
      if (!method->parameters.empty())
        wanted.push_back({field, method->parameters.front().second.getField(field)});
  for (auto &[field, use] : wanted) {
    unsigned place = find(fields, field) - fields.begin();
    if (const python::Expr *argument = getArgument(call, place, field))
      pass(*argument, use);
  }
}

/// `tile.base` where `tile = Tile(x, stride)`: what is wanted of it is wanted of x.
void UseFlow::wantField(const python::Attribute &field, Want what) {
  auto *name = dyn_cast<python::Name>(field.value);
  auto found = name ? uses.definitions.find(name->id) : uses.definitions.end();
  if (found == uses.definitions.end())
    return;
  for (const Definition &definition : found->second) {
    auto *call = dyn_cast<python::Call>(definition.value);
    if (!call || definition.item >= 0 || definition.isLoopIndex)
      continue;
    ArrayRef<std::string> fields = all.getFields(uses, *call->func);
    unsigned place = find(fields, field.attr) - fields.begin();
    if (place < fields.size())
      if (const python::Expr *argument = getArgument(*call, place, field.attr))
        want(*argument, what);
  }
}

/// Arguments are wanted as what the callee does with its parameters.
void UseFlow::visitJit(const python::Call &call, triton::JitFunction &callee) {
  FunctionUses *called = all.find(&callee);
  if (!called)
    return;
  for (auto [argument, parameter] : zip(call.args, called->parameters)) {
    if (isa<python::Starred>(argument))
      break;
    pass(*argument, parameter.second);
  }
  for (const python::Keyword *keyword : call.keywords)
    if (ParameterUse *use = called->find(keyword->arg))
      pass(*keyword->value, *use);
}

void UseFlow::visitBinary(const python::BinOp &node) {
  using Op = python::BinaryOperator;
  switch (node.op) {
  case Op::FloorDiv:
  case Op::Mod:
  case Op::LShift:
  case Op::RShift:
  case Op::BitAnd:
  case Op::BitOr:
  case Op::BitXor:
    want(*node.left, Want::Integer);
    want(*node.right, Want::Integer);
    return;
  default:
    break;
  }
  // A parameter beside integers is one, beside floats a float.
  for (auto [one, other] : {std::pair(node.left, node.right), std::pair(node.right, node.left)}) {
    ParameterUse *use = findUse(*one);
    if (!use || use->isPointer)
      continue;
    if (isFloat(*other))
      note(*use, Want::Float, *one);
    else if (node.op == Op::Mult && isInteger(*other) && !isa<python::Constant>(other))
      note(*use, Want::Integer, *one);
  }
}

void UseFlow::noteTile(ParameterUse &use, unsigned rank) {
  changed |= rank > use.tileRank;
  use.tileRank = std::max(use.tileRank, rank);
}

/// `a, b = x` takes a tuple apart.
void UseFlow::visitAssign(const python::Assign &node) {
  ParameterUse *use = findUse(*node.value);
  for (const python::Expr *target : node.targets)
    if (auto *targets = dyn_cast<python::Tuple>(target); use && targets && !targets->elts.empty())
      itemOf(*use, targets->elts.size() - 1);
}

/// What is given new axes is a tile: `x[:, None]`. What is indexed by a number is a tuple.
void UseFlow::visitSubscript(const python::Subscript &node) {
  if (findUse(node))
    return;
  // `x.shape[1]`
  auto *shape = dyn_cast<python::Attribute>(node.value);
  auto *number = dyn_cast<python::Constant>(node.slice);
  auto *tile = shape && shape->attr == "shape" ? dyn_cast<python::Name>(shape->value) : nullptr;
  ParameterUse *asked = tile ? uses.find(tile->id) : nullptr;
  if (std::optional<int64_t> axis =
          asked && number && number->isInt() ? number->getInt64() : std::nullopt)
    noteTile(*asked, *axis + 1);
  auto *name = dyn_cast<python::Name>(node.value);
  auto *axes = dyn_cast<python::Tuple>(node.slice);
  ParameterUse *use = name && axes ? uses.find(name->id) : nullptr;
  if (!use)
    return;
  unsigned rank =
      count_if(axes->elts, [](const python::Expr *axis) { return isa<python::Slice>(axis); });
  noteTile(*use, rank);
}

/// The parameter that an expression asks the type of: x of `x.dtype`.
ParameterUse *UseFlow::findTyped(const python::Expr &expr) {
  auto *attribute = dyn_cast<python::Attribute>(&expr);
  bool isType = attribute && (attribute->attr == "dtype" || attribute->attr == "type");
  return isType ? findUse(*attribute->value) : nullptr;
}

/// `x.type == y.type`: if one is a pointer, so is the other.
void UseFlow::noteAlike(const python::Expr &one, const python::Expr &other) {
  ParameterUse *left = findTyped(one), *right = findTyped(other);
  if (left && right && right->isPointer)
    note(*left, Want::Address, one);
}

/// Of a dtype, `x.dtype.element_ty` or a name of it, the parameter that points at such elements;
/// null for others.
ParameterUse *UseFlow::findPointing(const python::Expr &type) {
  const python::Expr *expr = &type;
  if (auto *name = dyn_cast<python::Name>(expr)) {
    auto found = uses.definitions.find(name->id);
    if (found == uses.definitions.end() || found->second.size() != 1)
      return nullptr;
    expr = found->second.front().value;
  }
  const python::Name *pointer = expr ? findPointer(*expr) : nullptr;
  return pointer ? uses.find(pointer->id) : nullptr;
}

void UseFlow::visitCompare(const python::Compare &node) {
  SmallVector<const python::Expr *> sides{node.left};
  sides.append(node.comparators.begin(), node.comparators.end());
  for (auto [index, op] : enumerate(node.ops))
    for (auto [one, other] :
         {std::pair(sides[index], sides[index + 1]), std::pair(sides[index + 1], sides[index])}) {
      auto *constant = dyn_cast<python::Constant>(other);
      ParameterUse *use = findUse(*one);
      noteAlike(*one, *other);
      if (std::optional<triton::DType> type = triton::findDType(getLastName(*other)))
        if (ParameterUse *pointer = isa<python::Attribute>(other) ? findPointing(*one) : nullptr)
          changed |= pointer->pointees.insert(type->signature()).second;
      if (op == python::CompareOperator::Is || op == python::CompareOperator::IsNot) {
        if (use && constant && constant->type == python::ConstantType::None)
          set(use->isOptional);
        continue;
      }
      if (use && constant) {
        StringRef text = uses.function->file->getText(*constant);
        changed |= use->compared.insert(text.str()).second;
        if (!use->place)
          use->place = one;
        if (constant->type == python::ConstantType::Float)
          note(*use, Want::Float, *one);
      } else if (std::string known =
                     use && use->isConstexpr ? all.constantOf(*uses.function, *other) : "";
                 !known.empty()) {
        changed |= use->compared.insert(known).second;
      } else if (isInteger(*other)) {
        want(*one, Want::Integer);
      } else if (use && isFloat(*other)) {
        note(*use, Want::Float, *one);
      }
    }
}

} // namespace nereid::audit
