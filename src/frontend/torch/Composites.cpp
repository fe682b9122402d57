// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The preludes: definitions of operators in PyTorch itself. @op registers a definition under its
// ATen schema and its Python spellings; a call becomes a graph.composite with the definition's
// body.
#include "frontend/torch/CompositeOperands.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

namespace {

/// The files of definitions; a family is read once, when a name of it is looked up.
struct PreludeText {
  StringLiteral file, name; // `activations.py`, `activations`
  const char *text;
};

constexpr PreludeText functionalTexts[] = {
#include "prelude_functional.inc"
};
constexpr PreludeText nnTexts[] = {
#include "prelude_nn.inc"
};
constexpr PreludeText initTexts[] = {
#include "prelude_init.inc"
};
constexpr PreludeText distributionTexts[] = {
#include "prelude_distributions.inc"
};

ArrayRef<PreludeText> textsOf(StringRef family) {
  return llvm::StringSwitch<ArrayRef<PreludeText>>(family)
      .Case("functional", functionalTexts)
      .Case("nn", nnTexts)
      .Case("distributions", distributionTexts)
      .Default(initTexts);
}

} // namespace

ModuleObject *TorchLibrary::prelude(StringRef family) {
  auto [entry, isNew] = preludes.try_emplace(family);
  if (isNew)
    for (const PreludeText &part : textsOf(family))
      if (!readPreludePart(family, part.name, part.text))
        return nullptr;
  ArrayRef<ModuleObject *> parts = preludes[family];
  return parts.empty() ? nullptr : parts.front();
}

bool TorchLibrary::readPreludePart(StringRef family, StringRef name, StringRef text) {
  auto file = std::make_shared<SourceFile>(("<torch/" + name + ".py>").str(), text.str());
  SmallVector<std::pair<StringRef, PyValue>> globals{
      {"torch", torchModule},
      {"F", module("torch.nn.functional")},
      {"nn", module("torch.nn")},
      {"prims", module("prims")},
      {"Parameter", parameterClass},
      {"op", spaces["prims"].lookup("op")},
      {"view", spaces["prims"].lookup("view")},
      {"export", spaces["prims"].lookup("export")},
  };
  preludeFile = (name + ".py").str();
  ModuleObject *part =
      machine->importSource(file, ("torch_prelude_" + name).str(), diagnostics, this, globals);
  if (!part && !machine->pending())
    machine->refuse("the definitions of torch could not be read");
  for (const ImportError &error : machine->getImportErrors())
    if (error.module == part)
      machine->refuse("a definition of torch could not be read: " + error.diagnostic.message);
  if (machine->pending())
    return false;
  preludes[family].push_back(part);
  return true;
}

PyValue TorchLibrary::registerDefinition(const CallArgs &args, PyValue value) {
  auto text = [&](StringRef key, StringRef otherwise) -> StringRef {
    auto *string = dyn_cast_if_present<StrObject>(args.keyword(key));
    return string ? string->text : otherwise;
  };
  StringRef schema = args.positional.empty() ? "" : cast<StrObject>(args.positional[0])->text;
  auto *function = dyn_cast<FunctionObject>(value);
  StringRef defaultName = function                  ? function->name->text
                          : isa<ClassObject>(value) ? cast<ClassObject>(value)->name
                                                    : StringRef();
  SmallVector<StringRef> names, places;
  text("names", defaultName).split(names, ' ');
  text("at", "torch Tensor").split(places, ' ');
  for (StringRef place : places)
    for (StringRef name : names)
      spaces[place][name] = value;
  registered.push_back({text("at", "torch Tensor").str(), text("names", defaultName).str(),
                        schema.str(), preludeFile, text("dtypes", "float").str()});
  // PyTorch takes `axis` for `dim` everywhere.
  auto takes = [&](StringRef name) {
    return any_of(function->code->args->args,
                  [&](const python::Arg *arg) { return arg->arg == name; });
  };
  if (schema.empty() && function && takes("dim") && !takes("axis")) {
    renaming.insert(function);
  }
  if (schema.empty() && function && !text("at", "").starts_with("Complex") &&
      text("at", "") != "prims") {
    machine->markFunction(*function, *this);
    exported.try_emplace(function, names.front().str());
  }
  if (!schema.empty() && function) {
    machine->markFunction(*function, *this);
    composites[function] = {schema.split('(').first.str(), text("dtypes", "float").str(), false,
                            dyn_cast_if_present<FunctionObject>(args.keyword("grad"))};
  }
  return value;
}

void TorchLibrary::definePrelude() {
  ModuleObject *prims = module("prims");
  auto decorator = [this](StringRef name) {
    spaces["prims"][name] =
        machine->makeBuiltin(name, [this](Machine &m, const CallArgs &args) -> PyValue {
          // The decorator keeps its arguments for when it meets the definition.
          SmallVector<PyValue> positional(args.positional);
          SmallVector<std::pair<machine::Name, PyValue>> keywords(args.keywords);
          return m.makeBuiltin(
              "definition", [this, positional, keywords](Machine &, const CallArgs &given) {
                return registerDefinition(CallArgs{positional, keywords}, given.positional.front());
              });
        });
  };
  decorator("op");
  decorator("export");
  // prims.rounded(tensor): as the results of the whole operator are, where these are halves;
  // kernels may leave it out.
  define("prims", "rounded", "(tensor)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    auto *tensor = dyn_cast<TensorValue>(a[0]);
    if (!tensor || !t.rounding || !isNarrowFloat(*t.rounding))
      return a[0];
    t.setPlace();
    return t.wrap(t.writer.cast(t.read(tensor), *t.rounding, true));
  });
  spaces["prims"]["view"] = spaces["prims"]["export"];
  // prims.stored(tensor): what is made once, in place of by all that read it.
  define("prims", "stored", "(tensor)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    mlir::Operation *op = t.read(cast<TensorValue>(a[0])).getDefiningOp();
    while (isa_and_present<graph::ReshapeOp, graph::TransposeOp, graph::BroadcastOp>(op))
      op = op->getOperand(0).getDefiningOp();
    if (op)
      op->setAttr("graph.stored", mlir::UnitAttr::get(t.context));
    return a[0];
  });
  // prims.tf32(tensor): what products of float32 take of it where PyTorch lets them take TF32.
  define("prims", "tf32", "(tensor)", [](TorchLibrary &t, ArrayRef<PyValue> a) -> PyValue {
    auto *tensor = dyn_cast<TensorValue>(a[0]);
    if (!tensor || t.rounding.value_or(tensor->dtype) != DType::F32)
      return a[0];
    t.setPlace();
    return t.wrap(t.writer.pointwise("tf32", {t.read(tensor)}));
  });
  for (const auto &entry : spaces["prims"])
    machine->setName(prims, entry.getKey(), entry.getValue());
}

/// The type that the operator rounds its results to, and looks at: that of one of its tensors, or
/// what they promote to.
static std::optional<DType> commonType(const CompositeInfo &info, ArrayRef<Typed> types) {
  bool isFirst = info.dtypes == "first" || info.dtypes == "norm";
  if (isFirst && !types.empty())
    return types.front().type;
  if (info.dtypes == "second" && types.size() > 1)
    return types[1].type;
  return resultType(types);
}

/// An exception unless the operator takes the types of its tensors.
static bool checkTypes(TorchLibrary &t, const CompositeInfo &info, ArrayRef<Typed> types) {
  StringRef own = StringRef(info.name).split("::").second.split('.').first;
  bool refusesBool = info.dtypes == "promote_number" || info.dtypes == "one";
  if (refusesBool && any_of(types, [](Typed type) { return type.type == DType::Bool; })) {
    t.machine->raise("RuntimeError", "\"" + own + "\" not implemented for 'Bool'");
    return false;
  }
  bool same = all_of(types, [&](Typed type) { return type.type == types.front().type; });
  if ((info.dtypes == "same" || info.dtypes == "one") && !same) {
    t.machine->raise("RuntimeError", own + "(): the types of its operands differ");
    return false;
  }
  bool takesFloats = info.dtypes == "float" || info.dtypes == "same" || info.dtypes == "norm" ||
                     info.dtypes == "second";
  if (!takesFloats || types.empty())
    return true;
  std::optional<DType> common = commonType(info, types);
  if (common && isFloat(*common))
    return true;
  t.machine->raise("RuntimeError", "\"" + own + "\" not implemented for '" +
                                       getScalarName(common.value_or(DType::I64)) + "'");
  return false;
}

/// The operator whose body is what its definition computed, with results as PyTorch rounds them.
static graph::CompositeOp closeBody(TorchLibrary &t, const CompositeInfo &info,
                                    std::unique_ptr<mlir::Block> block,
                                    ArrayRef<TensorValue *> inner, std::optional<DType> common,
                                    ArrayRef<mlir::Value> operands) {
  GraphWriter &writer = t.writer;
  mlir::OpBuilder::InsertPoint outside = writer.builder.saveInsertionPoint();
  writer.builder.setInsertionPointToEnd(block.get());
  // What writes to its second operand has that one's type, whatever the others are.
  bool rounds = common && info.dtypes != "own" &&
                (isNarrowFloat(*common) || (info.dtypes == "second" && isFloat(*common)));
  SmallVector<mlir::Value> yielded;
  for (TensorValue *tensor : inner) {
    mlir::Value value = t.read(tensor);
    if (rounds && isFloat(tensor->dtype))
      value = writer.cast(value, *common, true);
    yielded.push_back(value);
  }
  graph::YieldOp::create(writer.builder, writer.place, yielded);
  writer.builder.restoreInsertionPoint(outside);
  auto composite =
      graph::CompositeOp::create(writer.builder, writer.place,
                                 mlir::TypeRange(mlir::ValueRange(yielded)), info.name, operands);
  composite.getBody().push_back(block.release());
  return composite;
}

PyValue TorchLibrary::runComposite(FunctionObject &function, const CompositeInfo &info,
                                   const CallArgs &args) {
  setPlace();
  auto bound = machine->bindArguments(function, args);
  if (!bound)
    return nullptr;
  auto block = std::make_unique<mlir::Block>();
  mlir::OpBuilder::InsertPoint outside = writer.builder.saveInsertionPoint();
  writer.builder.setInsertionPointToEnd(block.get());
  std::optional<DType> asked;
  for (auto [name, value] : *bound)
    if (name->text == "dtype")
      dtypeArg(value, asked);
  bool hasWide =
      asked == DType::F64 || any_of(*bound, [](const auto &entry) { return isWide(entry.second); });
  Operands operands(*this, *block, outside, info.dtypes, hasWide);
  SmallVector<std::pair<machine::Name, PyValue>> keywords;
  SmallVector<PyValue> positional;
  bool inPlace = false;
  for (auto [name, value] : *bound) {
    if (name->text == "inplace" && isa<BoolObject>(value)) {
      inPlace = cast<BoolObject>(value)->value();
      value = machine->makeBool(false);
    }
    keywords.push_back({name, value});
    positional.push_back(operands.replace(value));
  }
  PyValue result = nullptr;
  std::optional<DType> common = asked ? asked : commonType(info, operands.types);
  // Inside of another definition tensors are as wide as that one computes.
  llvm::SaveAndRestore<std::optional<DType>> rounds(rounding, compositeDepth ? rounding : common);
  bool floatAsked = asked && isFloat(*asked);
  if (!machine->pending() && (floatAsked || checkTypes(*this, info, operands.types))) {
    ++compositeDepth;
    result = machine->callWithPolicy(function, CallArgs{positional, {}}, *this);
    --compositeDepth;
  }
  setPlace();
  writer.builder.restoreInsertionPoint(outside);
  if (!result || isPoisoned(result))
    return result ? poison() : nullptr;
  if (info.dtypes == "own" && operands.areWritten())
    return machine->refuse("an autograd.Function writes in place to a tensor that it is given",
                           "write to a clone");
  // A definition that hands an argument on is no operator.
  SmallVector<TensorValue *> inner = resultsOf(result), outer;
  for (TensorValue *tensor : inner) {
    auto place = find(operands.inner, tensor);
    outer.push_back(place == operands.inner.end() ? nullptr
                                                  : operands.outer[place - operands.inner.begin()]);
  }
  if (!is_contained(outer, nullptr) && info.dtypes != "own")
    return withTensors(*this, result, outer);
  graph::CompositeOp composite =
      closeBody(*this, info, std::move(block), inner, common, operands.values);
  if (gradients && info.gradient && !writeGradient(composite, info, keywords, result))
    return nullptr;
  for (auto [place, value] : enumerate(composite.getResults()))
    outer[place] = wrap(value);
  result = withTensors(*this, result, outer);
  return inPlace && result ? storeInPlace(operands.outer.front(), result) : result;
}

Answer TorchLibrary::callFunction(Machine &, FunctionObject &function, const CallArgs &args) {
  if (auto mode = modes.find(&function); mode != modes.end())
    return callInMode(function, args, Mode(mode->second));
  auto plain = exported.find(&function);
  if (plain != exported.end() && isComplexCall(args))
    if (lookup("Complex", plain->second) != &function)
      return machine->pending() ? nullptr : complexCall(plain->second, args);
  if (renaming.contains(&function))
    return machine->callWithPolicy(function, {args.positional, withTorchNames(args.keywords)},
                                   *this);
  auto found = composites.find(&function);
  if (found == composites.end())
    return std::nullopt;
  for (PyValue arg : args.positional)
    if (isPoisoned(arg))
      return poison();
  std::string name = found->second.name;
  name = StringRef(name).split("::").second.split('.').first.str();
  if (isComplexCall(args))
    return complexCall(name, args);
  auto keywords = withTorchNames(args.keywords);
  PyValue out = machine->none();
  for (auto *entry = keywords.begin(); entry != keywords.end(); ++entry)
    if (entry->first->text == "out") {
      out = entry->second;
      keywords.erase(entry);
      break;
    }
  bool hasDType = any_of(keywords, [](const auto &entry) {
    return entry.first->text == "dtype" && !isa<NoneObject>(entry.second);
  });
  if (CallArgs all{args.positional, keywords}; isMasked(all))
    return maskedCall(name, &function, all,
                      [&](const CallArgs &each) { return machine->call(&function, each); });
  auto positional = autocastArguments(name, args.positional, hasDType);
  for (auto &[keyword, value] : keywords) {
    auto cast = positional ? autocastArguments(name, {value}, hasDType) : std::nullopt;
    if (!cast)
      return nullptr;
    value = cast->front();
  }
  if (!positional)
    return nullptr;
  CallArgs named{*positional, keywords};
  // Inside of another definition the body is read in its place, unless that would lose a gradient.
  bool isKept = gradients && !gradientDepth && found->second.gradient;
  PyValue result = compositeDepth && !isKept ? machine->callWithPolicy(function, named, *this)
                                             : runComposite(function, found->second, named);
  return result ? storeOut(out, result) : nullptr;
}

} // namespace nereid::torch
