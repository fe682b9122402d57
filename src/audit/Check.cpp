// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads share the kernels of a tree, and what is parsed; each reads the tree for itself, since a
// machine belongs to one thread. Who has nothing to do parses ahead of those who read. What is
// reported does not depend on how many there are: what they find is put together in the order of
// the kernels, as one thread would come to it.
#include "audit/CheckCache.h"
#include "audit/TreeCheck.h"

#include "llvm/Support/thread.h"

#include <condition_variable>
#include <deque>
#include <mutex>

using namespace llvm;

namespace nereid::audit {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The kernels of one tree.
class SharedTree {
public:
  explicit SharedTree(const SourceTree &sources) : sources(sources) {}

  /// What an earlier run found.
  void take(TreeResult result);
  /// Fills in what every reading of the tree gives, once.
  void publish(const TreeCheck &own, std::vector<UnreadFile> &found);
  std::optional<size_t> claim();
  void store(size_t place, Outcome outcome);
  /// Goes on to those that only other functions call, or ends. `own` compiles what no thread did.
  void advance(TreeCheck &own);
  /// Adds what a reading hangs on, of which results came.
  void note(TreeCheck &own);

  bool isPublished() const { return phase != Unread; }
  bool isDone() const { return phase == Done; }
  /// Whether those who compile its kernels need longer for what is left than one more will need to
  /// read it.
  bool wantsHelp() const;

  const SourceTree &sources;
  unsigned workers = 0; // who read it
  unsigned running = 0; // of them, who compile a kernel now
  double readSeconds = 0, compileSeconds = 0;
  std::vector<CheckedKernel> kernels;
  std::vector<UnreadFile> problems;
  size_t finished = 0; // kernels, for the progress
  size_t ahead = 0;    // the first file that nobody has parsed ahead
  bool isKept = false; // by an earlier run
  bool isLate = false; // another run may come further
  Answers answers;

private:
  enum : uint8_t { Unread, Roots, Others, Done } phase = Unread;
  std::vector<std::optional<Outcome>> outcomes;
  /// Some kernel that was compiled calls it: most likely it need not be compiled alone.
  std::vector<bool> isCalled;
  /// Reported, and so not compiled again.
  std::vector<bool> isSettled;
  std::vector<size_t> pending, others;
  size_t next = 0, compiled = 0;
};

bool SharedTree::wantsHelp() const {
  constexpr size_t fewest = 32; // that tell how long the others take
  // Two threads on one memory read more slowly than one did.
  constexpr double slower = 2;
  return compiled >= fewest &&
         compileSeconds / compiled * (pending.size() - next) / workers > slower * readSeconds;
}

void SharedTree::take(TreeResult result) {
  kernels = std::move(result.kernels);
  problems = std::move(result.problems);
  isKept = true;
  phase = Done;
}

void SharedTree::note(TreeCheck &own) {
  if (isDone())
    return;
  isLate |= own.wasLate();
  if (own.hasNewAnswers())
    answers.add(own.getAnswers());
}

void SharedTree::publish(const TreeCheck &own, std::vector<UnreadFile> &found) {
  if (isPublished())
    return;
  phase = Roots;
  problems = std::move(found);
  outcomes.resize(own.size());
  isCalled.resize(own.size());
  isSettled.resize(own.size());
  for (size_t place = 0; place < own.size(); ++place) {
    kernels.push_back(own.describe(place));
    (own.isFirst(place) ? pending : others).push_back(place);
  }
}

std::optional<size_t> SharedTree::claim() {
  while (next < pending.size()) {
    size_t place = pending[next++];
    if (!isCalled[place])
      return place;
  }
  return std::nullopt;
}

void SharedTree::store(size_t place, Outcome outcome) {
  for (size_t called : outcome.called) {
    finished += !isCalled[called] && !outcomes[called];
    isCalled[called] = true;
  }
  finished += !isCalled[place];
  ++compiled;
  outcomes[place] = std::move(outcome);
}

void SharedTree::advance(TreeCheck &own) {
  for (size_t place : pending) {
    if (isSettled[place])
      continue;
    if (!outcomes[place])
      outcomes[place] = own.compile(place);
    Outcome &outcome = *outcomes[place];
    isSettled[place] = true;
    for (size_t called : outcome.called)
      if (!isSettled[called]) {
        isSettled[called] = true;
        kernels[called].compiled = true;
        kernels[called].caller = outcome.kernel.name;
      }
    kernels[place] = std::move(outcome.kernel);
  }
  pending.clear();
  next = 0;
  if (phase == Roots)
    copy_if(others, std::back_inserter(pending), [&](size_t place) { return !isSettled[place]; });
  note(own);
  phase = phase == Roots && !pending.empty() ? Others : Done;
}

class Checker {
public:
  Checker(const CheckOptions &options, ArrayRef<SourceTree> sources)
      : options(options), cache(options) {
    for (const SourceTree &tree : sources)
      trees.emplace_back(tree);
  }

  void run();
  void collect(CheckResult &result);

private:
  void work();
  SharedTree *pick(std::unique_lock<std::mutex> &lock);
  void compile(SharedTree &tree, TreeCheck &own, std::unique_lock<std::mutex> &lock);
  void parseAhead(SharedTree &tree, std::unique_lock<std::mutex> &lock);
  void save(const SharedTree &tree, std::unique_lock<std::mutex> &lock);
  void report();

  const CheckOptions &options;
  CheckCache cache;
  python::ParsedFiles files;
  std::deque<SharedTree> trees;
  std::mutex mutex;
  std::condition_variable changed;
};

} // namespace

/// The largest tree that nobody reads yet; then one that it pays to read again, as soon as one is
/// known to be. Null when all are done.
SharedTree *Checker::pick(std::unique_lock<std::mutex> &lock) {
  for (;;) {
    SharedTree *best = nullptr;
    for (SharedTree &tree : trees)
      if (tree.workers == 0 && (!best || tree.sources.files.size() > best->sources.files.size()))
        best = &tree;
    if (best)
      return best;
    bool isOpen = false;
    SharedTree *unread = nullptr;
    for (SharedTree &tree : trees) {
      if (tree.wantsHelp())
        return &tree;
      isOpen |= !tree.isDone();
      if (!tree.isPublished() && tree.ahead < tree.sources.files.size())
        unread = &tree;
    }
    if (!isOpen)
      return nullptr;
    if (unread)
      parseAhead(*unread, lock);
    else
      changed.wait(lock);
  }
}

/// Who reads the tree comes to the file later.
void Checker::parseAhead(SharedTree &tree, std::unique_lock<std::mutex> &lock) {
  const std::string &file = tree.sources.files[tree.ahead++];
  lock.unlock();
  files.get(file);
  lock.lock();
}

void Checker::report() {
  if (!options.progress)
    return;
  size_t done = 0, all = 0;
  for (const SharedTree &tree : trees) {
    done += tree.isDone() ? tree.kernels.size() : tree.finished;
    all += tree.kernels.size();
  }
  options.progress(done, all);
}

/// Nothing changes in a tree that is done.
void Checker::save(const SharedTree &tree, std::unique_lock<std::mutex> &lock) {
  lock.unlock();
  if (!tree.isLate)
    cache.store(tree.sources, tree.answers, tree.kernels, tree.problems);
  lock.lock();
}

void Checker::compile(SharedTree &tree, TreeCheck &own, std::unique_lock<std::mutex> &lock) {
  while (!tree.isDone()) {
    if (std::optional<size_t> place = tree.claim()) {
      ++tree.running;
      lock.unlock();
      Clock::time_point start = Clock::now();
      Outcome outcome = own.compile(*place);
      lock.lock();
      tree.compileSeconds += secondsSince(start);
      --tree.running;
      tree.note(own);
      tree.store(*place, std::move(outcome));
      report();
      changed.notify_all();
    } else if (tree.running == 0) {
      tree.advance(own);
      report();
      changed.notify_all();
      if (tree.isDone())
        save(tree, lock);
    } else {
      changed.wait(lock);
    }
  }
}

void Checker::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (SharedTree *tree = pick(lock)) {
    bool isFirst = tree->workers++ == 0;
    lock.unlock();
    if (std::optional<TreeResult> kept = isFirst ? cache.load(tree->sources) : std::nullopt) {
      lock.lock();
      tree->take(std::move(*kept));
      report();
      changed.notify_all();
      continue;
    }
    Clock::time_point start = Clock::now();
    TreeCheck own(options, files);
    std::vector<UnreadFile> problems;
    own.read(tree->sources, problems);
    lock.lock();
    tree->readSeconds = secondsSince(start);
    tree->note(own);
    tree->publish(own, problems);
    changed.notify_all();
    compile(*tree, own, lock);
  }
}

void Checker::run() {
  size_t files = 0;
  for (const SharedTree &tree : trees)
    files += tree.sources.files.size();
  constexpr unsigned stackSize = 16 << 20;
  std::vector<llvm::thread> others;
  for (size_t count = std::min<size_t>(options.jobs, files); others.size() + 1 < count;)
    others.emplace_back(std::optional(stackSize), [this] { work(); });
  work();
  for (llvm::thread &other : others)
    other.join();
}

void Checker::collect(CheckResult &result) {
  for (SharedTree &tree : trees) {
    result.files += tree.sources.files.size();
    result.kept += tree.isKept ? tree.kernels.size() : 0;
    move(tree.problems, std::back_inserter(result.problems));
    move(tree.kernels, std::back_inserter(result.kernels));
  }
}

CheckResult check(const CheckOptions &options) {
  CheckResult result;
  Discovery discovery = discover(options.paths, Callers::None, options.excluded);
  result.skipped = std::move(discovery.skipped);
  result.missing = std::move(discovery.missing);
  if (!result.missing.empty())
    return result;
  Checker checker(options, discovery.trees);
  checker.run();
  checker.collect(result);
  return result;
}

} // namespace nereid::audit
