// AskedValues: the arguments on whose values a function is specialised, as `literally` in it asks.
#pragma once

#include "launch/arguments.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace treadle {

/// For argument types of a launch: the arguments on whose values the kernel is specialised. Found by a failed
/// inference, which names one; then the function is inferred again.
class AskedValues {
public:
  explicit AskedValues(std::span<const TypeToken> types) : types(types.begin(), types.end()) {}

  bool areOf(std::span<const TypeToken> launched) const { return std::ranges::equal(types, launched); }
  /// False: that argument is included already, or cannot be.
  TREADLE_API bool add(uint32_t argument);
  /// The types of a launch's arguments, with literals for the included ones.
  TREADLE_API std::vector<const Type *> signatureOf(const ArgumentList &launch) const;
  /// The key of such a launch in the kernel table: the tokens of its types, then the values.
  using Tokens = InlineList<TypeToken, 64>;
  TREADLE_API void tokensOf(const ArgumentList &launch, Tokens &tokens) const;

private:
  std::vector<TypeToken> types;
  std::vector<uint32_t> arguments; ///< by their positions
  std::vector<uint32_t> leaves;    ///< of these arguments
};

/// The AskedValues of one dispatcher. Thread-safe.
class AllAskedValues {
public:
  /// Null: none.
  TREADLE_API std::shared_ptr<const AskedValues> of(std::span<const TypeToken> types) const;
  /// Returns false if nothing changes.
  TREADLE_API bool add(std::span<const TypeToken> types, uint32_t argument);
  TREADLE_API void clear();

private:
  mutable std::mutex mutex;
  std::vector<std::shared_ptr<const AskedValues>> all; ///< replaced as a whole, never changed
};

} // namespace treadle
