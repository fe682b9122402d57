// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/ArgumentGroups.h"

#include "emit/HostGradient.h"
#include "emit/HostPrinter.h"
#include "emit/Spelling.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace nereid::emit {

llvm::ArrayRef<ArgumentGroup> getGroups(func::FuncOp program, const FileParts &parts) {
  auto found = parts.groups.find(program.getSymName());
  if (found == parts.groups.end())
    return {};
  return found->second;
}

std::string getField(func::FuncOp program, unsigned place, const FileParts &parts) {
  for (const ArgumentGroup &group : getGroups(program, parts))
    if (auto found = llvm::find(group.places, place); found != group.places.end())
      return group.variable + "." + group.fields[found - group.places.begin()];
  return "";
}

llvm::SmallVector<Code> passArguments(func::FuncOp program, llvm::ArrayRef<Code> alone,
                                      llvm::function_ref<Code(const ArgumentGroup &)> spellGroup,
                                      const FileParts &parts) {
  llvm::SmallVector<Code> passed(alone);
  for (const ArgumentGroup &group : getGroups(program, parts))
    passed.push_back(spellGroup(group));
  return passed;
}

/// The lines of a text of names.
static std::vector<std::string> wrapNames(llvm::ArrayRef<std::string> names, unsigned indent) {
  std::vector<std::string> lines = {""};
  for (const std::string &name : names) {
    if (!lines.back().empty() && indent + lines.back().size() + name.size() + 3 > lineWidth)
      lines.push_back("");
    lines.back() += name + (&name == &names.back() ? "" : " ");
  }
  return lines;
}

void printNames(llvm::StringRef head, llvm::ArrayRef<std::string> names, Writer &out) {
  std::string whole = head.str() + quote(llvm::join(names, " "));
  if (out.getIndent() + getColumns(whole) <= lineWidth)
    return out.line(whole);
  out.line(head.str() + "(");
  out.indent();
  for (const std::string &line : wrapNames(names, out.getIndent()))
    out.line(quote(line));
  out.dedent();
  out.line(")");
}

/// `_Saved = namedtuple("_Saved", "a b c")`.
static void printTupleType(llvm::StringRef type, llvm::ArrayRef<std::string> names, Writer &out) {
  std::string open = type.str() + " = namedtuple(", first = quote(type);
  std::string text = quote(llvm::join(names, " "));
  if (out.getIndent() + getColumns(open + first + ", " + text + ")") <= lineWidth)
    return out.line(open + first + ", " + text + ")");
  out.line(open);
  out.indent();
  if (out.getIndent() + getColumns(first + ", " + text) <= lineWidth) {
    out.line(first + ", " + text);
  } else {
    out.line(first + ",");
    std::vector<std::string> lines = wrapNames(names, out.getIndent());
    for (const std::string &line : lines)
      out.line(quote(line) + (&line == &lines.back() ? "," : ""));
  }
  out.dedent();
  out.line(")");
}

/// The field of a tensor: `layer1_0_conv1_weight` of `layer1.0.conv1.weight`; empty where the path
/// gives none. `_field` of an emitted file does the same.
static std::string fieldOf(llvm::StringRef path) {
  std::string name = path.str();
  llvm::replace(name, '.', '_');
  name = llvm::StringRef(name).ltrim('_').str();
  if (name.empty() || !llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
    return "";
  return llvm::isDigit(name.front()) ? "m" + name : name;
}

/// A name that a named tuple takes: of no underscore at its start.
static std::string takeField(llvm::StringRef name, Names &names) {
  name = name.ltrim("_0123456789");
  return names.takeUserName(name.empty() ? "value" : name);
}

bool GroupFinder::findFields() {
  llvm::StringSet<> plain, taken;
  if (auto paths = type->getAttrOfType<ArrayAttr>("graph.plain"))
    for (auto path : paths.getAsRange<StringAttr>())
      plain.insert(path.getValue());
  auto odd = type->getAttrOfType<DictionaryAttr>("graph.steps");
  auto isWalked = [&](llvm::StringRef path) {
    // Lists and dictionaries that are no modules have no attributes.
    for (size_t end = path.find('.'); odd && end != llvm::StringRef::npos;
         end = path.find('.', end + 1))
      if (odd.contains(path.take_front(end)))
        return false;
    return !odd || !odd.contains(path);
  };
  ArgumentGroup parameters{"parameters", "p", "_Parameters", "_PARAMETERS", "torch.Tensor", {}, {}};
  ArgumentGroup state{"state", "state", "_State", "_STATE", "torch.Tensor", {}, {}};
  for (auto [place, path] : llvm::enumerate(type.getTree().getAsRange<StringAttr>())) {
    // Flags of the module are arguments too; of complex tensors the parts are passed.
    if (!isa<host::TensorType>(forward.getArgumentTypes()[place]) ||
        forward.getArgAttr(place, "host.complex"))
      continue;
    std::string field = fieldOf(path.getValue());
    if (field.empty() || !taken.insert(field).second || Names().isTaken(field) ||
        (plain.contains(path.getValue()) && !isWalked(path.getValue())))
      return false;
    bool isState =
        llvm::any_of(programs, [&](func::FuncOp program) { return writesTo(program, place); });
    ArgumentGroup &group = isState ? state : parameters;
    group.places.push_back(place);
    group.fields.push_back(field);
  }
  ArgumentGroup numbers{"numbers", "numbers", "_Numbers", "", "float", {}, {}};
  Names names;
  for (size_t place = type.getTree().size(); place < forward.getNumArguments(); ++place) {
    // An argument that kernels write to is no state of the module.
    for (func::FuncOp program : programs)
      if (writesTo(program, place))
        return false;
    if (!forward.getArgumentTypes()[place].isF64() || !isComputed(forward, place))
      continue;
    numbers.places.push_back(place);
    numbers.fields.push_back(takeField(getArgumentName(forward, place), names));
  }
  if (numbers.places.size() >= leastGrouped)
    own.push_back(std::move(numbers));
  if (parameters.places.size() + state.places.size() < leastGrouped)
    return false;
  for (ArgumentGroup *group : {&parameters, &state})
    if (!group->places.empty())
      own.push_back(std::move(*group));
  return true;
}

/// The forward, the cases that it chooses from, and what saves for the gradients of each.
void GroupFinder::findPrograms() {
  programs = {forward};
  if (isDispatch(forward)) {
    auto choice = cast<host::DispatchOp>(forward.getBody().front().getTerminator());
    for (Attribute name : choice.getPrograms())
      programs.push_back(SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          choice, cast<FlatSymbolRefAttr>(name)));
  }
  for (func::FuncOp program : llvm::SmallVector<func::FuncOp>(programs))
    if (func::FuncOp saving = getSaving(program); saving && saving != program)
      programs.push_back(saving);
}

llvm::ArrayRef<unsigned> getReturnedState(func::FuncOp program, const FileParts &parts) {
  auto found = parts.written.find(program.getSymName());
  if (found == parts.written.end())
    return {};
  return found->second;
}

llvm::SmallVector<host::AssignOp> getAssigns(func::FuncOp program) {
  auto assigns = program.getBody().front().getOps<host::AssignOp>();
  return {assigns.begin(), assigns.end()};
}

bool writesItself(func::FuncOp program, const FileParts &parts) {
  return mutates(program) && getReturnedState(program, parts).empty();
}

/// The arguments that a program assigns new tensors to at its end; none where it writes otherwise.
static std::vector<unsigned> findAssigned(func::FuncOp program) {
  std::vector<unsigned> places;
  Operation *end = program.getBody().front().getTerminator();
  llvm::SmallPtrSet<Value, 8> made(end->operand_begin(), end->operand_end());
  llvm::SmallVector<host::AssignOp> assigns = getAssigns(program);
  for (host::AssignOp assign : assigns) {
    auto target = dyn_cast<BlockArgument>(assign.getTarget());
    bool isLast = isa<host::AssignOp, func::ReturnOp>(assign->getNextNode());
    if (!target || !isLast || !isNewTensor(assign.getValue()) ||
        !made.insert(assign.getValue()).second || llvm::is_contained(places, target.getArgNumber()))
      return {};
    places.push_back(target.getArgNumber());
  }
  size_t count = 0;
  for (unsigned place = 0; place < program.getNumArguments(); ++place)
    count += writesTo(program, place);
  return count == places.size() ? places : std::vector<unsigned>();
}

/// A program and what saves besides are called in the same way: both return the same, or none does.
void GroupFinder::findWritten() {
  llvm::SmallPtrSet<Operation *, 4> alternatives;
  for (func::FuncOp program : programs)
    if (func::FuncOp saving = getSaving(program); saving && saving != program)
      alternatives.insert(saving);
  for (func::FuncOp program : programs) {
    if (isDispatch(program) || alternatives.contains(program))
      continue;
    std::vector<unsigned> places = findAssigned(program);
    func::FuncOp saving = getSaving(program);
    if (places.empty() || (saving && findAssigned(saving) != places))
      continue;
    parts.written[program.getSymName()] = places;
    if (saving)
      parts.written[saving.getSymName()] = places;
  }
}

bool GroupFinder::find() {
  if (!forward)
    return false;
  findPrograms();
  if (!findFields())
    return false;
  for (func::FuncOp program : programs)
    parts.groups[program.getSymName()] = own;
  for (func::FuncOp program : programs)
    if (program->hasAttr("host.backward"))
      addGradient(program);
  findWritten();
  parts.hasGroups = true;
  return true;
}

/// What the backward program takes of what was saved, in the order in which it is: of each group,
/// other arguments, results.
void GroupFinder::addGradient(func::FuncOp program) {
  func::FuncOp backward = getBackward(program);
  auto list = program->getAttrOfType<ArrayAttr>("host.saved");
  if (!list || backward.getNumArguments() < list.size())
    return;
  unsigned first = backward.getNumArguments() - list.size();
  ArgumentGroup saved{
      "saved", "saved", getGradientStem(program, parts) + "Saved", "", "torch.Tensor", {}, {}};
  ArgumentGroup numbers;
  struct Kept {
    unsigned rank;
    int64_t order;
    unsigned place;
    std::string field;
  };
  std::vector<Kept> kept;
  Names names;
  for (const ArgumentGroup &group : own)
    for (const std::string &field : group.fields)
      names.reserve(field);
  for (auto [number, attribute] : llvm::enumerate(list)) {
    auto entry = cast<DictionaryAttr>(attribute);
    unsigned place = first + number;
    auto argument = entry.getAs<IntegerAttr>("argument"),
         result = entry.getAs<IntegerAttr>("result");
    if (entry.get("shape"))
      continue;
    const ArgumentGroup *group = nullptr;
    size_t field = 0;
    for (const ArgumentGroup &each : own)
      if (auto found =
              argument ? llvm::find(each.places, unsigned(argument.getInt())) : each.places.end();
          found != each.places.end()) {
        group = &each;
        field = found - each.places.begin();
      }
    if (group && group->element == "float") {
      numbers.places.push_back(place);
      numbers.fields.push_back(group->fields[field]);
      continue;
    }
    if (!isa<host::TensorType>(backward.getArgumentTypes()[place]))
      continue;
    // Numbers are no tensors: ranks of groups, then arguments, then results.
    unsigned rank = group ? group - own.data() : argument ? own.size() : own.size() + 1;
    std::string name =
        group ? group->fields[field] : takeField(getArgumentName(backward, place), names);
    kept.push_back({rank, argument ? argument.getInt() : result.getInt(), place, name});
  }
  llvm::sort(kept, [](const Kept &a, const Kept &b) {
    return std::tie(a.rank, a.order) < std::tie(b.rank, b.order);
  });
  for (const Kept &each : kept) {
    saved.places.push_back(each.place);
    saved.fields.push_back(each.field);
  }
  ArgumentGroups &groups = parts.groups[backward.getSymName()];
  if (!numbers.places.empty()) {
    ArgumentGroup &whole = own.front();
    groups.push_back(
        {whole.parameter, whole.variable, whole.type, "", "float", numbers.places, numbers.fields});
  }
  if (!saved.places.empty())
    groups.push_back(std::move(saved));
}

void printSavedType(func::FuncOp program, const FileParts &parts, Writer &out) {
  for (const ArgumentGroup &group : getGroups(program, parts))
    if (group.parameter == "saved") {
      printTupleType(group.type, group.fields, out);
      out.line("");
      out.line("");
    }
}

void GroupFinder::printTable(const ArgumentGroup &group, llvm::StringRef comment, Writer &out) {
  out.line(comment);
  out.line(group.table + " = {");
  out.indent();
  for (unsigned place : group.places) {
    auto tensor = cast<host::TensorType>(forward.getArgumentTypes()[place]);
    llvm::SmallVector<Code> sizes;
    for (index::Expr size : tensor.getSizes())
      sizes.push_back(Code::text(size.isConstant() ? size.str() : "None"));
    Code row =
        Code::tuple({Code::text(getTorchDtype(tensor.getElementType())), Code::tuple(sizes)});
    out.statement(quote(cast<StringAttr>(type.getTree()[place]).getValue()) + ": ", row, ",");
  }
  out.dedent();
  out.line("}");
  out.line(group.type + " = namedtuple(" + quote(group.type) + ", map(_field, " + group.table +
           "))");
}

/// How arguments pass through autograd, which sees no tensors within tuples.
void GroupFinder::printFlattening(Writer &out) const {
  std::vector<std::string> names, slices;
  size_t end = 0;
  for (const ArgumentGroup &group : llvm::reverse(own)) {
    if (group.element == "float")
      continue;
    std::string last = end ? "-" + std::to_string(end) : "";
    end += group.places.size();
    names.insert(names.begin(), group.parameter);
    slices.insert(slices.begin(), "arguments[-" + std::to_string(end) + ":" + last + "]");
  }
  out.line("");
  out.line("");
  out.line("def _flat(*arguments):");
  out.indent();
  out.docstring("The arguments with every tensor on its own, as autograd takes them.");
  out.line("*others, " + llvm::join(names, ", ") + " = arguments");
  out.line("return (*others, *" + llvm::join(names, ", *") + ")");
  out.dedent();
  out.line("");
  out.line("");
  out.line("def _nest(*arguments):");
  out.indent();
  out.docstring("The opposite of `_flat`: tensors of the module in lists, as operators take them.");
  std::string lists;
  for (const std::string &slice : slices)
    lists += ", [*" + slice + "]";
  out.line("return (*arguments[:-" + std::to_string(end) + "]" + lists + ")");
  out.dedent();
}

void GroupFinder::print(Writer &out) {
  out.line("def _field(path):");
  out.indent();
  out.docstring("The name of a tensor at a path within the module.");
  out.line("name = path.replace(\".\", \"_\").lstrip(\"_\")");
  out.line("return f\"m{name}\" if name[0].isdigit() else name");
  out.dedent();
  for (const ArgumentGroup &group : own) {
    out.line("");
    out.line("");
    if (group.element == "float") {
      out.line("# The numbers of the module that kernels take.");
      printTupleType(group.type, group.fields, out);
    } else if (group.type == "_State") {
      printTable(group, "# What training writes to.", out);
    } else {
      printTable(group, "# Where the module has its parameters, their types and sizes.", out);
    }
  }
  printFlattening(out);
}

} // namespace nereid::emit
