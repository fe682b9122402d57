// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/HostValues.h"
#include "audit/UseFlow.h"

#include "python/AstVisit.h"

using namespace llvm;

namespace nereid::audit {

using Kind = LaunchArgument::Kind;

StringRef getElementType(StringRef name) {
  static constexpr std::pair<StringLiteral, StringLiteral> types[] = {
      {"float16", "fp16"},      {"half", "fp16"},
      {"bfloat16", "bf16"},     {"float32", "fp32"},
      {"float", "fp32"},        {"float64", "fp64"},
      {"double", "fp64"},       {"int8", "i8"},
      {"int16", "i16"},         {"short", "i16"},
      {"int32", "i32"},         {"int", "i32"},
      {"int64", "i64"},         {"long", "i64"},
      {"uint8", "u8"},          {"uint16", "u16"},
      {"uint32", "u32"},        {"uint64", "u64"},
      {"bool", "i1"},           {"float8_e4m3fn", "fp8e4nv"},
      {"float8_e5m2", "fp8e5"}, {"float8e4nv", "fp8e4nv"},
      {"float8e5", "fp8e5"}};
  for (const auto &[spelling, type] : types)
    if (spelling == name)
      return type;
  return "";
}

HostValues::HostValues(triton::TritonProject &project, const python::ParsedFile &file,
                       const python::FunctionDef *function)
    : project(project), file(file), function(function) {
  if (function)
    for (const python::Stmt *stmt : function->body)
      collect(*stmt);
}

void HostValues::collect(const python::Node &node) {
  auto define = [&](const python::Expr &target, const python::Expr *value) {
    if (auto *name = dyn_cast<python::Name>(&target))
      definitions[name->id].push_back(value);
  };
  auto defineAll = [&](const python::Expr &target, const python::Expr *value) {
    auto *targets = dyn_cast<python::Tuple>(&target);
    auto *values = dyn_cast_if_present<python::Tuple>(value);
    if (!targets)
      return define(target, value);
    bool isPaired = values && values->elts.size() == targets->elts.size();
    for (auto [index, item] : enumerate(targets->elts)) {
      // `M, N = x.shape`: the items are as the items of that are.
      auto *attribute = dyn_cast_if_present<python::Attribute>(value);
      bool isShape = attribute && attribute->attr == "shape";
      define(*item, isPaired ? values->elts[index] : isShape ? value : nullptr);
    }
  };
  if (auto *assign = dyn_cast<python::Assign>(&node)) {
    for (const python::Expr *target : assign->targets)
      defineAll(*target, assign->value);
  } else if (auto *assign = dyn_cast<python::AnnAssign>(&node)) {
    define(*assign->target, assign->value);
  } else if (auto *loop = dyn_cast<python::For>(&node)) {
    defineAll(*loop->target, nullptr);
  }
  python::forEachChild(node, [&](const python::Node &child) {
    if (!isa<python::FunctionDef, python::Lambda, python::ClassDef>(child))
      collect(child);
  });
}

const python::Expr *HostValues::getDefinition(StringRef name) const {
  auto found = definitions.find(name);
  return found != definitions.end() && found->second.size() == 1 ? found->second.front() : nullptr;
}

/// Whether the expression reads no local name, and calls nothing that could take long.
bool HostValues::isGlobal(const python::Node &node) const {
  if (isa<python::Lambda, python::ListComp, python::GeneratorExp, python::Yield, python::Await>(
          node))
    return false;
  if (auto *name = dyn_cast<python::Name>(&node)) {
    if (definitions.count(name->id))
      return false;
    if (function)
      for (const python::Arg *arg : getParameters(*function->args))
        if (arg->arg == name->id)
          return false;
  }
  bool result = true;
  python::forEachChild(node, [&](const python::Node &child) { result &= isGlobal(child); });
  return result;
}

LaunchArgument HostValues::evaluate(const python::Expr &expr) {
  std::optional<std::string> text = project.evaluate(file, file.getText(expr));
  if (!text)
    return {};
  size_t dot = text->rfind('.');
  if (dot != std::string::npos && isalpha(static_cast<unsigned char>(text->front())))
    return {Kind::Dtype, text->substr(dot + 1)};
  return {Kind::Constant, *text};
}

LaunchArgument HostValues::classifyParameter(const python::Arg &arg, const python::Expr *fallback,
                                             unsigned depth) {
  StringRef text = arg.annotation ? file.getText(*arg.annotation) : "";
  if (text.contains("Tensor"))
    return {Kind::Pointer, ""};
  if (text.contains("dtype"))
    return {};
  if (text.contains("bool"))
    return {Kind::Boolean, ""};
  if (text.contains("float"))
    return {Kind::Float, ""};
  if (text.contains("int"))
    return {Kind::Integer, ""};
  if (!fallback || !isa<python::Constant>(fallback))
    return {};
  LaunchArgument value = classify(*fallback, depth + 1);
  return value.text == "None" ? LaunchArgument() : value;
}

LaunchArgument HostValues::classifyName(StringRef name, unsigned depth) {
  auto found = definitions.find(name);
  if (found != definitions.end()) {
    // Of several assignments the first that says something.
    for (const python::Expr *value : found->second) {
      LaunchArgument argument = value ? classify(*value, depth + 1) : LaunchArgument();
      if (argument.kind != Kind::Unknown && argument.text != "None")
        return argument;
    }
    return {};
  }
  if (!function)
    return {};
  const python::Arguments &args = *function->args;
  std::vector<const python::Arg *> positional(args.posonlyargs.begin(), args.posonlyargs.end());
  positional.insert(positional.end(), args.args.begin(), args.args.end());
  size_t first = positional.size() - args.defaults.size();
  for (auto [index, arg] : enumerate(positional))
    if (arg->arg == name)
      return classifyParameter(*arg, index >= first ? args.defaults[index - first] : nullptr,
                               depth);
  for (auto [arg, value] : zip(args.kwonlyargs, args.kwDefaults))
    if (arg->arg == name)
      return classifyParameter(*arg, value, depth);
  return {};
}

LaunchArgument HostValues::classifyMethod(const python::Call &call, const python::Attribute &callee,
                                          unsigned depth) {
  StringRef name = callee.attr;
  if (is_contained(
          {"stride", "size", "numel", "dim", "element_size", "nelement", "item", "ndimension"},
          name))
    return {Kind::Integer, ""};
  auto findType = [&]() -> std::string {
    for (const python::Keyword *keyword : call.keywords)
      if (keyword->arg == "dtype")
        return getElementType(getLastName(*keyword->value)).str();
    if (name == "to")
      for (const python::Expr *argument : call.args)
        if (StringRef type = getElementType(getLastName(*argument)); !type.empty())
          return type.str();
    return "";
  };
  if (is_contained({"empty", "zeros", "ones", "full", "tensor", "randn", "rand", "empty_like",
                    "zeros_like", "ones_like", "full_like", "new_empty", "new_zeros", "new_ones",
                    "new_full", "as_tensor", "randint", "empty_strided", "to"},
                   name))
    return {Kind::Pointer, findType()};
  if (name == "arange" || name == "cumsum" || name == "argsort")
    return {Kind::Pointer, "i64"};
  if (call.args.empty() && !getElementType(name).empty())
    return {Kind::Pointer, getElementType(name).str()};
  if (is_contained({"contiguous", "view", "reshape", "flatten", "squeeze", "unsqueeze", "clone",
                    "detach", "transpose", "permute", "expand", "t", "cuda"},
                   name)) {
    LaunchArgument self = classify(*callee.value, depth + 1);
    return {Kind::Pointer, self.kind == Kind::Pointer ? self.text : ""};
  }
  return {};
}

/// `TensorDescriptor.from_tensor(x, [BLOCK_M, BLOCK_K])`, or the constructor itself.
static const python::Expr *findBlockShape(const python::Call &call, unsigned place) {
  for (const python::Keyword *keyword : call.keywords)
    if (keyword->arg == "block_shape")
      return keyword->value;
  return place < call.args.size() ? call.args[place] : nullptr;
}

/// `Strides(x.stride(0), x.stride(1))`, where that is a named tuple.
LaunchArgument HostValues::classifyNamed(const python::Call &call, unsigned depth) {
  if (!isa<python::Name, python::Attribute>(call.func) || !isGlobal(*call.func))
    return {};
  LaunchArgument result{Kind::Tuple, ""};
  result.names = project.getFields(file, *call.func);
  if (result.names.empty())
    return {};
  result.items.resize(result.names.size());
  for (auto [argument, item] : zip(call.args, result.items)) {
    if (isa<python::Starred>(argument))
      break;
    item = classify(*argument, depth + 1);
  }
  for (const python::Keyword *keyword : call.keywords)
    if (auto found = find(result.names, keyword->arg); found != result.names.end())
      result.items[found - result.names.begin()] = classify(*keyword->value, depth + 1);
  return result;
}

LaunchArgument HostValues::classifyCall(const python::Call &call, unsigned depth) {
  StringRef name = getLastName(*call.func);
  if (name == "from_tensor" || name.ends_with("TensorDescriptor")) {
    LaunchArgument found{Kind::Descriptor, ""};
    found.block = findBlockShape(call, name == "from_tensor" ? 1 : 3);
    return found;
  }
  if (name == "next_power_of_2")
    return {Kind::PowerOfTwo, ""};
  if (is_contained({"cdiv", "len", "int", "ceil", "floor", "ceil_div"}, name))
    return {Kind::Integer, ""};
  if (name == "bool" || name == "isinstance" || name.starts_with("is_"))
    return {Kind::Boolean, ""};
  if (name == "min" || name == "max") {
    for (const python::Expr *argument : call.args)
      if (LaunchArgument value = classify(*argument, depth + 1); value.kind == Kind::PowerOfTwo)
        return value;
    return {Kind::Integer, ""};
  }
  if (name == "tuple" && isa<python::Name>(call.func)) {
    LaunchArgument result{Kind::Tuple, ""};
    auto *list = call.args.size() == 1 ? dyn_cast<python::List>(call.args.front()) : nullptr;
    for (const python::Expr *item : list ? list->elts : ArrayRef<python::Expr *>())
      result.items.push_back(classify(*item, depth + 1));
    return result;
  }
  if (LaunchArgument fields = classifyNamed(call, depth); fields.kind != Kind::Unknown)
    return fields;
  if (auto *callee = dyn_cast<python::Attribute>(call.func))
    return classifyMethod(call, *callee, depth);
  if (name == "constexpr" && call.args.size() == 1)
    return classify(*call.args.front(), depth + 1);
  return name == "float" ? LaunchArgument{Kind::Float, ""} : LaunchArgument();
}

LaunchArgument HostValues::classify(const python::Expr &expr, unsigned depth) {
  constexpr unsigned deepest = 16;
  if (depth > deepest)
    return {};
  if (isGlobal(expr))
    if (LaunchArgument value = evaluate(expr); value.kind != Kind::Unknown)
      return value;
  if (auto *name = dyn_cast<python::Name>(&expr))
    return classifyName(name->id, depth);
  if (auto *call = dyn_cast<python::Call>(&expr))
    return classifyCall(*call, depth);
  if (auto *tuple = dyn_cast<python::Tuple>(&expr)) {
    LaunchArgument result{Kind::Tuple, ""};
    for (const python::Expr *item : tuple->elts)
      result.items.push_back(classify(*item, depth + 1));
    return result;
  }
  if (isa<python::Compare, python::BoolOp>(expr))
    return {Kind::Boolean, ""};
  if (auto *unary = dyn_cast<python::UnaryOp>(&expr))
    return unary->op == python::UnaryOperator::Not ? LaunchArgument{Kind::Boolean, ""}
                                                   : classify(*unary->operand, depth + 1);
  if (auto *attribute = dyn_cast<python::Attribute>(&expr))
    return attribute->attr == "shape" || attribute->attr == "ndim"
               ? LaunchArgument{Kind::Integer, ""}
               : LaunchArgument();
  if (auto *subscript = dyn_cast<python::Subscript>(&expr)) {
    auto *attribute = dyn_cast<python::Attribute>(subscript->value);
    return attribute && attribute->attr == "shape" ? LaunchArgument{Kind::Integer, ""}
                                                   : LaunchArgument();
  }
  if (auto *choice = dyn_cast<python::IfExp>(&expr)) {
    LaunchArgument body = classify(*choice->body, depth + 1);
    bool isKnown = body.kind != Kind::Unknown && body.text != "None";
    return isKnown ? body : classify(*choice->orelse, depth + 1);
  }
  auto *binary = dyn_cast<python::BinOp>(&expr);
  if (!binary)
    return {};
  if (binary->op == python::BinaryOperator::Div)
    return {Kind::Float, ""};
  LaunchArgument left = classify(*binary->left, depth + 1),
                 right = classify(*binary->right, depth + 1);
  auto isFloat = [](const LaunchArgument &value) {
    return value.kind == Kind::Float ||
           (value.kind == Kind::Constant && StringRef(value.text).contains('.'));
  };
  if (isFloat(left) || isFloat(right))
    return {Kind::Float, ""};
  return left.kind == Kind::Integer || right.kind == Kind::Integer
             ? LaunchArgument{Kind::Integer, ""}
             : LaunchArgument();
}

} // namespace nereid::audit
