// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Signatures.h"
#include "audit/NameHints.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid::audit {

using triton::JitFunction;

namespace {

/// What is left to choose where nothing says more.
struct Choices {
  StringRef name; // how it differs from the first choice
  StringRef floats = "fp32";
  StringRef integers = "i32";
  StringRef size = "64";
  /// How many items a tuple has.
  unsigned items = 2;
  /// Each size is twice the one before.
  bool isGrowing = false;
  /// Pointers lead to integers, whatever a launch says.
  bool isOfIntegers = false;
  /// Pointers lead to what the function compares their elements' dtypes with, sizes are numbers
  /// that it compares them with, and dtypes of what integers are cast to those of integers.
  bool areAsCompared = false;
  /// What device functions take for floats are tiles of so many axes, of that size.
  unsigned tileRank = 0;
  /// Switches are on, and what may be None is there.
  bool isOn = true;
  /// What heuristics compute is left to them.
  bool trustsHeuristics = true;
  /// The launch, configuration and alternative among strings that are taken.
  unsigned turn = 0;
};

/// Builds the signature of one function under some choices.
class Guess {
public:
  Guess(triton::TritonProject &project, FunctionUses &uses, ArrayRef<Launch> launches,
        const Choices &choices)
      : project(project), uses(uses), choices(choices) {
    attempt.request.isDevice = launches.empty();
    if (!launches.empty())
      launch = &launches[choices.turn % launches.size()];
  }

  Attempt make(const JitFunction &function);

private:
  using Kind = LaunchArgument::Kind;

  void infer(const JitFunction &function, const python::Arg &arg, bool hasDefault);
  void inferConstant(const JitFunction &function, const python::Arg &arg, bool hasDefault);
  void inferSelf(const JitFunction &function, StringRef name);
  void inferType(const python::Arg &arg, bool hasDefault);
  std::string getTypeByUse(const ParameterUse &use, StringRef name, std::string &source);
  std::string getType(const ParameterUse &use, const LaunchArgument &given, StringRef name,
                      std::string &source);
  unsigned countItems(const ParameterUse &use, const LaunchArgument &given) const;
  std::string getItem(const ParameterUse &use, const LaunchArgument &given, StringRef name,
                      std::string &source);
  std::string getTuple(const ParameterUse &use, const LaunchArgument &given, StringRef name,
                       std::string &source);
  std::string getTupleConstant(const ParameterUse &use, const LaunchArgument &given, StringRef name,
                               std::string &source);
  std::string getPointer(const ParameterUse &use, StringRef pointee);
  std::string getDescriptor(const ParameterUse &use, const LaunchArgument &given);
  std::string getConstantByUse(const ParameterUse &use, StringRef name, std::string &source);
  void constant(StringRef name, std::string value, std::string source, bool isGuess = false);
  void type(StringRef name, std::string value, std::string source);
  std::string describe(const ParameterUse &use) const;
  std::string describeLaunch() const;
  std::string spellDtype(StringRef name) const;
  std::string makeSize();

  triton::TritonProject &project;
  FunctionUses &uses;
  const Choices &choices;
  const Launch *launch = nullptr;
  unsigned sizes = 0; // so far
  Attempt attempt;
};

std::string describePlace(const SourceLocation &place) {
  LineColumn at = place.file->getLineColumn(place.range.begin);
  return place.file->getName().str() + ":" + std::to_string(at.line);
}

} // namespace

std::string Guess::describe(const ParameterUse &use) const {
  if (!use.place)
    return "nothing: a guess";
  LineColumn at = uses.function->file->getLineColumn(use.place->range.begin);
  return "its use in line " + std::to_string(at.line);
}

std::string Guess::describeLaunch() const {
  return "the launch at " + describePlace(launch->place);
}

void Guess::constant(StringRef name, std::string value, std::string source, bool isGuess) {
  attempt.request.constexprs[name.str()] = value;
  attempt.parameters.push_back({name.str(), std::move(value), std::move(source), isGuess});
}

void Guess::type(StringRef name, std::string value, std::string source) {
  attempt.request.signature[name.str()] = value;
  // A function that only kernels can call may take tiles.
  bool isFloat = StringRef(value).starts_with("fp") || StringRef(value).starts_with("bf");
  unsigned known = uses.find(name)->tileRank;
  unsigned rank = known != 0 ? known : isFloat ? choices.tileRank : 0;
  if (attempt.request.isDevice && rank != 0) {
    int64_t size = 1;
    StringRef(choices.size).getAsInteger(10, size);
    attempt.request.tiles[name.str()].assign(rank, size);
    for (unsigned axis = 0; axis < rank; ++axis)
      value += (axis ? ", " : "[") + choices.size.str();
    value += "]";
  }
  // What heuristics compute from sizes, they compute from these.
  if (StringRef(value).starts_with("i") && value != "i1")
    attempt.request.values[name.str()] = "1024";
  attempt.parameters.push_back({name.str(), std::move(value), std::move(source)});
}

/// The dtype as the kernel's file can write it; empty where it cannot.
std::string Guess::spellDtype(StringRef name) const {
  for (StringRef prefix : {"tl.", "triton.language.", "language."})
    if (auto text = project.evaluate(*uses.function, (prefix + name).str()))
      return *text;
  return "";
}

std::string Guess::makeSize() {
  unsigned size = 0;
  choices.size.getAsInteger(10, size);
  return std::to_string(choices.isGrowing ? size << std::min(sizes++, 4u) : size);
}

std::string Guess::getConstantByUse(const ParameterUse &use, StringRef name, std::string &source) {
  if (use.isTuple)
    return getTupleConstant(use, LaunchArgument(), name, source);
  source = describe(use);
  if (name == "num_warps" || name == "num_stages" || name == "num_ctas") {
    source = "the options of a launch";
    return name == "num_warps" ? "4" : name == "num_stages" ? "3" : "1";
  }
  // Sums are held wider than what is summed.
  bool isWide = choices.floats == "fp32" || namesSums(name);
  // One name may stand for integers first, and for what they become later.
  if (use.isDtype && use.isIntegers && choices.areAsCompared)
    return spellDtype("int32");
  if (use.isDtype)
    return spellDtype(use.isNarrow ? "float8e4nv" : isWide ? "float32" : "float16");
  if (!use.compared.empty()) {
    auto chosen = use.compared.begin();
    std::advance(chosen, choices.turn % use.compared.size());
    if (!use.isSize || choices.areAsCompared ||
        isdigit(static_cast<unsigned char>(chosen->front())) == 0)
      return *chosen;
  }
  if (use.isText)
    return "''";
  if (use.isSize)
    return makeSize();
  if (use.isCalled && use.isOptional)
    return "None";
  if (use.isCount)
    return "4";
  if (!use.comparedWithin.empty() && !use.isPointer && !use.isAxis) {
    auto chosen = use.comparedWithin.begin();
    std::advance(chosen, choices.turn % use.comparedWithin.size());
    return *chosen;
  }
  bool isPointer = use.isPointer && !use.isInteger;
  if (use.isCondition || use.isBit || isPointer)
    return choices.isOn && !isPointer ? "True" : isPointer ? "None" : "False";
  if (use.isAxis)
    return "0";
  return use.isFloat && !use.isInteger ? "1.0" : choices.size.str();
}

/// A number that is no power of two sizes no tile: the launch computes something from it first.
static bool isPossibleSize(StringRef text) {
  uint64_t number;
  return text.getAsInteger(10, number) || isPowerOf2_64(number);
}

void Guess::inferConstant(const JitFunction &function, const python::Arg &arg, bool hasDefault) {
  StringRef name = arg.arg;
  const ParameterUse &use = *uses.find(name);
  LaunchArgument given = launch ? launch->arguments.lookup(name) : LaunchArgument();
  switch (given.kind) {
  case Kind::Constant:
    if (use.isSize && !isPossibleSize(given.text))
      break;
    return constant(name, given.text, describeLaunch());
  case Kind::Boolean:
    return constant(name, choices.isOn ? "True" : "False", describeLaunch() + ", a condition");
  case Kind::PowerOfTwo:
    return constant(name, makeSize(), describeLaunch() + ", a power of two", /*isGuess=*/true);
  case Kind::Dtype:
    if (std::string text = spellDtype(given.text); !text.empty())
      return constant(name, text, describeLaunch());
    break;
  default:
    break;
  }
  auto note = [&](StringRef value, StringRef source) {
    attempt.parameters.push_back({name.str(), value.str(), source.str()});
  };
  if (!function.configs.empty()) {
    const auto &config = function.configs[attempt.request.config];
    if (auto found = config.find(name.str()); found != config.end())
      return note(found->second, "its autotune list");
  }
  if (is_contained(function.computed, name) && choices.trustsHeuristics)
    return note("", "its heuristics");
  if (hasDefault && !(launch && launch->arguments.count(name)))
    return note("", "its default");
  if (use.isTuple && (!use.names.empty() || !given.names.empty())) {
    std::string source, items = getTuple(use, given, name, source);
    return type(name, items, source);
  }
  std::string source, value = given.kind == Kind::Tuple ? getTupleConstant(use, given, name, source)
                                                        : getConstantByUse(use, name, source);
  if (!value.empty())
    constant(name, value, source, /*isGuess=*/true);
}

std::string Guess::getPointer(const ParameterUse &use, StringRef pointee) {
  bool isFloat = pointee.contains('f');
  if (choices.areAsCompared && !use.pointees.empty())
    return "*" + *use.pointees.begin();
  if (choices.isOfIntegers && (pointee.empty() || isFloat))
    return "*" + choices.integers.str();
  if (use.pointee == Pointee::Address)
    return "*i64";
  if (use.pointee == Pointee::Bit && (pointee.empty() || isFloat))
    return "*i1";
  if (use.pointee == Pointee::Byte && (pointee.empty() || isFloat))
    return "*i8";
  if (use.pointee == Pointee::Integer && (pointee.empty() || isFloat))
    return "*" + choices.integers.str();
  // What a launch says of floats is kept at first: another type may be what fails.
  if (pointee.empty() || (isFloat && choices.floats != "fp32"))
    return "*" + choices.floats.str();
  return "*" + pointee.str();
}

/// A descriptor that the host makes. A hook of the configuration may set its blocks, and does so
/// over what stands here.
std::string Guess::getDescriptor(const ParameterUse &use, const LaunchArgument &given) {
  std::string block = given.text;
  if (block.empty()) {
    // Of more than two axes the last two have a block's sizes, most often.
    SmallVector<StringRef> sizes(use.descriptorRank, "1");
    for (unsigned axis = 0; axis < std::min(use.descriptorRank, 2u); ++axis)
      sizes[use.descriptorRank - 1 - axis] = choices.size;
    block = "[" + join(sizes, ", ") + "]";
  }
  return ("tensordesc<" + choices.floats + block + ">").str();
}

std::string Guess::getTypeByUse(const ParameterUse &use, StringRef name, std::string &source) {
  source = describe(use);
  if (use.isPointer || use.isDescriptor)
    return getPointer(use, "");
  if (use.isBit && !use.isSize)
    return "i1";
  if (use.isFloat && !use.isInteger)
    return "fp32";
  if (use.isInteger || use.isSize)
    return choices.integers.str();
  if (use.isCondition)
    return "i1";
  source = "its name";
  std::string lower = name.lower();
  StringRef text = lower;
  if (text.ends_with("ptr") || text.ends_with("_ptrs"))
    return getPointer(use, "");
  for (StringRef part : {"stride", "num", "size", "len", "idx", "index", "offset"})
    if (text.contains(part))
      return choices.integers.str();
  source = "nothing: a guess";
  return uses.returns.empty() && text.size() > 1 && !text.contains("eps") && !text.contains("scale")
             ? choices.integers.str()
             : "fp32";
}

/// What a launch and its use say.
std::string Guess::getType(const ParameterUse &use, const LaunchArgument &given, StringRef name,
                           std::string &source) {
  if (use.isTuple || given.kind == Kind::Tuple) {
    std::string items = getTuple(use, given, name, source);
    // Else what is known of the last of them is from there.
    if (!given.items.empty())
      source = describeLaunch();
    else if (use.getItem(0).place)
      source = describe(use.getItem(0));
    return items;
  }
  if (use.isPointer && given.kind != Kind::Pointer) {
    source = describe(use);
    return getPointer(use, "");
  }
  StringRef text = given.text;
  source = launch ? describeLaunch() : "";
  switch (given.kind) {
  case Kind::Pointer:
    return getPointer(use, text);
  case Kind::Integer:
    return use.isFloat && !use.isInteger ? "fp32" : choices.integers.str();
  case Kind::Float:
    return "fp32";
  case Kind::Boolean:
    return "i1";
  case Kind::Constant:
    if (text == "None")
      break;
    if (text == "True" || text == "False")
      return "i1";
    if (text.find_first_of(".e") != StringRef::npos)
      return "fp32";
    return use.isFloat ? "fp32" : choices.integers.str();
  default:
    break;
  }
  return getTypeByUse(use, name, source);
}

/// A tuple has the items of the launch, else as many as the function names; where it names none, or
/// others by `x[i]`, that is a guess.
unsigned Guess::countItems(const ParameterUse &use, const LaunchArgument &given) const {
  if (!given.items.empty())
    return given.items.size();
  unsigned unnamed = use.items.empty() || !use.each.empty() ? choices.items : 0;
  return std::max<unsigned>(unnamed, use.items.size());
}

std::string Guess::getTuple(const ParameterUse &use, const LaunchArgument &given, StringRef name,
                            std::string &source) {
  ArrayRef<std::string> names = given.names.empty() ? use.names : given.names;
  std::string text = "(";
  for (unsigned number = 0, count = countItems(use, given); number < count; ++number) {
    LaunchArgument item = number < given.items.size() ? given.items[number] : LaunchArgument();
    bool isNamed = number < names.size();
    ParameterUse own = isNamed ? use.getField(names[number]) : use.getItem(number);
    text += number ? ", " : "";
    text += (isNamed ? names[number] + ": " : "") + getItem(own, item, name, source);
  }
  return text + ")";
}

/// What only a constexpr can be: the size of a tile, a dtype, a text.
static bool isConstant(const ParameterUse &use) {
  if (use.isPointer || use.isDescriptor || use.isTuple)
    return false;
  bool isText =
      any_of(use.compared, [](const std::string &value) { return !isDigit(value.front()); });
  return use.isConstexpr || use.isSize || use.isDtype || use.isText || use.isCount || isText;
}

std::string Guess::getItem(const ParameterUse &use, const LaunchArgument &given, StringRef name,
                           std::string &source) {
  bool isKnown = given.kind == Kind::Constant;
  if (isKnown && given.text == "None")
    return "None";
  if (isKnown && StringRef("'\"").contains(given.text.front()))
    return "=" + given.text;
  if (use.descriptorRank > 0 || given.kind == Kind::Descriptor)
    return getDescriptor(use, given);
  if (isConstant(use))
    return "=" + (isKnown ? given.text : getConstantByUse(use, name, source));
  return getType(use, given, name, source);
}

std::string Guess::getTupleConstant(const ParameterUse &use, const LaunchArgument &given,
                                    StringRef name, std::string &source) {
  std::string text = "(";
  for (unsigned number = 0, count = countItems(use, given); number < count; ++number) {
    LaunchArgument item = number < given.items.size() ? given.items[number] : LaunchArgument();
    std::string one = getConstantByUse(use.getItem(number), name, source);
    if (item.kind == Kind::Constant)
      one = item.text;
    text += one + ", ";
  }
  return text + ")";
}

/// `self` of a method: an object of its class.
void Guess::inferSelf(const JitFunction &function, StringRef name) {
  const ParameterUse &use = *uses.find(name);
  std::string source = "its class", text;
  for (const auto &[field, isConstexpr] : function.fields) {
    ParameterUse own = use.getField(field);
    own.isConstexpr |= isConstexpr;
    text +=
        (text.empty() ? "(" : ", ") + field + ": " + getItem(own, LaunchArgument(), field, source);
  }
  type(name, function.owner + text + ")", "its class");
}

void Guess::inferType(const python::Arg &arg, bool hasDefault) {
  StringRef name = arg.arg;
  const ParameterUse &use = *uses.find(name);
  StringRef annotation = arg.annotation ? uses.function->file->getText(*arg.annotation) : "";
  StringRef quoted = annotation.trim("\"'");
  if (quoted != annotation && (quoted.starts_with("*") || !getElementType(quoted).empty()))
    return type(name, quoted.str(), "its annotation");
  if (annotation.ends_with(".const")) // a pointer through which nothing is stored
    return type(name, getPointer(use, "").insert(1, "k"), "its annotation");
  if (annotation.contains("tl.") && !annotation.contains("tensor") && !annotation.contains("tuple"))
    return attempt.parameters.push_back({name.str(), annotation.str(), "its annotation"});
  if (annotation == "int" || annotation == "float" || annotation == "bool")
    return type(name,
                annotation == "int"     ? choices.integers.str()
                : annotation == "float" ? "fp32"
                                        : "i1",
                "its annotation");
  LaunchArgument given = launch ? launch->arguments.lookup(name) : LaunchArgument();
  bool isNone = given.kind == Kind::Constant && given.text == "None";
  bool isPointer = use.isPointer || given.kind == Kind::Pointer;
  if (!choices.isOn && (isNone || use.isOptional || (hasDefault && isPointer)))
    return constant(name, "None", isNone ? describeLaunch() : "that it may be missing");
  if (use.descriptorRank > 0 && !use.isPointer)
    return type(name, getDescriptor(use, given),
                given.text.empty() ? describe(use) : describeLaunch());
  if (hasDefault && !isPointer && given.kind == Kind::Unknown)
    return attempt.parameters.push_back({name.str(), "", "its default"});
  std::string source, value = getType(use, given, name, source);
  type(name, value, source);
}

void Guess::infer(const JitFunction &function, const python::Arg &arg, bool hasDefault) {
  const ParameterUse &use = *uses.find(arg.arg);
  if (!function.fields.empty() && arg.arg == uses.parameters.front().first)
    return inferSelf(function, arg.arg);
  // A tile's size without the annotation: upstream takes it where the launch gives a constant 1.
  bool isConstant = use.isConstexpr || use.isDtype || use.isCalled ||
                    (use.isAxis && !use.isInteger && !use.isSize && attempt.request.isDevice);
  bool isTuned = is_contained(function.computed, arg.arg);
  for (const auto &config : function.configs)
    isTuned |= config.count(arg.arg.str()) != 0;
  if (isConstant || isTuned)
    inferConstant(function, arg, hasDefault);
  else
    inferType(arg, hasDefault);
}

Attempt Guess::make(const JitFunction &function) {
  attempt.difference = choices.name.str();
  attempt.request.kernel = function.name;
  attempt.request.config = function.configs.empty() ? 0 : choices.turn % function.configs.size();
  const python::Arguments &args = *function.def->args;
  size_t positional = args.posonlyargs.size() + args.args.size(), index = 0;
  for (auto list : {args.posonlyargs, args.args})
    for (const python::Arg *arg : list)
      infer(function, *arg, ++index > positional - args.defaults.size());
  for (auto [arg, value] : zip(args.kwonlyargs, args.kwDefaults))
    infer(function, *arg, value != nullptr);
  return std::move(attempt);
}

std::string Attempt::describeDifference() const {
  std::string text = difference;
  for (const auto &[name, value] : changes)
    text += (text.empty() ? "" : ", ") + name + " as " + value;
  return text;
}

bool isSame(const Attempt &one, const Attempt &other) {
  return one.request.signature == other.request.signature &&
         one.request.constexprs == other.request.constexprs &&
         one.request.tiles == other.request.tiles && one.request.config == other.request.config;
}

std::vector<Attempt> makeAttempts(triton::TritonProject &project, Uses &uses,
                                  const Launches &launches, JitFunction &function) {
  static const Choices all[] = {
      {.name = ""},
      {.name = "floats as fp16", .floats = "fp16"},
      {.name = "switches off", .isOn = false},
      {.name = "floats as fp16, switches off", .floats = "fp16", .isOn = false},
      {.name = "what heuristics compute guessed", .trustsHeuristics = false},
      {.name = "the next launch or configuration", .turn = 1},
      {.name = "integers as i64", .integers = "i64"},
      {.name = "integers as u32", .integers = "u32"},
      {.name = "sizes of 16", .size = "16"},
      {.name = "tiles", .tileRank = 2},
      {.name = "tiles of one axis", .tileRank = 1},
      {.name = "pointers to integers", .isOfIntegers = true},
      {.name = "dtypes and sizes as they are compared", .areAsCompared = true},
      {.name = "tuples as long as sizes", .items = 64},
      {.name = "sizes that grow from 16", .size = "16", .isGrowing = true},
      {.name = "floats as bf16, sizes of 128, the third launch",
       .floats = "bf16",
       .size = "128",
       .turn = 2},
  };
  static_assert(std::size(all) <= mostAttempts);
  std::vector<Attempt> attempts;
  for (const Choices &choices : all) {
    Attempt attempt =
        Guess(project, *uses.find(&function), launches.of(&function), choices).make(function);
    if (none_of(attempts, [&](const Attempt &other) { return isSame(other, attempt); }))
      attempts.push_back(std::move(attempt));
  }
  return attempts;
}

} // namespace nereid::audit
