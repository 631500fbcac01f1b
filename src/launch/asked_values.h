// AskedValues: which arguments a function must know the values of, as `literally` in it has asked for them.
#pragma once

#include "launch/arguments.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace treadle {

/// For launches with arguments of some types: which of them the kernel is compiled for the values of. Made by a failed
/// inference, which says one; then the function is inferred again.
class AskedValues {
public:
  explicit AskedValues(std::span<const TypeToken> types) : types(types.begin(), types.end()) {}

  bool areOf(std::span<const TypeToken> launched) const { return std::ranges::equal(types, launched); }
  /// False: that argument is among them already, or cannot be.
  TREADLE_API bool add(uint32_t argument);
  /// The types of a launch's arguments, literals for those that are asked for.
  TREADLE_API std::vector<const Type *> signatureOf(const ArgumentList &launch) const;
  /// What such a launch has in the kernel table: the tokens of its types, then the values.
  using Tokens = InlineList<TypeToken, 64>;
  TREADLE_API void tokensOf(const ArgumentList &launch, Tokens &tokens) const;

private:
  std::vector<TypeToken> types;
  std::vector<uint32_t> arguments; ///< by their positions
  std::vector<uint32_t> leaves;    ///< of these arguments
};

/// The AskedValues of one dispatcher; from any thread.
class AllAskedValues {
public:
  /// Null: none is known.
  TREADLE_API std::shared_ptr<const AskedValues> of(std::span<const TypeToken> types) const;
  /// Returns false if that changes nothing.
  TREADLE_API bool add(std::span<const TypeToken> types, uint32_t argument);
  TREADLE_API void clear();

private:
  mutable std::mutex mutex;
  std::vector<std::shared_ptr<const AskedValues>> all; ///< each is replaced as a whole
};

} // namespace treadle
