// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The built-in classes of a machine and the names that it looks up most.
#pragma once

#include "python/machine/Value.h"

namespace nereid::machine {

struct Builtins {
  ClassObject *object = nullptr, *type = nullptr, *noneType = nullptr,
              *notImplementedType = nullptr, *ellipsisType = nullptr, *intClass = nullptr,
              *boolClass = nullptr, *floatClass = nullptr, *complexClass = nullptr, *str = nullptr,
              *bytes = nullptr, *tuple = nullptr, *list = nullptr, *dict = nullptr, *set = nullptr,
              *frozenset = nullptr, *range = nullptr, *slice = nullptr, *function = nullptr,
              *builtinFunction = nullptr, *boundMethod = nullptr, *property = nullptr,
              *staticMethod = nullptr, *classMethod = nullptr, *module = nullptr, *super = nullptr,
              *generator = nullptr, *opaque = nullptr, *dictKeys = nullptr, *dictValues = nullptr,
              *dictItems = nullptr, *mappingProxy = nullptr, *genericAlias = nullptr,
              *typingSpecial = nullptr, *baseException = nullptr, *exception = nullptr;
  ClassObject *listIterator = nullptr, *map = nullptr, *zip = nullptr, *filter = nullptr,
              *enumerate = nullptr, *reversed = nullptr, *callableIterator = nullptr;
};

/// Interned once: X(member, "text").
// clang-format off: it finds no fixed point here
#define NEREID_MACHINE_NAMES(X)                                                                                \
  X(init, "__init__")                                                                                          \
  X(new_, "__new__")                                                                                           \
  X(call, "__call__")                                                                                          \
  X(getattr, "__getattr__") X(getattribute, "__getattribute__") X(setattr, "__setattr__") X(                   \
      delattr, "__delattr__") X(get, "__get__") X(set, "__set__") X(delete_, "__delete__")                     \
      X(getitem, "__getitem__") X(setitem, "__setitem__") X(delitem, "__delitem__") X(                         \
          contains, "__contains__") X(missing, "__missing__") X(len, "__len__") X(iter,                        \
                                                                                  "__iter__")                  \
          X(next, "__next__") X(reversed, "__reversed__") X(boolean, "__bool__") X(str, "__str__")             \
              X(repr, "__repr__") X(format, "__format__") X(hash, "__hash__") X(eq, "__eq__") X(               \
                  ne, "__ne__") X(lt, "__lt__") X(le, "__le__") X(gt, "__gt__") X(ge, "__ge__")                \
                  X(index, "__index__") X(toInt, "__int__") X(toFloat, "__float__") X(                         \
                      toComplex,                                                                               \
                      "__complex__") X(round,                                                                  \
                                       "__round__") X(trunc, "__trunc__")                                      \
                      X(floor, "__floor__") X(ceil, "__ceil__") X(abs, "__abs__") X(                           \
                          neg, "__neg__")                                                                      \
                          X(pos, "__pos__") X(invert, "__invert__") X(divmod, "__divmod__") X(                 \
                              rdivmod, "__rdivmod__")                                                          \
                              X(enter, "__enter__") X(exit, "__exit__") X(name, "__name__") X(                 \
                                  qualname,                                                                    \
                                  "__qualname__") X(module, "__module__")                                      \
                                  X(doc, "__doc__") X(dict, "__dict__") X(cls, "__class__") X(                 \
                                      bases, "__bases__") X(mro, "__mro__")                                    \
                                      X(annotations, "__annotations__") X(                                     \
                                          defaults,                                                            \
                                          "__defaults__") X(kwdefaults, "__kwdefaults__")                      \
                                          X(wrapped, "__wrapped__") X(file, "__file__") X(                     \
                                              package, "__package__")                                          \
                                              X(all, "__all__") X(path, "__path__") X(                         \
                                                  initSubclass,                                                \
                                                  "__init_subclass__") X(setName, "__set_name__")              \
                                                  X(classGetitem, "__class_getitem__") X(                      \
                                                      mroEntries,                                              \
                                                      "__mro_entries__") X(slots, "__slots__")                 \
                                                      X(matchArgs, "__match_args__") X(                        \
                                                          cause,                                               \
                                                          "__cause__") X(context, "__context__")               \
                                                          X(suppress, "__suppress_context__") X(               \
                                                              traceback, "__traceback__")                      \
                                                              X(notes, "__notes__") X(                         \
                                                                  args,                                        \
                                                                  "arg"                                        \
                                                                  "s") X(value, "value")                       \
                                                                  X(func, "__func__")                          \
                                                                      X(self, "__self__") X(                   \
                                                                          code,                                \
                                                                          "__code_"                            \
                                                                          "_") X(origin,                       \
                                                                                 "__origin__")                 \
                                                                          X(typeArgs, "__args__") X(           \
                                                                              subclasses,                      \
                                                                              "__"                             \
                                                                              "subclass"                       \
                                                                              "es__")                          \
                                                                              X(classCell,                     \
                                                                                "__"                           \
                                                                                "class"                        \
                                                                                "__"                           \
                                                                                "cell_"                        \
                                                                                "_") X(instancecheck,          \
                                                                                       "__"                    \
                                                                                       "instancec"             \
                                                                                       "heck_"                 \
                                                                                       "_")                    \
                                                                                  X(keys, "keys") X(           \
                                                                                      prepare,                 \
                                                                                      "__"                     \
                                                                                      "pre"                    \
                                                                                      "par"                    \
                                                                                      "e_"                     \
                                                                                      "_") X(globals,          \
                                                                                             "__"              \
                                                                                             "glo"             \
                                                                                             "ba"              \
                                                                                             "ls_"             \
                                                                                             "_")              \
                                                                                      X(send,                  \
                                                                                        "se"                   \
                                                                                        "n"                    \
                                                                                        "d") X(throw_,         \
                                                                                               "t"             \
                                                                                               "h"             \
                                                                                               "r"             \
                                                                                               "o"             \
                                                                                               "w")            \
                                                                                          X(close, "close") X( \
                                                                                              lengthHint,      \
                                                                                              "__"             \
                                                                                              "le"             \
                                                                                              "ng"             \
                                                                                              "th"             \
                                                                                              "_h"             \
                                                                                              "in"             \
                                                                                              "t_"             \
                                                                                              "_")             \
                                                                                              X(copy,          \
                                                                                                "__copy__")
// clang-format on

struct CommonNames {
#define NEREID_NAME(MEMBER, TEXT) Name MEMBER = nullptr;
  NEREID_MACHINE_NAMES(NEREID_NAME)
#undef NEREID_NAME
};

} // namespace nereid::machine
