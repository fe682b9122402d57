// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of the abstract Python machine: Python's own objects, and `Foreign`, from which a
// library derives its abstract values (tensors, tiles). Every object lives in the arena of its
// Machine and dies with it; a `Value` is a plain pointer, and null means that a Python exception or
// a refusal is in flight in the machine. Use llvm::isa, cast and dyn_cast on values.
//
//   Value seven = machine.makeInt(7);
//   if (auto *integer = llvm::dyn_cast<IntObject>(seven)) use(integer->small);
#pragma once

#include "support/Source.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"

#include <functional>
#include <optional>
#include <vector>

namespace nereid::machine {

class Machine;
class Library;
class ClassObject;
class DictObject;
class ModuleObject;
class Namespace;
class StrObject;
struct CodeInfo;
struct Frame;

enum class Kind : uint8_t {
  None,
  NotImplemented,
  Ellipsis,
  Int, // Bool is an Int whose class is bool or one of its own
  Bool,
  Float,
  Complex,
  Str,
  Bytes,
  Tuple,
  List,
  Dict,
  Set, // also frozenset
  Range,
  Slice,
  Iterator,
  Generator,
  Function,
  Builtin,
  BoundMethod,
  Property,
  StaticMethod,
  ClassMethod,
  Class,
  Instance, // also exceptions
  Module,
  Super,
  Namespace,
  Opaque,
  Foreign,
};

/// The header of every object. `cls` is its Python class; `attrs` its `__dict__`, null while empty.
class Object {
public:
  Object(Kind kind, ClassObject *cls) : kind(kind), cls(cls) {}

  Kind getKind() const { return kind; }
  ClassObject *getClass() const { return cls; }

  const Kind kind;
  /// The newest journal that knows this object's state; see Journal.h.
  uint32_t epoch = 0;
  ClassObject *cls;
  Namespace *attrs = nullptr;
};

/// Null: an exception or a refusal is in flight.
using Value = Object *;
/// An interned string: two names are equal if the pointers are.
using Name = StrObject *;

class NoneObject : public Object {
public:
  using Object::Object;
  static bool classof(const Object *o) { return o->kind == Kind::None; }
};

/// An integer of any size: `small` unless `big` is set. True and False are BoolObjects, which are
/// integers too, as in Python.
class IntObject : public Object {
public:
  IntObject(Kind kind, ClassObject *cls, int64_t value) : Object(kind, cls), small(value) {}
  static bool classof(const Object *o) { return o->kind == Kind::Int || o->kind == Kind::Bool; }

  bool isSmall() const { return !big; }
  /// The value as a signed integer of at least 65 bits.
  llvm::APInt wide() const;

  int64_t small = 0;
  const llvm::APInt *big = nullptr;
};

class BoolObject : public IntObject {
public:
  BoolObject(ClassObject *cls, bool value) : IntObject(Kind::Bool, cls, value) {}
  static bool classof(const Object *o) { return o->kind == Kind::Bool; }
  bool value() const { return small != 0; }
};

class FloatObject : public Object {
public:
  FloatObject(ClassObject *cls, double value) : Object(Kind::Float, cls), value(value) {}
  static bool classof(const Object *o) { return o->kind == Kind::Float; }
  double value;
};

class ComplexObject : public Object {
public:
  ComplexObject(ClassObject *cls, double real, double imag)
      : Object(Kind::Complex, cls), real(real), imag(imag) {}
  static bool classof(const Object *o) { return o->kind == Kind::Complex; }
  double real, imag;
};

/// Text as UTF-8 (lone surrogates in their three-byte form); `length` counts code points.
class StrObject : public Object {
public:
  StrObject(ClassObject *cls, llvm::StringRef text, uint32_t length)
      : Object(Kind::Str, cls), text(text), length(length) {}
  static bool classof(const Object *o) { return o->kind == Kind::Str; }
  bool isAscii() const { return length == text.size(); }
  llvm::StringRef text;
  uint32_t length;
  bool interned = false;
};

class BytesObject : public Object {
public:
  BytesObject(ClassObject *cls, llvm::StringRef data) : Object(Kind::Bytes, cls), data(data) {}
  static bool classof(const Object *o) { return o->kind == Kind::Bytes; }
  llvm::StringRef data;
};

class TupleObject : public Object {
public:
  TupleObject(ClassObject *cls, llvm::ArrayRef<Value> items)
      : Object(Kind::Tuple, cls), items(items) {}
  static bool classof(const Object *o) { return o->kind == Kind::Tuple; }
  llvm::ArrayRef<Value> items;
};

/// Call Machine::willWrite(list) before every change of `items`, so that journals see it.
class ListObject : public Object {
public:
  explicit ListObject(ClassObject *cls) : Object(Kind::List, cls) {}
  static bool classof(const Object *o) { return o->kind == Kind::List; }
  std::vector<Value> items;
  /// What a library lets stand for all of the list when it does not know how many items there are
  /// (a loop has appended one a turn): it answers in place of the list. The one item is the same.
  Value whole = nullptr;
};

/// The value that answers for this one: see ListObject::whole.
inline Value standIn(Value value) {
  auto *list = llvm::dyn_cast_if_present<ListObject>(value);
  return list && list->whole ? list->whole : value;
}

/// A hash table in insertion order with Python's equality; the storage of dict and set.
class HashTable {
public:
  struct Entry {
    uint64_t hash;
    Value key; // null: deleted
    Value value;
  };
  std::vector<Entry> entries;
  std::vector<int32_t> index; // open addressing into entries; -1: free, -2: deleted
  uint32_t live = 0;
  size_t size() const { return live; }
};

/// Read and written through Machine::dictGet, dictSet and dictErase.
class DictObject : public Object {
public:
  explicit DictObject(ClassObject *cls) : Object(Kind::Dict, cls) {}
  static bool classof(const Object *o) { return o->kind == Kind::Dict; }
  HashTable table;
};

class SetObject : public Object {
public:
  SetObject(ClassObject *cls, bool frozen) : Object(Kind::Set, cls), frozen(frozen) {}
  static bool classof(const Object *o) { return o->kind == Kind::Set; }
  HashTable table;
  bool frozen;
};

class RangeObject : public Object {
public:
  RangeObject(ClassObject *cls, int64_t start, int64_t stop, int64_t step)
      : Object(Kind::Range, cls), start(start), stop(stop), step(step) {}
  static bool classof(const Object *o) { return o->kind == Kind::Range; }
  int64_t size() const;
  int64_t start, stop, step;
};

class SliceObject : public Object {
public:
  SliceObject(ClassObject *cls, Value start, Value stop, Value step)
      : Object(Kind::Slice, cls), start(start), stop(stop), step(step) {}
  static bool classof(const Object *o) { return o->kind == Kind::Slice; }
  Value start, stop, step;
};

/// Names to values in insertion order: the attributes of an object or class, the globals of a
/// module, the locals of a frame. Write through Machine::setName, or call willWrite first.
class Namespace : public Object {
public:
  struct Slot {
    Name name;
    Value value; // null: deleted (the slot keeps its place until the name is bound again)
  };
  Namespace() : Object(Kind::Namespace, nullptr) {}
  static bool classof(const Object *o) { return o->kind == Kind::Namespace; }

  /// The value, or null when the name is not bound.
  Value get(Name name) const;
  /// Binds without asking the journal; for objects that are under construction.
  void set(Name name, Value value);
  bool erase(Name name);

  std::vector<Slot> slots;
  /// What the namespace belongs to, for messages: an object, a class, a module; null for a frame.
  Value owner = nullptr;
  llvm::DenseMap<const void *, uint32_t> index; // used from nine slots on
};

/// The arguments of a call. Keywords keep their order.
struct CallArgs {
  explicit CallArgs() = default;
  CallArgs(llvm::ArrayRef<Value> positional, llvm::ArrayRef<std::pair<Name, Value>> keywords)
      : positional(positional), keywords(keywords) {}

  llvm::ArrayRef<Value> positional;
  llvm::ArrayRef<std::pair<Name, Value>> keywords;

  Value keyword(llvm::StringRef name) const;
};

using BuiltinFn = std::function<Value(Machine &, const CallArgs &)>;

/// A function in C++. On a class it is a method: `self` is the first positional argument.
class BuiltinObject : public Object {
public:
  BuiltinObject(ClassObject *cls, llvm::StringRef name, BuiltinFn fn)
      : Object(Kind::Builtin, cls), name(name), fn(std::move(fn)) {}
  static bool classof(const Object *o) { return o->kind == Kind::Builtin; }
  llvm::StringRef name;
  BuiltinFn fn;
  /// Free for the library that made it.
  Library *library = nullptr;
  const void *data = nullptr;
};

/// A `def` or `lambda`: its code (shared by all closures of one definition), defaults, and the
/// frame in which it was made.
class FunctionObject : public Object {
public:
  FunctionObject(ClassObject *cls, const CodeInfo *code)
      : Object(Kind::Function, cls), code(code) {}
  static bool classof(const Object *o) { return o->kind == Kind::Function; }
  const CodeInfo *code;
  Name name = nullptr;
  llvm::StringRef qualifiedName;
  llvm::SmallVector<Value, 2> defaults;
  llvm::SmallVector<std::pair<Name, Value>, 0> keywordDefaults;
  /// Annotations are kept as syntax and evaluated when asked for.
  Frame *closure = nullptr;
  ModuleObject *module = nullptr;
  /// The class in whose body the function was defined, for super() without arguments.
  Namespace *classCell = nullptr;
};

class BoundMethodObject : public Object {
public:
  BoundMethodObject(ClassObject *cls, Value function, Value self)
      : Object(Kind::BoundMethod, cls), function(function), self(self) {}
  static bool classof(const Object *o) { return o->kind == Kind::BoundMethod; }
  Value function, self;
};

class PropertyObject : public Object {
public:
  explicit PropertyObject(ClassObject *cls) : Object(Kind::Property, cls) {}
  static bool classof(const Object *o) { return o->kind == Kind::Property; }
  Value getter = nullptr, setter = nullptr, deleter = nullptr;
};

/// staticmethod or classmethod, told apart by kind.
class WrappedMethodObject : public Object {
public:
  WrappedMethodObject(Kind kind, ClassObject *cls, Value function)
      : Object(kind, cls), function(function) {}
  static bool classof(const Object *o) {
    return o->kind == Kind::StaticMethod || o->kind == Kind::ClassMethod;
  }
  Value function;
};

class ClassObject : public Object {
public:
  ClassObject(ClassObject *meta, llvm::StringRef name) : Object(Kind::Class, meta), name(name) {}
  static bool classof(const Object *o) { return o->kind == Kind::Class; }
  bool isSubclassOf(const ClassObject *other) const;
  /// Looks the name up along the method resolution order; null when nobody has it.
  Value lookup(Name name) const;

  llvm::StringRef name;
  llvm::StringRef qualifiedName;
  llvm::SmallVector<ClassObject *, 2> bases;
  llvm::SmallVector<ClassObject *, 4> mro; // itself first, object last
  ModuleObject *module = nullptr;          // null for built-in ones
  /// What its instances are: Instance, or the kind of the built-in class it derives from.
  Kind layout = Kind::Instance;
  /// One of the machine's own classes.
  bool builtin = false;
  /// The nearest library class among its ancestors asks this library (Library::create and so on).
  Library *library = nullptr;
  const void *data = nullptr; // free for that library
  // The class dictionary is `attrs`, never null.
};

/// An instance of a user's class or of an exception class; its attributes are `attrs`.
class InstanceObject : public Object {
public:
  explicit InstanceObject(ClassObject *cls) : Object(Kind::Instance, cls) {}
  static bool classof(const Object *o) { return o->kind == Kind::Instance; }
  /// Free for a library or a built-in class (functools.partial and the like).
  Value payload = nullptr;
};

/// A module: `attrs` are its globals, never null. Names that a failed top-level statement should
/// have bound are in `poisoned`, with the error that using one of them raises again.
class ModuleObject : public Object {
public:
  ModuleObject(ClassObject *cls, llvm::StringRef name) : Object(Kind::Module, cls), name(name) {}
  static bool classof(const Object *o) { return o->kind == Kind::Module; }
  llvm::StringRef name;
  const SourceFile *file = nullptr; // null for modules of libraries
  Library *library = nullptr;       // asked (Library::moduleAttribute) for names not in attrs
  bool isPackage = false;
  llvm::DenseMap<const void *, unsigned> poisoned; // Name -> index of Machine::importErrors
};

class SuperObject : public Object {
public:
  SuperObject(ClassObject *cls, ClassObject *start, Value self)
      : Object(Kind::Super, cls), start(start), self(self) {}
  static bool classof(const Object *o) { return o->kind == Kind::Super; }
  ClassObject *start;
  Value self;
};

/// A value that came from an import which nobody could resolve: harmless until it is needed.
class OpaqueObject : public Object {
public:
  OpaqueObject(ClassObject *cls, llvm::StringRef path, SourceLocation origin)
      : Object(Kind::Opaque, cls), path(path), origin(origin) {}
  static bool classof(const Object *o) { return o->kind == Kind::Opaque; }
  llvm::StringRef path; // e.g. `einops.layers.Rearrange`
  SourceLocation origin;
};

/// An abstract value of a library: derive from it and make it with Machine::make<T>(...). `tag` is
/// the library's own kind number, for its classof:
///
///   struct TileValue : Foreign {
///     TileValue(Library &library, ClassObject *cls) : Foreign(library, cls, TileTag) {}
///     static bool classof(const Object *o) { return isForeign(o, TileTag); }
///     mlir::Value value;
///   };
///
/// Tags are unique over all libraries of a machine: take them from a range of your own.
class Foreign : public Object {
public:
  Foreign(Library &library, ClassObject *cls, unsigned tag)
      : Object(Kind::Foreign, cls), library(library), tag(tag) {}
  static bool classof(const Object *o) { return o->kind == Kind::Foreign; }
  static bool isForeign(const Object *o, unsigned tag) {
    return o->kind == Kind::Foreign && static_cast<const Foreign *>(o)->tag == tag;
  }
  Library &library;
  const unsigned tag;
};

} // namespace nereid::machine
