// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Integers.h"

#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace nereid;
using namespace nereid::machine;

// Numbers hash as in CPython (equal numbers of different types must agree, and programs can see
// hash(3)): the value modulo 2^61 - 1.
static constexpr uint64_t modulus = (uint64_t(1) << 61) - 1;

static uint64_t hashInteger(const IntObject &value) {
  uint64_t result;
  bool negative = isNegative(value);
  if (value.isSmall()) {
    uint64_t magnitude = negative ? 0 - uint64_t(value.small) : value.small;
    result = magnitude % modulus;
  } else {
    result = value.big->abs().urem(modulus);
  }
  int64_t hash = negative ? -int64_t(result) : int64_t(result);
  return uint64_t(hash == -1 ? -2 : hash);
}

static uint64_t hashDouble(double value) {
  if (std::isinf(value))
    return uint64_t(value > 0 ? 314159 : -314159);
  int exponent;
  double mantissa = std::frexp(std::abs(value), &exponent);
  uint64_t x = 0;
  while (mantissa != 0) {
    x = ((x << 28) & modulus) | (x >> (61 - 28));
    mantissa *= 268435456.0;
    exponent -= 28;
    auto part = uint64_t(mantissa);
    mantissa -= double(part);
    x += part;
    if (x >= modulus)
      x -= modulus;
  }
  unsigned rotate = exponent >= 0 ? exponent % 61 : 61 - 1 - ((-1 - exponent) % 61);
  x = ((x << rotate) & modulus) | (x >> (61 - rotate));
  int64_t hash = value < 0 ? -int64_t(x) : int64_t(x);
  return uint64_t(hash == -1 ? -2 : hash);
}

/// CPython's hash of a tuple from those of its items (xxHash's rounds).
static uint64_t hashSequence(llvm::ArrayRef<uint64_t> hashes) {
  uint64_t acc = 2870177450012600261ull;
  for (uint64_t lane : hashes) {
    acc += lane * 14029467366897019727ull;
    acc = (acc << 31) | (acc >> 33);
    acc *= 11400714785074694791ull;
  }
  acc += hashes.size() ^ (2870177450012600261ull ^ 3527539ull);
  return acc == uint64_t(-1) ? 1546275796 : acc;
}

static std::optional<uint64_t> hashUser(Internals &in, Value value, Value method) {
  Value result = in.m.call(method);
  if (!result)
    return std::nullopt;
  auto *integer = llvm::dyn_cast<IntObject>(result);
  if (!integer) {
    in.typeError("__hash__ method should return an integer");
    return std::nullopt;
  }
  return hashInteger(*integer);
}

std::optional<uint64_t> Machine::hash(Value value) {
  Internals &in = *internals;
  if (Value method = in.userMethod(value, in.n.hash)) {
    if (value->kind != Kind::Class)
      return hashUser(in, value, method);
  }
  if (pending())
    return std::nullopt;
  switch (value->kind) {
  case Kind::Int:
  case Kind::Bool:
    return hashInteger(*llvm::cast<IntObject>(value));
  case Kind::Float: {
    double number = llvm::cast<FloatObject>(value)->value;
    // Each NaN object is a key of its own.
    return std::isnan(number) ? llvm::DenseMapInfo<Value>::getHashValue(value) : hashDouble(number);
  }
  case Kind::Complex: {
    auto *number = llvm::cast<ComplexObject>(value);
    uint64_t hash = hashDouble(number->real) + 1000003 * hashDouble(number->imag);
    return hash == uint64_t(-1) ? -2 : hash;
  }
  case Kind::Str:
    return llvm::xxh3_64bits(llvm::cast<StrObject>(value)->text);
  case Kind::Bytes:
    return llvm::xxh3_64bits(llvm::cast<BytesObject>(value)->data);
  case Kind::Tuple: {
    llvm::SmallVector<uint64_t> hashes;
    for (Value item : llvm::cast<TupleObject>(value)->items) {
      auto hashed = hash(item);
      if (!hashed)
        return std::nullopt;
      hashes.push_back(*hashed);
    }
    return hashSequence(hashes);
  }
  case Kind::Range: {
    auto *range = llvm::cast<RangeObject>(value);
    return hashSequence({uint64_t(range->size()), uint64_t(range->start), uint64_t(range->step)});
  }
  case Kind::Set: {
    auto *set = llvm::cast<SetObject>(value);
    if (set->frozen) {
      uint64_t sum = 0x9E3779B9;
      for (auto &entry : set->table.entries)
        if (entry.key)
          sum += entry.hash * 0xBF58476D1CE4E5B9ull;
      return sum;
    }
    [[fallthrough]];
  }
  case Kind::List:
  case Kind::Dict:
  case Kind::Slice:
    in.typeError("unhashable type: '" + typeName(value) + "'");
    return std::nullopt;
  case Kind::Opaque:
    // torch.float16, as a key.
    if (spreadsOpaque)
      return llvm::hash_value(llvm::cast<OpaqueObject>(value)->path);
    in.refuseOpaque(*llvm::cast<OpaqueObject>(value), "hashed");
    return std::nullopt;
  case Kind::Foreign:
    if (auto answer = llvm::cast<Foreign>(value)->library.convert(*this, value, "hash")) {
      if (!*answer)
        return std::nullopt;
      if (*answer != value)
        return hash(*answer);
    }
    break;
  case Kind::Instance:
    if (value->cls->lookup(in.n.hash) == noneValue) {
      in.typeError("unhashable type: '" + typeName(value) + "'");
      return std::nullopt;
    }
    break;
  case Kind::BoundMethod: {
    auto *method = llvm::cast<BoundMethodObject>(value);
    return (reinterpret_cast<uintptr_t>(method->self) >> 4) * 31 +
           (reinterpret_cast<uintptr_t>(method->function) >> 4);
  }
  default:
    break;
  }
  return reinterpret_cast<uintptr_t>(value) >> 4;
}

static size_t probeStart(uint64_t hash, size_t mask) {
  return (hash ^ (hash >> 29) ^ (hash >> 47)) & mask;
}

int64_t Internals::find(HashTable &table, Value key, uint64_t hash, bool &failed) {
  failed = false;
  if (table.index.empty())
    return -1;
  size_t mask = table.index.size() - 1;
  for (size_t at = probeStart(hash, mask);; at = (at + 1) & mask) {
    int32_t slot = table.index[at];
    if (slot == -1)
      return -1;
    if (slot == -2 || table.entries[slot].hash != hash)
      continue;
    Value other = table.entries[slot].key;
    if (other == key)
      return slot;
    auto same = m.equal(other, key);
    if (!same) {
      failed = true;
      return -1;
    }
    if (*same && size_t(slot) < table.entries.size() && table.entries[slot].key == other)
      return slot;
  }
}

static void rebuild(HashTable &table) {
  llvm::erase_if(table.entries, [](const HashTable::Entry &entry) { return !entry.key; });
  size_t size = 8;
  while (size < table.entries.size() * 2 + 2)
    size *= 2;
  table.index.assign(size, -1);
  for (size_t i = 0; i != table.entries.size(); ++i) {
    size_t at = probeStart(table.entries[i].hash, size - 1);
    while (table.index[at] != -1)
      at = (at + 1) & (size - 1);
    table.index[at] = i;
  }
}

bool Internals::insert(HashTable &table, Value key, Value value) {
  auto hash = m.hash(key);
  if (!hash)
    return false;
  bool failed;
  int64_t at = find(table, key, *hash, failed);
  if (failed)
    return false;
  if (at >= 0) {
    table.entries[at].value = value;
    return true;
  }
  if (!checkItems(table.entries.size() + 1))
    return false;
  if (table.index.size() < table.entries.size() * 2 + 3)
    rebuild(table);
  allocated += sizeof(HashTable::Entry) + 8;
  size_t mask = table.index.size() - 1, slot = probeStart(*hash, mask);
  while (table.index[slot] >= 0)
    slot = (slot + 1) & mask;
  table.index[slot] = table.entries.size();
  table.entries.push_back({*hash, key, value});
  ++table.live;
  return true;
}

std::optional<bool> Internals::erase(HashTable &table, Value key) {
  auto hash = m.hash(key);
  if (!hash)
    return std::nullopt;
  bool failed;
  int64_t at = find(table, key, *hash, failed);
  if (failed)
    return std::nullopt;
  if (at < 0)
    return false;
  size_t mask = table.index.size() - 1, slot = probeStart(*hash, mask);
  while (table.index[slot] != at)
    slot = (slot + 1) & mask;
  table.index[slot] = -2;
  table.entries[at].key = table.entries[at].value = nullptr;
  --table.live;
  return true;
}

Value Internals::lookup(HashTable &table, Value key) {
  auto hash = m.hash(key);
  if (!hash)
    return nullptr;
  bool failed;
  int64_t at = find(table, key, *hash, failed);
  return at < 0 ? nullptr : table.entries[at].value;
}

void Internals::clear(HashTable &table) { table = HashTable(); }

bool Internals::setInsert(SetObject &set, Value item) {
  auto hash = m.hash(item);
  if (!hash)
    return false;
  bool failed;
  if (find(set.table, item, *hash, failed) >= 0)
    return true; // a set keeps the item that it has
  return !failed && insert(set.table, item, m.none());
}

Value Machine::dictGet(DictObject &dict, Value key) { return internals->lookup(dict.table, key); }
Value Machine::dictGet(DictObject &dict, llvm::StringRef key) {
  return internals->lookup(dict.table, intern(key));
}
bool Machine::dictSet(DictObject &dict, Value key, Value value) {
  willWrite(&dict);
  return internals->insert(dict.table, key, value);
}
std::optional<bool> Machine::dictErase(DictObject &dict, Value key) {
  willWrite(&dict);
  return internals->erase(dict.table, key);
}
bool Machine::setAdd(SetObject &set, Value item) {
  willWrite(&set);
  return internals->setInsert(set, item);
}
