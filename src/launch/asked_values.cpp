// Kernels specialised on values: their signatures, and their keys in the kernel table.
#include "launch/asked_values.h"

#include "launch/arg_pack.h"

#include <algorithm>
#include <bit>

namespace treadle {

namespace {

uint64_t bitsOf(const ArgumentLeaf &leaf) {
  return leaf.kind == ArgumentLeaf::Kind::Real ? std::bit_cast<uint64_t>(leaf.real) : uint64_t(leaf.integer);
}

/// `next`: the index of the type's first leaf, moved past its last.
const Type *literalOf(const Type *type, std::span<const ArgumentLeaf> leaves, size_t &next) {
  if (!type->isTuple())
    return types::literal(type, bitsOf(leaves[next++]));
  std::vector<const Type *> items;
  for (const Type *item : type->items())
    items.push_back(literalOf(item, leaves, next));
  return types::namedTuple(type->handle(), type->text(), items, type->itemNames());
}

size_t leavesOf(const Type *type) {
  std::vector<const Type *> leaves;
  appendLeaves(type, leaves);
  return leaves.size();
}

} // namespace

bool AskedValues::add(uint32_t argument) {
  const std::vector<const Type *> all = typesOf(types);
  if (argument >= all.size() || !all[argument]->canBeLiteral() ||
      std::ranges::find(arguments, argument) != arguments.end())
    return false;
  size_t first = 0;
  for (uint32_t i = 0; i < argument; ++i)
    first += leavesOf(all[i]);
  for (size_t leaf = first; leaf < first + leavesOf(all[argument]); ++leaf)
    leaves.push_back(uint32_t(leaf));
  arguments.push_back(argument);
  return true;
}

std::vector<const Type *> AskedValues::signatureOf(const ArgumentList &launch) const {
  std::vector<const Type *> all = typesOf(types);
  size_t next = 0;
  for (uint32_t i = 0; i < all.size(); ++i) {
    if (std::ranges::find(arguments, i) == arguments.end())
      next += leavesOf(all[i]);
    else
      all[i] = literalOf(all[i], launch.leaves.view(), next);
  }
  return all;
}

void AskedValues::tokensOf(const ArgumentList &launch, Tokens &tokens) const {
  for (const TypeToken token : types)
    tokens.push() = token;
  tokens.push() = tokens::values;
  for (const uint32_t leaf : leaves)
    tokens.push() = bitsOf(launch.leaves.view()[leaf]);
}

std::shared_ptr<const AskedValues> AllAskedValues::of(std::span<const TypeToken> types) const {
  const std::lock_guard lock(mutex);
  const auto found = std::ranges::find_if(all, [&](const auto &one) { return one->areOf(types); });
  return found == all.end() ? nullptr : *found;
}

bool AllAskedValues::add(std::span<const TypeToken> types, uint32_t argument) {
  const std::lock_guard lock(mutex);
  const auto known = std::ranges::find_if(all, [&](const auto &one) { return one->areOf(types); });
  auto changed = std::make_shared<AskedValues>(known == all.end() ? AskedValues(types) : **known);
  if (!changed->add(argument))
    return false;
  if (known == all.end())
    all.push_back(std::move(changed));
  else
    *known = std::move(changed);
  return true;
}

void AllAskedValues::clear() {
  const std::lock_guard lock(mutex);
  all.clear();
}

} // namespace treadle
