// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guesses that have to agree: an import that fails says what would have to hold, and one guessed
// size, the tiles of a device function or the types of arguments are changed so that it does.
//
//   tl.reshape(x, (BLOCK // 8, 8))     x: 64 x 1, BLOCK: 64     GROUP * 1 == (BLOCK // 8) * 8
#include "audit/Signatures.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid::audit {

namespace {

/// A number that may be another one: a meta-parameter, or an extent of a tile.
struct Size {
  std::string name;
  int64_t value = 0;
  std::string parameter;
  int axis = -1; // of a tile
};

class Mender {
public:
  Mender(triton::TritonProject &project, const Attempt &failed) : project(project), failed(failed) {
    findSizes();
  }

  std::vector<Attempt> mendSizes(const std::string &condition) {
    std::vector<Attempt> result;
    for (const Size &size : guesses)
      if (isNamed(condition, size.name))
        if (std::optional<int64_t> value = findValue(condition, size))
          result.push_back(with(size, *value));
    return result;
  }

  std::vector<Attempt> mendRanks(const triton::Requirement &required) {
    if (!failed.request.isDevice)
      return {};
    Attempt attempt = failed;
    for (const std::string &name : required.arguments) {
      auto given = attempt.request.signature.find(name);
      if (given == attempt.request.signature.end() || StringRef(given->second).starts_with("("))
        continue;
      std::vector<int64_t> &shape = attempt.request.tiles[name];
      constexpr int64_t usualSize = 64;
      if (shape.size() < required.rank)
        shape.resize(required.rank, usualSize);
      change(attempt, name);
    }
    return {attempt};
  }

  std::vector<Attempt> mendTypes(const triton::Requirement &required) {
    Attempt attempt = failed;
    for (const triton::Requirement::Type &needed : required.types) {
      auto given = attempt.request.signature.find(needed.argument);
      if (given == attempt.request.signature.end() || StringRef(given->second).starts_with("("))
        continue;
      given->second = std::string(needed.loads, '*') + needed.type;
      // What is loaded or made a pointer is no tile.
      if (StringRef(given->second).starts_with("*"))
        attempt.request.tiles.erase(needed.argument);
      change(attempt, needed.argument);
    }
    return {attempt};
  }

private:
  void findSizes() {
    for (const InferredParameter &parameter : failed.parameters) {
      auto found = failed.request.constexprs.find(parameter.name);
      int64_t value;
      if (found == failed.request.constexprs.end() ||
          StringRef(found->second).getAsInteger(0, value))
        continue;
      known[parameter.name] = value;
      if (parameter.isGuess)
        guesses.push_back({parameter.name, value, parameter.name});
    }
    for (const auto &[name, shape] : failed.request.tiles)
      for (auto [axis, size] : enumerate(shape)) {
        guesses.push_back({triton::nameExtent(name, axis), size, name, int(axis)});
        known[guesses.back().name] = size;
      }
  }

  static bool isNamed(StringRef condition, StringRef name) {
    for (size_t at = condition.find(name); at != StringRef::npos;
         at = condition.find(name, at + 1)) {
      auto isPart = [](char letter) { return isAlnum(letter) || letter == '_'; };
      size_t end = at + name.size();
      if ((at == 0 || !isPart(condition[at - 1])) &&
          (end == condition.size() || !isPart(condition[end])))
        return true;
    }
    return false;
  }

  /// The power of two nearest to the value at which the condition holds, of two equally near the
  /// greater.
  std::optional<int64_t> findValue(StringRef condition, const Size &size) {
    constexpr int largest = 20; // elements of a tile
    int own = Log2_64(std::max<int64_t>(size.value, 1));
    std::map<std::string, int64_t> sizes = known;
    for (int distance = 0; distance <= largest; ++distance)
      for (int exponent : {own + distance, own - distance}) {
        int64_t value = int64_t(1) << std::max(exponent, 0);
        if (exponent < 0 || exponent > largest || value == size.value)
          continue;
        sizes[size.name] = value;
        if (project.holds(condition, sizes).value_or(false))
          return value;
      }
    return std::nullopt;
  }

  Attempt with(const Size &size, int64_t value) {
    Attempt attempt = failed;
    if (size.axis >= 0)
      attempt.request.tiles[size.parameter][size.axis] = value;
    else
      attempt.request.constexprs[size.parameter] = std::to_string(value);
    change(attempt, size.parameter);
    return attempt;
  }

  /// What is reported of a parameter that was changed: `fp32[64, 8]`.
  static void change(Attempt &attempt, const std::string &name) {
    std::string text;
    if (auto found = attempt.request.constexprs.find(name);
        found != attempt.request.constexprs.end())
      text = found->second;
    else
      text = attempt.request.signature[name];
    auto tile = attempt.request.tiles.find(name);
    bool isTile = tile != attempt.request.tiles.end();
    for (auto [axis, size] : enumerate(isTile ? tile->second : std::vector<int64_t>()))
      text += (axis ? ", " : "[") + std::to_string(size);
    text += isTile ? "]" : "";
    for (InferredParameter &parameter : attempt.parameters)
      if (parameter.name == name)
        parameter.value = text;
    attempt.changes[name] = text;
  }

  triton::TritonProject &project;
  const Attempt &failed;
  std::vector<Size> guesses;
  std::map<std::string, int64_t> known;
};

} // namespace

std::vector<Attempt> mendAttempt(triton::TritonProject &project, const Attempt &failed,
                                 const triton::Requirement &required) {
  Mender mender(project, failed);
  if (!required.condition.empty())
    return mender.mendSizes(required.condition);
  return required.types.empty() ? mender.mendRanks(required) : mender.mendTypes(required);
}

std::optional<Attempt> findAttempt(triton::TritonProject &project,
                                   const std::vector<Attempt> &guesses,
                                   llvm::function_ref<Tried(const Attempt &)> attempt) {
  constexpr unsigned mostMended = 24;
  std::vector<Attempt> tried;
  unsigned mended = 0;
  for (const Attempt &guess : guesses) {
    // What a guess fails of may say what is wrong with it: that is tried before other guesses.
    std::vector<Attempt> pending{guess};
    while (!pending.empty()) {
      Attempt next = std::move(pending.back());
      pending.pop_back();
      if (any_of(tried, [&](const Attempt &other) { return isSame(other, next); }))
        continue;
      Tried outcome = attempt(next);
      if (outcome == Tried::Compiled)
        return next;
      if (outcome == Tried::Stop)
        return std::nullopt;
      std::vector<Attempt> better = mendAttempt(project, next, project.getRequirement());
      tried.push_back(std::move(next));
      for (Attempt &mend : reverse(better))
        if (mended++ < mostMended)
          pending.push_back(std::move(mend));
    }
  }
  return std::nullopt;
}

} // namespace nereid::audit
