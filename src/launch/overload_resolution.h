// Chooses among given signatures for the types of a launch.
#pragma once

#include "support/export.h"
#include "types/number_rules.h"
#include "types/signature.h"

#include <span>
#include <string_view>

namespace treadle {

/// The cost of passing `from` to a parameter of type `to`: numbers by NumberRules, arrays by layout and constness,
/// tuples item by item, None and values to Optional.
TREADLE_API Conversion conversionOf(const Type *from, const Type *to);

/// The index of the cheapest signature: fewest unsafe conversions, then fewest safe ones, then fewest promotions.
/// Throws UsageError (Type): "No matching definition" if none accepts the types, "Ambiguous overloading" if
/// several are equally cheap.
TREADLE_API size_t resolveOverload(std::string_view function, std::span<const Type *const> arguments,
                                   std::span<const Signature *const> candidates);

} // namespace treadle
