// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Generators.h"

#include "python/machine/Internals.h"

#include <sys/mman.h>
#include <ucontext.h>

#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define NEREID_ASAN 1
#else
#define NEREID_ASAN 0
#endif

using namespace nereid;
using namespace nereid::machine;

namespace {
constexpr size_t mainStackSize = size_t(512) << 20;
constexpr size_t generatorStackSize = size_t(4) << 20;
constexpr size_t reserve = size_t(256) << 10; // below which nothing new is started
constexpr size_t maxGenerators = 4096;        // suspended at once
} // namespace

namespace nereid::machine {
/// A stack with the context to go on with, and the one to go back to.
class Fiber {
public:
  explicit Fiber(size_t size) : size(size) {
    // Pages are only taken when they are touched.
    stack =
        static_cast<char *>(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0));
    assert(stack != MAP_FAILED && "no address space for a stack");
  }
  ~Fiber() { munmap(stack, size); }

  void start(std::function<void()> body) {
    work = std::move(body);
    getcontext(&own);
    own.uc_stack.ss_sp = stack;
    own.uc_stack.ss_size = size;
    own.uc_link = nullptr;
    auto self = reinterpret_cast<uintptr_t>(this);
    makecontext(&own, reinterpret_cast<void (*)()>(&Fiber::entry), 2, unsigned(self >> 32),
                unsigned(self));
  }

  void enter() {
#if NEREID_ASAN
    void *fake;
    __sanitizer_start_switch_fiber(&fake, stack, size);
#endif
    swapcontext(&back, &own);
#if NEREID_ASAN
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
  }

  void leave(bool forGood) {
#if NEREID_ASAN
    void *fake = nullptr;
    __sanitizer_start_switch_fiber(forGood ? nullptr : &fake, callerStack, callerSize);
#endif
    swapcontext(&own, &back);
#if NEREID_ASAN
    __sanitizer_finish_switch_fiber(fake, &callerStack, &callerSize);
#endif
  }

  char *limit() const { return stack + reserve; }

private:
  static void entry(unsigned high, unsigned low) {
    // makecontext() hands on nothing but ints.
    auto *self =
        reinterpret_cast<Fiber *>(uintptr_t(high) << 32 | low); // NOLINT(performance-no-int-to-ptr)
#if NEREID_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &self->callerStack, &self->callerSize);
#endif
    self->work();
    self->leave(true);
  }

  ucontext_t own, back;
  char *stack;
  size_t size;
  std::function<void()> work;
  [[maybe_unused]] const void *callerStack = nullptr;
  [[maybe_unused]] size_t callerSize = 0;
};
} // namespace nereid::machine

void Internals::enter(llvm::function_ref<void()> body) {
  if (stackLimit)
    return body();
  Fiber fiber(mainStackSize);
  stackLimit = fiber.limit();
  fiber.start([&] { body(); });
  fiber.enter();
  stackLimit = nullptr;
}

void Machine::session(llvm::function_ref<void()> body) { internals->enter(body); }

Value Internals::makeGenerator(Frame *generatorFrame, std::function<Completion()> body) {
  auto *generator = m.make<GeneratorObject>(classes.generator, generatorFrame, std::move(body));
  generatorFrame->generator = generator;
  generatorFrame->caller = nullptr;
  return generator;
}

/// Runs the generator until it yields or ends. The yielded value; null at the end (with nothing in
/// flight) or after an error.
Value Internals::resume(GeneratorObject &generator, Value sent, Value thrown) {
  using State = GeneratorObject::State;
  if (generator.state == State::Running)
    return m.raise("ValueError", "generator already executing");
  m.willWrite(&generator);
  if (generator.state == State::Finished)
    return thrown ? Value(m.raiseValue(thrown)) : nullptr;
  if (generator.state == State::Fresh) {
    if (thrown) {
      generator.state = State::Finished;
      return m.raiseValue(thrown);
    }
    if (sent && sent != m.none())
      return typeError("can't send non-None value to a just-started generator");
    if (stackLow() || depth >= m.limits.depth || liveGenerators.size() >= maxGenerators) {
      m.refuse(liveGenerators.size() >= maxGenerators
                   ? "more than 4096 generators are under way at once"
                   : "calls are nested too deeply");
      fatal = true;
      return nullptr;
    }
    if (idleFibers.empty())
      idleFibers.push_back(new Fiber(generatorStackSize));
    generator.fiber = idleFibers.back();
    idleFibers.pop_back();
    liveGenerators.push_back(&generator);
    generator.innermost = generator.frame;
    GeneratorObject *self = &generator;
    generator.fiber->start([self] {
      Completion ended = self->body();
      self->result = ended.isRaise() ? nullptr : ended.value;
      self->state = State::Finished;
      self->transfer = nullptr;
    });
  }
  generator.state = State::Running;
  generator.transfer = sent ? sent : m.none();
  generator.thrown = thrown;
  Frame *savedFrame = frame;
  char *savedLimit = stackLimit;
  Fiber *savedFiber = currentFiber;
  generator.frame->caller = frame;
  frame = generator.innermost;
  stackLimit = generator.fiber->limit();
  currentFiber = generator.fiber;
  ++depth;
  generator.fiber->enter();
  --depth;
  currentFiber = savedFiber;
  stackLimit = savedLimit;
  frame = savedFrame;
  generator.frame->caller = nullptr;
  if (generator.state == State::Finished) {
    idleFibers.push_back(generator.fiber);
    generator.fiber = nullptr;
    llvm::erase(liveGenerators, &generator);
    if (exception && !refused && matches(exception, m.builtinClass("StopIteration"))) {
      Value cause = exception;
      exception = nullptr;
      m.raise("RuntimeError", "generator raised StopIteration");
      attrsOf(exception)->set(n.cause, cause);
    }
    return nullptr;
  }
  return generator.transfer;
}

Value Internals::yieldValue(Value value) {
  Frame *at = frame;
  while (at && !at->generator)
    at = at->kind == FrameKind::Comprehension ? at->closure : nullptr;
  auto *generator = at ? llvm::cast<GeneratorObject>(at->generator) : nullptr;
  if (!generator || generator->state != GeneratorObject::Running)
    return m.refuse("'yield' outside of a generator");
  generator->transfer = value;
  generator->state = GeneratorObject::Suspended;
  generator->innermost = frame;
  generator->fiber->leave(false);
  if (closing || refused)
    return nullptr;
  if (Value thrown = generator->thrown) {
    generator->thrown = nullptr;
    return m.raiseValue(thrown);
  }
  return generator->transfer;
}

Value Internals::generatorResult(Value iterator) {
  auto *generator = llvm::dyn_cast<GeneratorObject>(iterator);
  return generator ? generator->result : nullptr;
}

/// Unwinds what is suspended, so that the stacks can go; no statement is executed any more.
void Internals::closeGenerators() {
  closing = true;
  exception = nullptr;
  if (!liveGenerators.empty()) {
    enter([&] {
      while (!liveGenerators.empty()) {
        m.refuse("the machine ends");
        GeneratorObject *generator = liveGenerators.back();
        if (generator->state == GeneratorObject::Suspended)
          resume(*generator, nullptr, nullptr);
        else
          liveGenerators.pop_back();
      }
    });
  }
  for (Fiber *fiber : idleFibers)
    delete fiber;
  idleFibers.clear();
}

static GeneratorObject &selfOf(llvm::ArrayRef<Value> args) {
  return *llvm::cast<GeneratorObject>(args[0]);
}

static Value orStop(Internals &in, GeneratorObject &generator, Value item) {
  if (item || in.m.pending())
    return item;
  Value result = generator.result;
  generator.result = nullptr;
  return in.stopIteration(result);
}

static Value closeGenerator(Internals &in, GeneratorObject &generator) {
  if (generator.state == GeneratorObject::Finished)
    return in.m.none();
  Value thrown = in.makeException(in.m.builtinClass("GeneratorExit"), {});
  Value item = in.resume(generator, nullptr, thrown);
  if (item)
    return in.m.raise("RuntimeError", "generator ignored GeneratorExit");
  if (in.m.pendingRefusal())
    return nullptr;
  if (in.exception && !in.m.catchException("GeneratorExit") &&
      !in.m.catchException("StopIteration"))
    return nullptr;
  return in.m.none();
}

void Internals::abandon(Value iterator) {
  auto *generator = llvm::dyn_cast<GeneratorObject>(iterator);
  if (generator && generator->state == GeneratorObject::Suspended && !m.pending())
    closeGenerator(*this, *generator);
}

void Internals::setUpGenerators() {
  auto add = [this](llvm::StringRef name, llvm::StringRef signature, Machine::BoundFn fn) {
    m.addBuiltin(classes.generator, name, signature, std::move(fn));
  };
  add("__iter__", "(self, /)", [](Machine &, llvm::ArrayRef<Value> args) { return args[0]; });
  add("__next__", "(self, /)", [this](Machine &m, llvm::ArrayRef<Value> args) -> Value {
    return orStop(*this, selfOf(args), resume(selfOf(args), nullptr, nullptr));
  });
  add("send", "(self, value, /)", [this](Machine &m, llvm::ArrayRef<Value> args) -> Value {
    return orStop(*this, selfOf(args), resume(selfOf(args), args[1], nullptr));
  });
  add("throw", "(self, type, value=None, /)",
      [this](Machine &m, llvm::ArrayRef<Value> args) -> Value {
        Value thrown = args[1];
        if (thrown->kind == Kind::Class)
          thrown = m.call(thrown);
        if (!thrown)
          return nullptr;
        if (!isException(thrown))
          return typeError("exceptions must be classes or instances deriving from BaseException, "
                           "not " +
                           m.typeName(thrown));
        return orStop(*this, selfOf(args), resume(selfOf(args), nullptr, thrown));
      });
  add("close", "(self, /)", [this](Machine &m, llvm::ArrayRef<Value> args) -> Value {
    return closeGenerator(*this, selfOf(args));
  });
}
