// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Launches.h"
#include "audit/HostValues.h"

#include "python/AstVisit.h"

using namespace llvm;

namespace nereid::audit {

namespace {

/// Reads the launches of one file, function by function.
class LaunchReader {
public:
  using Add = std::function<void(const triton::JitFunction *, Launch)>;

  LaunchReader(triton::TritonProject &project, const python::ParsedFile &file,
               ArrayRef<triton::JitFunction *> own, Add add)
      : project(project), file(file), own(own), add(std::move(add)) {}

  void visitFunction(const python::FunctionDef *function, ArrayRef<python::Stmt *> body) {
    std::optional<HostValues> values;
    for (const python::Stmt *stmt : body)
      visit(*stmt, function, values);
  }

private:
  void visit(const python::Node &node, const python::FunctionDef *function,
             std::optional<HostValues> &values) {
    if (auto *inner = dyn_cast<python::FunctionDef>(&node))
      return visitFunction(inner, inner->body);
    auto *call = dyn_cast<python::Call>(&node);
    if (auto *launched = call ? dyn_cast<python::Subscript>(call->func) : nullptr) {
      if (!values)
        values.emplace(project, file, function);
      if (triton::JitFunction *kernel = findKernel(*launched->value, *values))
        readLaunch(*call, *kernel, *values);
    }
    python::forEachChild(node, [&](const python::Node &child) { visit(child, function, values); });
  }

  /// `kernel`, `module.kernel`, a local name for one, or `wrap(kernel)`.
  triton::JitFunction *findKernel(const python::Expr &expr, const HostValues &values) {
    if (auto *call = dyn_cast<python::Call>(&expr))
      return call->args.empty() ? nullptr : findKernel(*call->args.front(), values);
    auto *name = dyn_cast<python::Name>(&expr);
    const python::Expr *definition = name ? values.getDefinition(name->id) : nullptr;
    if (definition && isa<python::Name, python::Attribute>(definition))
      return project.resolve(file, *definition);
    if (triton::JitFunction *kernel = project.resolve(file, expr))
      return kernel;
    for (triton::JitFunction *function : own)
      if (name && function->name == name->id)
        return function;
    return nullptr;
  }

  void readLaunch(const python::Call &call, const triton::JitFunction &kernel, HostValues &values) {
    Launch launch;
    launch.place = file.getLocation(call);
    std::vector<const python::Arg *> parameters = getParameters(*kernel.def->args);
    for (auto [argument, parameter] : zip(call.args, parameters)) {
      if (isa<python::Starred>(argument))
        break;
      launch.arguments[parameter->arg] = values.classify(*argument);
    }
    for (const python::Keyword *keyword : call.keywords)
      for (const python::Arg *parameter : parameters)
        if (parameter->arg == keyword->arg)
          launch.arguments[parameter->arg] = values.classify(*keyword->value);
    auto spell = [&](LaunchArgument &argument) {
      if (argument.block)
        argument.text = spellBlock(*argument.block, call, parameters, values);
    };
    for (auto &argument : launch.arguments) {
      spell(argument.second);
      for_each(argument.second.items, spell);
    }
    add(&kernel, std::move(launch));
  }

  /// The shape of a descriptor's blocks in the constants that the launch passes: `block_m` is
  /// BLOCK_M where it is launched with `BLOCK_M=block_m`. Empty where a size is none of them.
  std::string spellBlock(const python::Expr &block, const python::Call &launch,
                         ArrayRef<const python::Arg *> parameters, HostValues &values) {
    auto *name = dyn_cast<python::Name>(&block);
    const python::Expr *shape = name ? values.getDefinition(name->id) : &block;
    ArrayRef<python::Expr *> sizes;
    if (auto *list = dyn_cast_if_present<python::List>(shape))
      sizes = list->elts;
    else if (auto *tuple = dyn_cast_if_present<python::Tuple>(shape))
      sizes = tuple->elts;
    std::string text;
    for (const python::Expr *size : sizes) {
      std::string one = spellSize(*size, launch, parameters, values);
      if (one.empty())
        return "";
      text += (text.empty() ? "[" : ", ") + one;
    }
    return text.empty() ? "" : text + "]";
  }

  std::string spellSize(const python::Expr &size, const python::Call &launch,
                        ArrayRef<const python::Arg *> parameters, HostValues &values) {
    StringRef text = file.getText(size);
    if (auto *number = dyn_cast<python::Constant>(&size))
      return number->isInt() ? text.str() : "";
    auto isParameter = [&](StringRef name) {
      return any_of(parameters, [&](const python::Arg *arg) { return arg->arg == name; });
    };
    for (const python::Keyword *keyword : launch.keywords)
      if (file.getText(*keyword->value) == text && isParameter(keyword->arg))
        return keyword->arg.str();
    for (auto [argument, parameter] : zip(launch.args, parameters))
      if (file.getText(*argument) == text)
        return parameter->arg.str();
    LaunchArgument known = values.classify(size);
    if (known.kind == LaunchArgument::Constant)
      return known.text;
    return isParameter(text) ? text.str() : "";
  }

  triton::TritonProject &project;
  const python::ParsedFile &file;
  ArrayRef<triton::JitFunction *> own;
  Add add;
};

} // namespace

void Launches::read(const python::ParsedFile &file, ArrayRef<triton::JitFunction *> own) {
  LaunchReader reader(project, file, own, [&](const triton::JitFunction *kernel, Launch launch) {
    launches[kernel].push_back(std::move(launch));
  });
  reader.visitFunction(nullptr, file.getModule().body);
}

ArrayRef<Launch> Launches::of(const triton::JitFunction *function) const {
  auto found = launches.find(function);
  return found == launches.end() ? ArrayRef<Launch>() : ArrayRef<Launch>(found->second);
}

} // namespace nereid::audit
