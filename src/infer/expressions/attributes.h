// Attributes: of arrays, numbers, tuples, modules and the objects of the cuda module.
#pragma once

#include "infer/calls/array_calls.h"
#include "infer/expressions/enumerations.h"

namespace treadle {

class Attributes {
public:
  Attributes(Instance &instance, ArrayCalls &arrays, Names &names, Enumerations &enumerations)
      : compilation(instance.compilation), tree(instance.tree), whole(instance.whole), access(instance.values.access),
        sequences(instance.values.sequences), arrays(arrays), names(names), enumerations(enumerations) {}

  /// `value.name`, except for methods that are called, which Calls::call looks up first.
  typed::Expr *attributeOf(typed::Expr *value, const syntax::Attribute &expression);
  /// Also for assignments, for the error about an attribute that cannot be assigned.
  typed::Expr *arrayAttribute(typed::Expr *array, const syntax::Attribute &expression);
  /// The field of records that the attribute names.
  std::optional<uint32_t> fieldOf(const typed::Expr &value, const syntax::Attribute &expression);

private:
  typed::Expr *elementwiseAttribute(typed::Expr *value, const syntax::Attribute &expression);
  typed::Expr *numberAttribute(typed::Expr *value, const syntax::Attribute &expression);
  typed::Expr *tupleAttribute(typed::Expr *value, const syntax::Attribute &expression);
  typed::Expr *typeAttribute(typed::Expr *value, const syntax::Attribute &expression);
  typed::Expr *outsideAttribute(typed::Expr *value, const syntax::Attribute &expression);

  Compilation &compilation;
  Tree &tree;
  Whole &whole;
  ArrayAccess &access;
  Sequences &sequences;
  ArrayCalls &arrays;
  Names &names;
  Enumerations &enumerations;
};

/// `candidates`: what the attribute could have been meant to be.
[[noreturn]] void failAttribute(const Tree &tree, const typed::Expr &value, const syntax::Attribute &expression,
                                const std::vector<std::string_view> &candidates);

} // namespace treadle
