// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/HostPrinter.h"

#include "emit/HostGradient.h"
#include "emit/KernelTraits.h"
#include "emit/Spelling.h"
#include "support/SnakeCase.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace nereid::emit {

void HostPrinter::refuse(Operation *op, const llvm::Twine &message) {
  op->emitOpError() << message.str();
  failed = true;
}

std::string getArgumentName(func::FuncOp program, unsigned place) {
  if (auto name = program.getArgAttrOfType<StringAttr>(place, host::nameAttrName))
    return name.getValue().str();
  return "arg" + std::to_string(place);
}

/// Whether an argument is a list of sizes: no more of the tensor is known.
bool HostPrinter::isShapeOnly(unsigned place) {
  return bool(program.getArgAttr(place, "host.shape_only"));
}

void HostPrinter::nameArguments() {
  if (program->hasAttr("host.gradient_of") || program->hasAttr(host::savesIfAskedAttrName))
    needs.emplace(program);
  if (needs && needs->areSelective())
    names.reserve(savesIfAsked() ? "saves" : "needs");
  names.reserve("meta");
  for (const ArgumentGroup &group : groups) {
    names.reserve(group.parameter);
    names.reserve(group.variable);
  }
  for (auto [place, argument] : llvm::enumerate(program.getArguments())) {
    bool isShape = isShapeOnly(place);
    std::string name = getField(program, place, parts);
    if (name.empty())
      name = names.takeUserName(getArgumentName(program, place) + (isShape ? "_shape" : ""));
    values[argument] = Code::text(name);
    auto tensor = dyn_cast<host::TensorType>(argument.getType());
    if (tensor && getTorchDtype(tensor.getElementType()).empty())
      refuse(program, "takes a tensor of a type that PyTorch lacks");
  }
  chooseDeviceOwner();
}

/// New tensors are made by the first tensor; in a model by an input of its type, if it has one:
/// that has the shorter name.
void HostPrinter::chooseDeviceOwner() {
  BlockArgument owner;
  for (BlockArgument argument : program.getArguments()) {
    unsigned place = argument.getArgNumber();
    auto tensor = dyn_cast<host::TensorType>(argument.getType());
    if (!tensor || isShapeOnly(place) || isSeed(program, place))
      continue;
    bool isShorter = owner && isGrouped(owner) && !isGrouped(argument) &&
                     isa<FloatType>(tensor.getElementType());
    if (!owner || isShorter)
      owner = argument;
  }
  if (!owner)
    return;
  deviceOwner = values[owner].str();
  ownerType = cast<host::TensorType>(owner.getType()).getElementType();
}

llvm::SmallVector<host::SymbolAttr> getSymbols(func::FuncOp program) {
  auto symbols = program->getAttrOfType<ArrayAttr>(host::symbolsAttrName);
  if (!symbols)
    return {};
  auto range = symbols.getAsRange<host::SymbolAttr>();
  return {range.begin(), range.end()};
}

/// Whether sizes and bounds of slices are made of a number.
bool HostPrinter::isSize(BlockArgument number) {
  return llvm::any_of(getSymbols(program), [&](host::SymbolAttr symbol) {
    return symbol.getKind() == host::SymbolKind::Value &&
           unsigned(symbol.getArgument()) == number.getArgNumber();
  });
}

/// A stride as it is asked of its tensor.
std::string HostPrinter::strideOf(llvm::StringRef name, Value tensor, unsigned dim) {
  std::string text = (name + ".stride(" + std::to_string(dim) + ")").str();
  unsigned rank = cast<host::TensorType>(tensor.getType()).getSizes().size();
  strides[text] = {name.str(), dim, rank};
  return text;
}

/// Sizes become variables; strides are asked of their tensor, arguments are variables already.
void HostPrinter::bindSymbols() {
  for (host::SymbolAttr symbol : getSymbols(program)) {
    std::string argument = values[program.getArgument(symbol.getArgument())].str();
    std::string &text = symbols[symbol.getName()];
    if (symbol.getKind() == host::SymbolKind::Value)
      text = argument;
    else if (symbol.getKind() == host::SymbolKind::Stride)
      text = strideOf(argument, program.getArgument(symbol.getArgument()), symbol.getDim());
    else
      text = names.takeUserName(symbol.getName());
  }
}

static std::string getShapeText(host::TensorType type) {
  std::string dtype = getTorchDtype(type.getElementType());
  std::string text = llvm::StringRef(dtype).drop_front(sizeof("torch.") - 1).str() + "[";
  for (auto [place, size] : llvm::enumerate(type.getSizes()))
    text += (place ? ", " : "") + size.str();
  return text + "]";
}

std::string getTypeText(Type type) {
  if (auto tensor = dyn_cast<host::TensorType>(type))
    return getShapeText(tensor);
  return type.isF64() ? "float" : type.isInteger(1) ? "bool" : "int";
}

std::string getPlace(Location location) {
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    return llvm::sys::path::filename(file.getFilename().getValue()).str() + ":" +
           std::to_string(file.getLine());
  return "";
}

std::string getPrivateName(func::FuncOp program) {
  // What an emitted file calls its own functions (the *Text.h files, CommandLine.py).
  static constexpr llvm::StringLiteral taken =
      "are_alike ask bench blocks call call_plain call_with_gradient cdiv cell "
      "check_apart check_constant check_contiguous check_known check_modules "
      "check_number check_numbers check_shape check_size check_state check_stride "
      "check_table check_tensor check_tensors check_written choose code code_of compare "
      "convolution_precision copied copy_if_shared copy_state draw draw_seed "
      "dropout_scale empty_like factor_dtype field find_original flat get_errors get_needs "
      "get_tensors get_usual give graph graph_lock graphs has_code init inputs is_input "
      "is_known is_made_by is_of_other is_other is_repeated is_set kind_of known_paths "
      "lend_library lie_apart like load made_in_float64 main make_pair maker "
      "mend_bfloat16 mend_interpreter module_at moved_to name_of nest nested "
      "next_power_of_2 no_gradient note_writes of_used_outputs once_differentiable "
      "part_at paths pick plain prune randomize reach refuse_gradients "
      "refuse_transforms register replay require restored rounded_to_tf32 run shares takes "
      "tensors_of to_shares torch_gradients torch_results transform validate widen "
      "write";
  std::string name = toSnakeCase(program.getSymName());
  bool isTaken = llvm::is_contained(llvm::split(taken, ' '), llvm::StringRef(name));
  return "_" + name + (isTaken ? "_program" : "");
}

/// A type as PyTorch's schemas know it.
static std::string getAnnotation(Type type) {
  return isa<host::TensorType>(type) ? "torch.Tensor" : getTypeText(type);
}

static std::string getResultAnnotation(func::FuncOp program, const FileParts &parts) {
  size_t count = program.getNumResults() + getReturnedState(program, parts).size();
  if (count < 2)
    return count == 0 ? "None" : "torch.Tensor";
  if (count > 4)
    return "tuple[(torch.Tensor,) * " + std::to_string(count) + "]";
  std::string list;
  for (size_t place = 0; place < count; ++place)
    list += place ? ", torch.Tensor" : "torch.Tensor";
  return "tuple[" + list + "]";
}

/// Binds the sizes of an argument that the body asks for.
void HostPrinter::printSizes(BlockArgument argument) {
  auto type = dyn_cast<host::TensorType>(argument.getType());
  unsigned place = argument.getArgNumber();
  llvm::SmallVector<std::string> sizes(type ? type.getRank() : 0);
  for (host::SymbolAttr symbol : getSymbols(program))
    if (symbol.getKind() == host::SymbolKind::Size && symbol.getArgument() == int64_t(place) &&
        usedSymbols.contains(symbol.getName()))
      sizes[symbol.getDim()] = symbols[symbol.getName()];
  std::string name = values[argument].str();
  std::string shape = isShapeOnly(place) ? name : name + ".shape";
  bool isWhole = sizes.size() > 1 && !llvm::is_contained(sizes, "");
  if (isWhole)
    out.line(llvm::join(sizes, ", ") + " = " + shape);
  for (size_t dim = 0; !isWhole && dim < sizes.size(); ++dim)
    if (!sizes[dim].empty())
      out.line(sizes[dim] + " = " + shape + "[" + std::to_string(dim) + "]");
}

/// Binds the sizes that the body asks for, where that is not done yet.
void HostPrinter::printSizes() {
  for (BlockArgument argument : program.getArguments())
    if (!measured.contains(argument))
      printSizes(argument);
}

/// Whether a tensor has a size that is to be compared.
bool HostPrinter::asksSizes(BlockArgument argument) {
  auto type = dyn_cast<host::TensorType>(argument.getType());
  // Sizes of what was saved are those that the program had.
  bool isSaved = isGrouped(argument) && program->hasAttr("host.gradient_of");
  if (!type || isShapeOnly(argument.getArgNumber()) || isSaved)
    return false;
  return llvm::any_of(llvm::seq(type.getRank()), [&](int64_t dim) {
    return !definesSize(argument, dim) && !isSizeChecked(argument, dim);
  });
}

/// Checks that all arguments agree with the sizes and strides of their types, where that was not
/// asked of them one by one.
void HostPrinter::printSizeChecks() {
  Writer checks;
  checks.indent();
  auto check = [&](llvm::StringRef function, std::string name, llvm::ArrayRef<Code> rest) {
    llvm::SmallVector<Code> arguments = {Code::text(quote(name)), Code::text(name)};
    arguments.append(rest.begin(), rest.end());
    checks.statement("", Code::call(function, arguments));
  };
  for (auto [place, argument] : llvm::enumerate(program.getArguments())) {
    auto type = dyn_cast<host::TensorType>(argument.getType());
    if (!type || isShapeOnly(place))
      continue;
    std::string name = values[argument].str();
    bool isRowMajor = type.getRank() > 0 && host::hasRowMajorStrides(type);
    if (asksSizes(argument) && !sizesChecked.contains(argument)) {
      llvm::SmallVector<Code> sizes;
      for (auto [dim, size] : llvm::enumerate(type.getSizes())) {
        bool isFree = definesSize(argument, dim) && !usedSymbols.contains(size.getName());
        sizes.push_back(isFree ? Code::text("None") : getExpr(size));
      }
      check("_check_shape", name, Code::tuple(sizes));
      parts.usesTensorCheck = true;
    }
    for (size_t dim = 0; dim < type.getSizes().size(); ++dim)
      if (asksStride(argument, dim)) {
        check("_check_stride", name,
              {Code::text(std::to_string(dim)), getExpr(type.getStrides()[dim])});
        parts.usesStrideCheck = true;
      }
    if (isRowMajor) {
      check("_check_contiguous", name, {});
      parts.usesContiguousCheck = true;
    }
  }
  printSizes();
  out.paste(checks);
}

/// The variable of a tensor that a contiguous copy may take over: nothing asks for the tensor or
/// its strides any more.
std::string HostPrinter::getReplaced(Value value) {
  auto copy = value.getDefiningOp<host::ContiguousOp>();
  if (!copy || copy->getBlock() != &program.getBody().front())
    return "";
  for (Operation *user : copy.getTensor().getUsers())
    if (user != copy && (user->getBlock() != copy->getBlock() || copy->isBeforeInBlock(user)))
      return "";
  bool asksStride = false;
  for (index::Expr stride : copy.getTensor().getType().getStrides())
    program.walk([&](Operation *op) {
      for (NamedAttribute attribute : op->getAttrs())
        attribute.getValue().walk([&](Attribute part) {
          if (auto expr = dyn_cast<sym::ExprAttr>(part))
            asksStride |= !stride.isConstant() && index::contains(expr.getExpr(), stride);
        });
    });
  std::string name = get(copy.getTensor()).str();
  if (size_t dot = name.rfind('.'); dot != std::string::npos)
    return names.takeUserName(name.substr(dot + 1));
  return asksStride ? "" : name;
}

void HostPrinter::assign(Value value, Code code) {
  std::string name = wishes.lookup(value);
  if (name.empty())
    name = getReplaced(value);
  if (name.empty()) {
    llvm::StringRef user = getUserName(value.getLoc());
    bool isTensor = isa<host::TensorType>(value.getType());
    name = user.empty() ? names.take(isTensor ? "out" : "value") : names.takeUserName(user);
  }
  if (!savesIfAsked() || !needs->mayBeAbsent(value)) {
    writer.statement(name + " = ", code);
  } else if (writer.fits(name + " = ", code, " if saves else None")) {
    writer.line(name + " = " + code.str() + " if saves else None");
  } else {
    writer.line(name + " = None");
    writer.line("if saves:");
    writer.indent();
    writer.statement(name + " = ", code);
    writer.dedent();
  }
  values[value] = Code::text(name);
  auto type = dyn_cast<host::TensorType>(value.getType());
  auto empty = value.getDefiningOp<host::EmptyOp>();
  if (type && empty && !empty.getLike().empty())
    for (auto [dim, stride] : llvm::enumerate(type.getStrides()))
      symbols[stride.getName()] = strideOf(name, value, dim);
}

bool isRepeatedCopy(host::ContiguousOp copy) {
  Value tensor = copy.getTensor();
  while (auto same = tensor.getDefiningOp<host::AsContiguousOp>())
    tensor = same.getTensor();
  return bool(tensor.getDefiningOp<host::ContiguousOp>());
}

/// Scalars and views used once and names for the same tensor have no statement.
bool HostPrinter::isInline(Operation *op) {
  if (auto copy = dyn_cast<host::ContiguousOp>(op); copy && isRepeatedCopy(copy))
    return true;
  if (isa<host::AsContiguousOp, host::SizeOp, host::CondOp, arith::ConstantOp>(op))
    return true;
  if (op->getNumResults() != 1)
    return false;
  bool isTensor = isa<host::TensorType>(op->getResult(0).getType());
  if (isTensor && !isa<host::ViewOp>(op))
    return false;
  return op->getResult(0).hasOneUse() && getUserName(op->getLoc()).empty();
}

/// The operands of a run of `and` or of `or`.
static void flatten(const Code &code, Binding binding, llvm::SmallVectorImpl<Code> &operands) {
  if (code.getKind() != CodeKind::Binary || code.getBinding() != binding)
    return operands.push_back(code);
  flatten(code.getChildren()[0], binding, operands);
  operands.push_back(code.getChildren()[1]);
}

/// `if condition:`. What is too long for a line gives names to its parts first.
void HostPrinter::printCondition(Code condition) {
  Binding binding = condition.getBinding();
  bool isRun = condition.getKind() == CodeKind::Binary && binding <= Binding::And;
  if (isRun && !writer.fits("if ", condition, ":")) {
    llvm::SmallVector<Code> operands;
    flatten(condition, binding, operands);
    std::string op = condition.getText().str();
    condition = Code();
    for (const Code &operand : operands) {
      Code part = operand;
      if (operands.size() == 2 || operand.getKind() == CodeKind::Binary) {
        part = Code::text(names.take("condition"));
        writer.statement(part.str() + " = ", operand);
      }
      condition = condition ? Code::binary(op, binding, condition, part) : part;
    }
  }
  writer.statement("if ", condition, ":");
}

/// A choice that leaves what it is about as it is, or makes others of it under the same names.
bool HostPrinter::printReplacement(host::IfOp op) {
  ValueRange kept = op.getThen().front().getTerminator()->getOperands();
  bool isKept =
      llvm::hasSingleElement(op.getThen().front()) && llvm::all_of(kept, [&](Value value) {
        bool isReadHere = llvm::all_of(value.getUsers(), [&](Operation *user) {
          return user->getBlock() != op->getBlock() || user->isBeforeInBlock(op);
        });
        return isReadHere && value.getDefiningOp() && values.contains(value) &&
               values.at(value).getKind() == CodeKind::Text;
      });
  if (!isKept)
    return false;
  ValueRange others = op.getOtherwise().front().getTerminator()->getOperands();
  printCondition(Code::unary("not ", Binding::Not, get(op.getCondition())));
  writer.indent();
  for (auto [value, other, result] : llvm::zip_equal(kept, others, op.getResults())) {
    Code name = values.at(value);
    wishes[other] = name.str();
    values[result] = name;
  }
  printBlock(op.getOtherwise().front());
  for (auto [value, other] : llvm::zip_equal(kept, others))
    if (Code code = get(other); code.str() != values.at(value).str())
      writer.statement(values.at(value).str() + " = ", code);
  writer.dedent();
  return true;
}

void HostPrinter::printIf(host::IfOp op) {
  if (printReplacement(op))
    return;
  llvm::SmallVector<std::string> targets;
  for (Value result : op.getResults()) {
    llvm::StringRef user = op.getNumResults() == 1 ? getUserName(op.getLoc()) : "";
    std::string name = wishes.lookup(result);
    if (name.empty())
      name = user.empty() ? names.take("out") : names.takeUserName(user);
    targets.push_back(name);
  }
  auto printArm = [&](Region &region) {
    writer.indent();
    size_t start = writer.str().size();
    ValueRange yielded = region.front().getTerminator()->getOperands();
    for (auto [value, name] : llvm::zip_equal(yielded, targets))
      if (value.getParentRegion() == &region && value.getDefiningOp() &&
          !isInline(value.getDefiningOp()))
        wishes[value] = name;
    printBlock(region.front());
    for (auto [value, name] : llvm::zip_equal(yielded, targets))
      if (Code code = get(value); code.str() != name)
        writer.statement(name + " = ", code);
    bool isEmpty = writer.str().size() == start;
    writer.dedent();
    return isEmpty;
  };
  printCondition(get(op.getCondition()));
  if (printArm(op.getThen())) {
    writer.indent();
    writer.line("pass");
    writer.dedent();
  }
  Writer before = writer;
  writer.line("else:");
  if (printArm(op.getOtherwise()))
    writer = before;
  for (auto [result, name] : llvm::zip_equal(op.getResults(), targets))
    values[result] = Code::text(name);
}

void HostPrinter::printWhile(host::WhileOp op) {
  std::string name = names.takeUserName(op.getSymbol());
  symbols[op.getSymbol()] = name;
  writer.line(name + " = " + std::to_string(op.getStart()));
  writer.statement("while ", getPred(op.getCondition().getPred()), ":");
  writer.indent();
  printBlock(op.getBody().front());
  writer.line(name + " = " + std::to_string(op.getFactor()) + " * " + name);
  writer.dedent();
  symbols.erase(op.getSymbol());
}

/// Names for what a loop carries: those of the first values, where nothing else asks for them.
llvm::SmallVector<std::string> HostPrinter::nameCarried(host::ForOp op) {
  llvm::SmallVector<std::string> carried;
  for (Value init : op.getInits()) {
    Code code = get(init);
    bool isOwn = code.getKind() == CodeKind::Text && init.hasOneUse() &&
                 !isa<BlockArgument>(init) && !llvm::is_contained(carried, code.str());
    llvm::StringRef user = getUserName(init.getLoc());
    std::string name = isOwn          ? code.str()
                       : user.empty() ? names.take("state")
                                      : names.takeUserName(user);
    if (!isOwn)
      writer.statement(name + " = ", code);
    carried.push_back(name);
  }
  return carried;
}

void HostPrinter::printFor(host::ForOp op) {
  llvm::SmallVector<std::string> carried = nameCarried(op);
  std::string turn = names.takeUserName(op.getSymbol());
  symbols[op.getSymbol()] = turn;
  writer.statement("for " + turn + " in ", Code::call("range", {getExpr(op.getCount().getExpr())}),
                   ":");
  Block &body = op.getBody().front();
  for (auto [argument, result, name] :
       llvm::zip_equal(body.getArguments(), op.getResults(), carried)) {
    values[argument] = Code::text(name);
    values[result] = Code::text(name);
  }
  writer.indent();
  size_t start = writer.str().size();
  printBlock(body);
  std::vector<std::string> targets, names;
  llvm::SmallVector<Code> sources;
  for (auto [name, yielded] : llvm::zip_equal(carried, body.getTerminator()->getOperands()))
    if (Code source = get(yielded); source.str() != name) {
      targets.push_back(name);
      names.push_back(source.str());
      sources.push_back(source);
    }
  std::string swap = llvm::join(targets, ", ") + " = " + llvm::join(names, ", ");
  if (targets.size() > 1 && !writer.fits("", Code::text(swap), ""))
    writer.assignment(targets, Code::tuple(sources));
  else if (!targets.empty())
    writer.line(swap);
  if (writer.str().size() == start)
    writer.line("pass");
  writer.dedent();
  symbols.erase(op.getSymbol());
}

void HostPrinter::printReturn(Operation *op) {
  llvm::SmallVector<Code> results;
  for (Value value : op->getOperands())
    results.push_back(get(value));
  if (!getReturnedState(program, parts).empty())
    for (host::AssignOp assign : getAssigns(program))
      results.push_back(get(assign.getValue()));
  if (results.size() == 1)
    return writer.statement("return ", results[0]);
  std::string list;
  for (const Code &result : results)
    list += (list.empty() ? "" : ", ") + result.str();
  if (results.empty())
    return;
  if (writer.getIndent() + list.size() + 7 <= lineWidth)
    return writer.line("return " + list);
  writer.statement("return ", Code::tuple(results));
}

/// Passes the arguments on to the program whose condition holds.
void HostPrinter::printDispatch(host::DispatchOp op) {
  llvm::SmallVector<Code> arguments;
  for (BlockArgument argument : program.getArguments())
    arguments.push_back(values[argument]);
  auto spellGroup = [](const ArgumentGroup &group) { return Code::text(group.variable); };
  for (auto [place, name] : llvm::enumerate(op.getPrograms())) {
    auto chosen =
        SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, cast<FlatSymbolRefAttr>(name));
    bool isLast = place + 1 == op.getPrograms().size();
    if (!isLast) {
      printCondition(getPred(cast<sym::PredAttr>(op.getConditions()[place]).getPred()));
      writer.indent();
    }
    printRefusal(chosen, parts, writer);
    Code call = spellCall(chosen, arguments, spellGroup, parts);
    Names inner = names;
    call = printStateWrite(chosen, call, "state", inner, parts, writer);
    if (hasOwnResults(program))
      printResults(chosen, call, arguments, parts, writer);
    else if (call)
      writer.statement("return ", call);
    if (!isLast)
      writer.dedent();
  }
}

void HostPrinter::printOp(Operation *op) {
  if (auto check = dyn_cast<host::CheckOp>(op)) {
    // Whoever applies a function has made its checks.
    if (isFunction())
      return;
    Code condition = getPred(check.getPred().getPred());
    Code message = Code::text(quote(check.getMessage()));
    Code call = Code::call("_require", {condition, message});
    if (writer.fits("", call) || condition.getBinding() > Binding::And) {
      parts.usesRequire = true;
      return writer.statement("", call);
    }
    printCondition(getPred(index::notOf(check.getPred().getPred())));
    writer.indent();
    writer.statement("raise ", Code::call("ValueError", {message}));
    return writer.dedent();
  }
  if (auto choice = dyn_cast<host::IfOp>(op))
    return printIf(choice);
  if (auto loop = dyn_cast<host::WhileOp>(op))
    return printWhile(loop);
  if (auto loop = dyn_cast<host::ForOp>(op))
    return printFor(loop);
  if (auto call = dyn_cast<host::CallOp>(op))
    return printCall(call);
  if (auto apply = dyn_cast<host::ApplyOp>(op))
    return printApply(apply);
  if (isa<func::ReturnOp>(op)) {
    noteWrites();
    return printReturn(op);
  }
  if (auto dispatch = dyn_cast<host::DispatchOp>(op))
    return printDispatch(dispatch);
  if (op->getNumResults() != 1)
    return refuse(op, "has no spelling in Python");
  if (op->use_empty())
    return;
  assign(op->getResult(0), render(op));
}

bool HostPrinter::hasSameGuard(host::LaunchOp a, host::LaunchOp b) {
  Code first = getGuard(a), second = getGuard(b);
  return bool(first) == bool(second) && (!first || first.str() == second.str());
}

/// Whether memory is taken for what an operation makes.
static bool allocates(Operation &op) {
  return op
      .walk([](Operation *part) {
        return isa<host::EmptyOp, host::CopyLikeOp, host::FullOp, host::CallOp, host::ApplyOp>(part)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether nothing from `next` on names a tensor. Views are written where they are used.
bool HostPrinter::isDone(Value tensor, Operation *next) {
  return llvm::all_of(tensor.getUsers(), [&](Operation *user) {
    if (isInline(user))
      return isDone(user->getResult(0), next);
    Operation *reader = next->getBlock()->findAncestorOpInBlock(*user);
    // A copy may take over the name.
    return reader && reader->isBeforeInBlock(next) && !isa<host::ContiguousOp>(user);
  });
}

/// Before more memory is taken, that of tensors which nothing looks at any more is given back: the
/// caching allocator reuses it.
void HostPrinter::printRelease(llvm::SmallVectorImpl<Value> &held, Operation *next) {
  llvm::SmallVector<std::string> released;
  llvm::erase_if(held, [&](Value tensor) {
    if (!isDone(tensor, next))
      return false;
    released.push_back(values.at(tensor).str());
    return true;
  });
  if (!released.empty())
    writer.deletion(released);
}

void HostPrinter::printBlock(Block &block) {
  llvm::SmallVector<host::LaunchOp> launches;
  llvm::SmallVector<host::AssignOp> assigns;
  llvm::SmallVector<Value> held;
  if (&block == &program.getBody().front())
    makeRowMajor(block);
  auto flush = [&] {
    if (!launches.empty())
      printGuarded(launches);
    launches.clear();
  };
  for (Operation &op : block) {
    bool isKnown = op.getNumResults() == 1 && values.contains(op.getResult(0));
    if (isInline(&op) || isa<host::YieldOp>(op) || isKnown)
      continue;
    auto launch = dyn_cast<host::LaunchOp>(op);
    if (!launch || (!launches.empty() && !hasSameGuard(launch, launches.back())))
      flush();
    if (auto assign = dyn_cast<host::AssignOp>(op); assign && !failed) {
      if (!getReturnedState(program, parts).empty())
        continue;
      assigns.push_back(assign);
      if (isa_and_present<host::AssignOp>(op.getNextNode()))
        continue;
      printAssignments(assigns);
      assigns.clear();
      continue;
    }
    if (launch) {
      launches.push_back(launch);
      continue;
    }
    if (failed)
      continue;
    bool takesMemory = allocates(op);
    if (takesMemory)
      printRelease(held, &op);
    printOp(&op);
    if (takesMemory)
      for (Value result : op.getResults())
        if (isa<host::TensorType>(result.getType()) && !result.use_empty())
          held.push_back(result);
  }
  flush();
}

std::vector<std::string> HostPrinter::getParameters(bool hasTypes) {
  std::vector<std::string> parameters;
  auto add = [&](std::string name, std::string type) {
    parameters.push_back(hasTypes ? name + ": " + type : name);
  };
  for (auto [place, argument] : llvm::enumerate(program.getArguments()))
    if (!isUndrawn(program, place) && !isGrouped(argument))
      add(values[argument].str(), isShapeOnly(place) ? "list[int]"
                                  : isSeed(program, place) && isDispatch(program)
                                      ? "torch.Tensor | int | None"
                                      : getAnnotation(argument.getType()));
  for (const ArgumentGroup &group : groups)
    add(group.parameter, "list[" + group.element + "]");
  if (needs && needs->areSelective() && !savesIfAsked())
    add("needs", "list[bool]");
  return parameters;
}

/// Of a group whose tensors the program takes row-major, all are copied in one statement where they
/// are not.
void HostPrinter::makeRowMajor(Block &block) {
  for (const ArgumentGroup &group : groups) {
    llvm::SmallVector<host::ContiguousOp> copies;
    for (auto copy : block.getOps<host::ContiguousOp>())
      if (auto argument = dyn_cast<BlockArgument>(copy.getTensor()))
        if (llvm::is_contained(group.places, argument.getArgNumber()))
          copies.push_back(copy);
    if (copies.size() < 2)
      continue;
    std::string name =
        names.take(group.type == "_Parameters" ? "dense" : "dense_" + group.variable);
    writer.statement(name + " = ", Code::call(group.type, {Code::text("*(x.contiguous() for x in " +
                                                                      group.variable + ")")}));
    for (host::ContiguousOp copy : copies) {
      unsigned place = cast<BlockArgument>(copy.getTensor()).getArgNumber();
      std::string field = getField(program, place, parts).substr(group.variable.size());
      values[copy.getResult()] = Code::text(name + field);
    }
  }
}

/// Many copies are one launch.
void HostPrinter::printAssignments(llvm::ArrayRef<host::AssignOp> assigns) {
  llvm::SmallVector<Code> targets, sources;
  llvm::SmallPtrSet<Value, 8> seen;
  for (host::AssignOp assign : assigns) {
    targets.push_back(get(assign.getTarget()));
    sources.push_back(get(assign.getValue()));
    seen.insert(assign.getTarget());
  }
  bool areDistinct =
      seen.size() == assigns.size() && llvm::all_of(assigns, [&](host::AssignOp assign) {
        return isa<BlockArgument>(assign.getTarget()) && isNewTensor(assign.getValue());
      });
  if (areDistinct && assigns.size() >= leastGrouped)
    return writer.statement(
        "", Code::call("torch._foreach_copy_", {Code::list(targets), Code::list(sources)}));
  for (auto [target, source] : llvm::zip_equal(targets, sources))
    writer.statement("", Code::method(target, "copy_", {source}));
}

/// `def name(x: torch.Tensor, ...) -> ...:`.
void HostPrinter::printDefinition(llvm::StringRef name) {
  std::vector<std::string> parameters = getParameters(true);
  if (savesIfAsked() && name == getPrivateName(program))
    parameters.insert(parameters.end(), {"*", "saves: bool = True"});
  std::string annotation =
      hasOwnResults(program) ? ":" : " -> " + getResultAnnotation(program, parts) + ":";
  out.definition(("def " + name).str(), parameters, annotation);
}

/// What a caller may change from call to call is asked once for all launches.
void HostPrinter::printPrecision() {
  bool isTaken = false;
  program.walk([&](host::LaunchOp launch) {
    isTaken |= takesPrecision(
        SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(launch, launch.getKernelAttr()));
  });
  if (!isTaken)
    return;
  parts.usesPrecision = true;
  precision = names.take("precision");
  writer.line(precision + " = _convolution_precision(" + deviceOwner + ")");
}

LogicalResult HostPrinter::print() {
  parts.usesTorch = true;
  nameArguments();
  bindSymbols();
  if (func::FuncOp saving = getSharedSaving(program)) {
    printShared(saving);
    return failure(failed);
  }
  writer.indent();
  // Kernels are launched on the current device; CPU tensors (Triton's interpreter) change nothing.
  bool launches = false, calls = false;
  program.walk([&](host::LaunchOp) { launches = true; });
  program.walk([&](host::CallOp) { calls = true; });
  program.walk([&](host::ApplyOp) { launches = true; });
  if ((launches || calls) && !deviceOwner.empty() && !isFunction()) {
    // What PyTorch computes here has the types that the program was read with.
    std::string casts = ", torch.autocast(" + deviceOwner + ".device.type, enabled=False)";
    writer.line("with torch.cuda.device_of(" + deviceOwner + ")" + (calls ? casts : "") + ":");
    writer.indent();
  }
  printPrecision();
  printBlock(program.getBody().front());
  printDefinition(getPrivateName(program));
  out.indent();
  if (isFunction()) {
    out.docstring("Launches the kernels. The arguments are checked, and row-major.");
    printSizes();
  } else {
    out.docstring("Checks the arguments and launches the kernels.");
    printChecks();
    printSizeChecks();
  }
  out.paste(writer);
  out.dedent();
  return failure(failed);
}

} // namespace nereid::emit
