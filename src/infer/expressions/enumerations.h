// Enumerations: their members by name and by value, and attributes of members.
#pragma once

#include "infer/calls/arguments.h"
#include "infer/expressions/names.h"

namespace treadle {

class Enumerations {
public:
  Enumerations(Instance &instance, Names &names)
      : compilation(instance.compilation), tree(instance.tree), whole(instance.whole), members(instance.values.members),
        characters(instance.values.characters), operators(instance.values.operators), names(names) {}

  /// The members of an enumeration as a tuple; nullptr if it is not one.
  typed::Expr *membersOf(const Type &type, SourceSpan span);
  typed::Expr *memberNamed(const typed::Expr &value, const syntax::Subscript &expression);
  /// `level.value`, and of constants also what the class says of the member.
  typed::Expr *memberAttribute(typed::Expr *value, const syntax::Attribute &expression);
  typed::Expr *callEnumeration(const Type &classType, const Arguments &arguments);
  typed::Expr *otherFlags(const CapturedValue &flags, typed::Expr *value, SourceSpan span);

private:
  /// Made anew for each question, from what Compilation has kept.
  struct Enumeration;
  std::optional<Enumeration> enumeration(const Type &type, SourceSpan span);
  typed::Expr *checkedMember(const Enumeration &wanted, typed::Expr *value, SourceSpan span);

  Compilation &compilation;
  Tree &tree;
  Whole &whole;
  Members &members;
  Characters &characters;
  Operators &operators;
  Names &names;
};

} // namespace treadle
