// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/HostRules.h"
#include "audit/UseFlow.h"

#include "python/AstVisit.h"

#include "llvm/ADT/MapVector.h"

using namespace llvm;

namespace nereid::audit {

namespace {
/// One function that launches kernels.
class HostFunction {
public:
  HostFunction(const python::ParsedFile &file, const python::FunctionDef &def,
               std::vector<Finding> &findings)
      : file(file), def(def), findings(findings) {
    for (const python::Stmt *stmt : def.body)
      read(*stmt);
  }

  void findHalfScratch();

private:
  void read(const python::Node &node);
  void readCall(const python::Call &call);

  const python::ParsedFile &file;
  const python::FunctionDef &def;
  std::vector<Finding> &findings;
  /// Names that are bound to a new tensor of the type of another one, and where.
  llvm::MapVector<StringRef, std::pair<const python::Call *, std::string>> scratch;
  /// Names that are given to a kernel, and those that are summed in their own type.
  llvm::StringSet<> launched, summed;
};
} // namespace

static const python::Expr *keywordOf(const python::Call &call, StringRef name) {
  for (const python::Keyword *given : call.keywords)
    if (given->arg == name)
      return given->value;
  return nullptr;
}

/// `W` of a tensor that is made in the type of `W`; empty for others.
static std::string typeOwnerOf(const python::Call &call, const python::ParsedFile &file) {
  StringRef name = getLastName(*call.func);
  bool isLike = is_contained({"empty_like", "zeros_like"}, name);
  bool isNew = is_contained({"new_empty", "new_zeros"}, name);
  if (!isLike && !isNew && !is_contained({"empty", "zeros"}, name))
    return "";
  if (const python::Expr *type = keywordOf(call, "dtype")) {
    auto *attribute = dyn_cast<python::Attribute>(type);
    bool isTensors = attribute && attribute->attr == "dtype";
    return isTensors ? file.getText(*attribute->value).str() : "";
  }
  if (isLike && !call.args.empty())
    return file.getText(*call.args[0]).str();
  auto *method = dyn_cast<python::Attribute>(call.func);
  return isNew && method ? file.getText(*method->value).str() : "";
}

void HostFunction::readCall(const python::Call &call) {
  auto note = [&](const python::Expr *value) {
    if (auto *name = dyn_cast<python::Name>(value))
      launched.insert(name->id);
  };
  if (isa<python::Subscript>(call.func)) {
    for_each(call.args, note);
    for (const python::Keyword *given : call.keywords)
      note(given->value);
  }
  auto *method = dyn_cast<python::Attribute>(call.func);
  if (!method || method->attr != "sum" || keywordOf(call, "dtype"))
    return;
  const python::Expr *self = method->value;
  if (auto *module = dyn_cast<python::Name>(self);
      module && module->id == "torch" && !call.args.empty())
    self = call.args[0];
  if (auto *name = dyn_cast<python::Name>(self))
    summed.insert(name->id);
}

void HostFunction::read(const python::Node &node) {
  if (isa<python::FunctionDef, python::ClassDef, python::Lambda>(node))
    return;
  if (auto *assign = dyn_cast<python::Assign>(&node); assign && assign->targets.size() == 1) {
    auto *name = dyn_cast<python::Name>(assign->targets[0]);
    auto *made = dyn_cast<python::Call>(assign->value);
    if (std::string owner = name && made ? typeOwnerOf(*made, file) : ""; !owner.empty())
      scratch[name->id] = {made, owner};
  }
  if (auto *call = dyn_cast<python::Call>(&node))
    readCall(*call);
  python::forEachChild(node, [&](const python::Node &child) { read(child); });
}

/// TRN015: what a kernel leaves for the host to sum is rounded to the type of something else. One
/// finding for a function.
void HostFunction::findHalfScratch() {
  std::optional<size_t> told;
  for (const auto &[name, made] : scratch) {
    if (!launched.contains(name) || !summed.contains(name))
      continue;
    std::string what = "'" + name.str() + "' holds sums of a kernel in the type of '" + made.second;
    if (told) {
      findings[*told].diagnostic.addNote(file.getLocation(*made.first), what + "' too");
      continue;
    }
    told = findings.size();
    Finding &finding = findings.emplace_back();
    finding.rule = findRule("TRN015");
    finding.severity = finding.rule->severity;
    finding.certainty = Certainty::Likely;
    finding.kernel = def.name.str();
    finding.diagnostic.severity = finding.severity;
    finding.diagnostic.location = file.getLocation(*made.first);
    finding.diagnostic.message = what + "', and the host sums them again";
    finding.diagnostic.help = "make it of torch.float32, and cast what it comes to";
  }
}

static void visit(const python::Node &node, const python::ParsedFile &file,
                  const llvm::DenseSet<const python::FunctionDef *> &kernels,
                  std::vector<Finding> &findings) {
  if (auto *def = dyn_cast<python::FunctionDef>(&node)) {
    if (kernels.contains(def))
      return;
    HostFunction(file, *def, findings).findHalfScratch();
  }
  python::forEachChild(node,
                       [&](const python::Node &child) { visit(child, file, kernels, findings); });
}

void applyHostRules(const python::ParsedFile &file,
                    const llvm::DenseSet<const python::FunctionDef *> &kernels,
                    std::vector<Finding> &findings) {
  visit(file.getModule(), file, kernels, findings);
}

} // namespace nereid::audit
