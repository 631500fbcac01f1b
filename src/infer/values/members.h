// Members: members of enumerations, which are run-time values whose class is part of their type.
#pragma once

#include "infer/instances/compilation.h"
#include "infer/values/whole.h"

namespace treadle {

/// The positions in NameResolver::members.
namespace part {
enum : size_t { Call, Bases, SeenAs, Own, Bits, Iterated, FirstPair };
}

class Members {
public:
  Members(const Context &context, Compilation &compilation)
      : tree(context.tree), whole(context.whole), compilation(compilation) {}

  /// The value of a member of an enumeration.
  typed::Expr *valueOfMember(typed::Expr *member, SourceSpan span);
  typed::Expr *combineFlags(BinaryOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  typed::Expr *compareMembers(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span);
  /// A result of NameResolver::members; nullptr if the type is that of no member.
  const CapturedValue *enumerationOf(const Type &type);
  /// The third item of NameResolver::members; "" if the class is not an enumeration.
  std::string_view seenAs(const Type &classType);
  /// Fail for constants of classes that define their own truth or equality.
  void checkTruth(const typed::Expr &value);
  void checkEquality(const typed::Expr &left, const typed::Expr &right);

private:
  [[noreturn]] void failOwn(const typed::Expr &value, std::string_view what, std::string_view remedy);

  Tree &tree;
  Whole &whole;
  Compilation &compilation;
};

/// Whether a class is among the bases of an enumeration, itself included.
bool derivesFrom(const CapturedValue &enumeration, const Type *classType);

} // namespace treadle
