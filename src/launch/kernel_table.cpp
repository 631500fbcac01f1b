// Immutable versions of a hash table, published through one atomic pointer.
#include "launch/kernel_table.h"

#include "support/hash.h"

namespace treadle {

namespace {

uint64_t hashOf(std::span<const TypeToken> tokens) {
  return hashBytes({reinterpret_cast<const char *>(tokens.data()), tokens.size_bytes()});
}

} // namespace

KernelTable::KernelTable() { clear(); }
KernelTable::~KernelTable() = default;

bool KernelTable::equal(const Entry &entry, std::span<const TypeToken> tokens) {
  if (entry.tokens.size() != tokens.size())
    return false;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (entry.tokens[i] != tokens[i])
      return false;
  return true;
}

const KernelTable::Entry *KernelTable::Places::find(std::span<const TypeToken> tokens, uint64_t hash) const {
  const size_t mask = slots.size() - 1;
  for (size_t place = hash & mask;; place = (place + 1) & mask) {
    const Entry *entry = slots[place].load(std::memory_order_acquire);
    if (!entry || (entry->hash == hash && equal(*entry, tokens)))
      return entry;
  }
}

void KernelTable::Places::put(const Entry *entry) {
  const size_t mask = slots.size() - 1;
  size_t place = entry->hash & mask;
  while (slots[place].load(std::memory_order_relaxed))
    place = (place + 1) & mask;
  slots[place].store(entry, std::memory_order_release);
  ++used;
}

Overload *KernelTable::search(std::span<const TypeToken> tokens) const {
  const Places *current = places.load(std::memory_order_acquire);
  const Entry *found = current->find(tokens, hashOf(tokens));
  if (!found)
    return nullptr;
  latest.store(found);
  // If the table was cleared meanwhile, its old entries must not reappear.
  if (places.load() != current)
    latest.store(nullptr);
  return found->overload;
}

void KernelTable::insert(std::span<const TypeToken> tokens, Overload *overload) {
  const std::lock_guard lock(changing);
  Places *current = places.load();
  const uint64_t hash = hashOf(tokens);
  if (current->find(tokens, hash))
    return;
  entries.push_back(std::make_unique<Entry>(Entry{{tokens.begin(), tokens.end()}, overload, hash}));
  if ((current->used + 1) * 2 > current->slots.size()) {
    auto larger = std::make_unique<Places>(current->slots.size() * 2);
    for (const std::atomic<const Entry *> &slot : current->slots)
      if (const Entry *entry = slot.load())
        larger->put(entry);
    current = larger.get();
    versions.push_back(std::move(larger));
  }
  current->put(entries.back().get());
  places.store(current, std::memory_order_release);
}

void KernelTable::clear() {
  const std::lock_guard lock(changing);
  versions.push_back(std::make_unique<Places>(8));
  places.store(versions.back().get());
  latest.store(nullptr);
}

void KernelTable::freeForgotten() {
  const std::lock_guard lock(changing);
  const Places *current = places.load();
  std::erase_if(versions, [=](const auto &version) { return version.get() != current; });
  if (current->used == 0) {
    latest.store(nullptr);
    entries.clear();
  }
}

} // namespace treadle
