// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Journal.h"

#include "python/machine/Generators.h"
#include "python/machine/Internals.h"

using namespace nereid;
using namespace nereid::machine;

/// The state of one object at the start of a journal.
struct Journal::Snapshot {
  Object *object;
  uint32_t previousEpoch;
  std::vector<Namespace::Slot> slots;      // Namespace
  std::vector<Value> items;                // list
  HashTable table;                         // dict, set
  Value source = nullptr, extra = nullptr; // iterator; list: what stands for it
  int64_t position = 0, limit = 0;
};

Journal::Journal(Machine &machine)
    : machine(machine), outer(machine.journal), id(++machine.journalCounter) {
  machine.journal = this;
  machine.journalId = id;
}

Journal::~Journal() {
  if (!ended)
    commit();
}

void Machine::noteWrite(Object *object) { journal->note(object); }

void Journal::note(Object *object) {
  auto snapshot = std::make_unique<Snapshot>();
  snapshot->object = object;
  snapshot->previousEpoch = object->epoch;
  object->epoch = id;
  switch (object->kind) {
  case Kind::Namespace:
    snapshot->slots = llvm::cast<Namespace>(object)->slots;
    break;
  case Kind::List:
    snapshot->items = llvm::cast<ListObject>(object)->items;
    snapshot->source = llvm::cast<ListObject>(object)->whole;
    break;
  case Kind::Dict:
    snapshot->table = llvm::cast<DictObject>(object)->table;
    break;
  case Kind::Set:
    snapshot->table = llvm::cast<SetObject>(object)->table;
    break;
  case Kind::Iterator: {
    auto *iterator = llvm::cast<IteratorObject>(object);
    snapshot->source = iterator->source;
    snapshot->extra = iterator->extra;
    snapshot->position = iterator->position;
    snapshot->limit = iterator->limit;
    break;
  }
  case Kind::Generator:
    stuck = object;
    break;
  default:
    break;
  }
  snapshots.push_back(std::move(snapshot));
}

static void setSlots(Namespace &names, std::vector<Namespace::Slot> slots) {
  names.slots.clear();
  names.index.clear();
  for (auto &slot : slots)
    names.set(slot.name, slot.value);
}

void Journal::restore(Snapshot &snapshot) {
  Object *object = snapshot.object;
  object->epoch = snapshot.previousEpoch;
  if (auto *names = llvm::dyn_cast<Namespace>(object)) {
    setSlots(*names, std::move(snapshot.slots));
  } else if (auto *list = llvm::dyn_cast<ListObject>(object)) {
    list->items = std::move(snapshot.items);
    list->whole = snapshot.source;
  } else if (auto *dict = llvm::dyn_cast<DictObject>(object)) {
    dict->table = std::move(snapshot.table);
  } else if (auto *set = llvm::dyn_cast<SetObject>(object)) {
    set->table = std::move(snapshot.table);
  } else if (auto *iterator = llvm::dyn_cast<IteratorObject>(object)) {
    iterator->source = snapshot.source;
    iterator->extra = snapshot.extra;
    iterator->position = snapshot.position;
    iterator->limit = snapshot.limit;
  }
}

bool Journal::undo() {
  assert(!ended && machine.journal == this && "journals end innermost first");
  for (auto &snapshot : llvm::reverse(snapshots))
    restore(*snapshot);
  ended = true;
  machine.journal = outer;
  machine.journalId = outer ? outer->id : 0;
  if (!stuck)
    return true;
  machine.refuse("a generator that was started before this branch is advanced inside it",
                 "make a list of the generator's items before the branch");
  return false;
}

void Journal::commit() {
  assert(!ended && machine.journal == this && "journals end innermost first");
  ended = true;
  machine.journal = outer;
  machine.journalId = outer ? outer->id : 0;
  if (!outer)
    return;
  // What the outer journal has not seen, and what existed before it, it has to know from now on.
  for (auto &snapshot : snapshots)
    if (snapshot->previousEpoch < outer->id)
      outer->snapshots.push_back(std::move(snapshot));
  if (stuck && !outer->stuck)
    outer->stuck = stuck;
}

static void diffNames(Namespace &names, const std::vector<Namespace::Slot> &before,
                      std::vector<Change> &changes) {
  Change::Kind kind =
      names.owner && names.owner->kind != Kind::Module ? Change::Attribute : Change::Local;
  for (const Namespace::Slot &slot : before) {
    Value after = names.get(slot.name);
    if (after != slot.value)
      changes.push_back({kind, &names, slot.name, nullptr, slot.value, after});
  }
  for (const Namespace::Slot &slot : names.slots) {
    bool known = llvm::any_of(before, [&](auto &old) { return old.name == slot.name; });
    if (!known && slot.value)
      changes.push_back({kind, &names, slot.name, nullptr, nullptr, slot.value});
  }
}

static void diffList(Machine &machine, ListObject &list, const std::vector<Value> &before,
                     std::vector<Change> &changes) {
  if (list.items.size() != before.size()) {
    changes.push_back({Change::Contents, &list, nullptr, nullptr, machine.makeList(before),
                       machine.makeList(list.items)});
    return;
  }
  for (size_t i = 0; i != before.size(); ++i)
    if (before[i] != list.items[i])
      changes.push_back(
          {Change::Item, &list, nullptr, machine.makeInt(i), before[i], list.items[i]});
}

static std::vector<HashTable::Entry> liveEntries(const HashTable &table) {
  std::vector<HashTable::Entry> entries;
  for (auto &entry : table.entries)
    if (entry.key)
      entries.push_back(entry);
  return entries;
}

static void diffTable(Machine &machine, Object &holder, const HashTable &before,
                      const HashTable &after, std::vector<Change> &changes) {
  auto old = liveEntries(before), now = liveEntries(after);
  bool sameKeys = old.size() == now.size();
  for (size_t i = 0; sameKeys && i != old.size(); ++i)
    sameKeys = old[i].key == now[i].key;
  if (sameKeys) {
    for (size_t i = 0; i != old.size(); ++i)
      if (old[i].value != now[i].value)
        changes.push_back({Change::Item, &holder, nullptr, old[i].key, old[i].value, now[i].value});
    return;
  }
  Value copies[2];
  for (int i : {0, 1}) {
    if (holder.kind == Kind::Dict) {
      auto *dict = machine.makeDict();
      dict->table = i ? after : before;
      copies[i] = dict;
    } else {
      auto *set = machine.makeSet();
      set->table = i ? after : before;
      copies[i] = set;
    }
  }
  changes.push_back({Change::Contents, &holder, nullptr, nullptr, copies[0], copies[1]});
}

std::vector<Change> Journal::changes() {
  std::vector<Change> changes;
  for (auto &snapshot : snapshots) {
    Object *object = snapshot->object;
    if (auto *names = llvm::dyn_cast<Namespace>(object))
      diffNames(*names, snapshot->slots, changes);
    else if (auto *list = llvm::dyn_cast<ListObject>(object))
      diffList(machine, *list, snapshot->items, changes);
    else if (auto *dict = llvm::dyn_cast<DictObject>(object))
      diffTable(machine, *dict, snapshot->table, dict->table, changes);
    else if (auto *set = llvm::dyn_cast<SetObject>(object))
      diffTable(machine, *set, snapshot->table, set->table, changes);
    else if (auto *iterator = llvm::dyn_cast<IteratorObject>(object)) {
      if (iterator->position != snapshot->position || iterator->source != snapshot->source)
        changes.push_back({Change::Iterator, iterator});
    } else if (llvm::isa<GeneratorObject>(object)) {
      changes.push_back({Change::Iterator, object});
    }
  }
  return changes;
}

bool Change::samePlace(const Change &other) const {
  if (holder != other.holder || name != other.name)
    return false;
  if (kind == Item && other.kind == Item) {
    if (auto *left = llvm::dyn_cast_if_present<IntObject>(key))
      if (auto *right = llvm::dyn_cast_if_present<IntObject>(other.key))
        return left->small == right->small;
    return key == other.key;
  }
  return true;
}

/// A name that leads to the object from the frames under evaluation.
static std::string nameFor(Machine &machine, Object *object) {
  for (Frame *frame = machine.getFrame(); frame; frame = frame->caller) {
    if (!frame->locals)
      continue;
    for (auto &slot : frame->locals->slots)
      if (slot.value == object)
        return slot.name->text.str();
    for (auto &slot : frame->locals->slots)
      if (slot.value && slot.value->attrs && slot.value->kind == Kind::Instance)
        for (auto &inner : slot.value->attrs->slots)
          if (inner.value == object)
            return (slot.name->text + "." + inner.name->text).str();
  }
  return ("a " + machine.typeName(object)).str();
}

std::string Change::describe(Machine &machine) const {
  switch (kind) {
  case Local:
    return name->text.str();
  case Attribute:
    return nameFor(machine, llvm::cast<Namespace>(holder)->owner) + "." + name->text.str();
  case Item:
    return nameFor(machine, holder) + "[" + machine.repr(key).value_or("?") + "]";
  case Contents:
  case Iterator:
    return nameFor(machine, holder);
  }
  llvm_unreachable("all kinds handled");
}

void Change::write(Machine &machine, Value value) const {
  machine.willWrite(holder);
  if (auto *names = llvm::dyn_cast<Namespace>(holder)) {
    machine.setName(*names, name, value);
    return;
  }
  if (kind == Item) {
    if (auto *list = llvm::dyn_cast<ListObject>(holder)) {
      size_t index = llvm::cast<IntObject>(key)->small;
      if (index < list->items.size())
        list->items[index] = value;
    } else if (auto *dict = llvm::dyn_cast<DictObject>(holder)) {
      machine.dictSet(*dict, key, value);
    }
    return;
  }
  if (kind != Contents || !value)
    return;
  if (auto *list = llvm::dyn_cast<ListObject>(holder))
    list->items = llvm::cast<ListObject>(value)->items;
  else if (auto *dict = llvm::dyn_cast<DictObject>(holder))
    dict->table = llvm::cast<DictObject>(value)->table;
  else if (auto *set = llvm::dyn_cast<SetObject>(holder))
    set->table = llvm::cast<SetObject>(value)->table;
}
