// Module: a PTX text as the parser reads it: variables, functions, instructions with their operands by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmachine {

enum class Space : uint8_t { Generic, Global, Const, Shared, Local, Param };

/// Who else may define or use a name: nobody outside of the text, or other texts that are linked with it.
enum class Linkage : uint8_t { Internal, Visible, Weak, Common, Extern };

/// Bytes of an initial value that are the address of a symbol.
struct SymbolAddress {
  size_t offset;
  std::string symbol;
  int64_t addend;
  bool isGeneric;
};

struct Variable {
  std::string name;
  Space space = Space::Global;
  size_t bytes = 0; ///< of all elements; 0 for `.extern .shared x[]`
  size_t elementBytes = 1;
  size_t alignment = 1;
  Linkage linkage = Linkage::Internal;
  bool isRegister = false;        ///< a parameter that is a register
  std::vector<std::byte> initial; ///< shorter than `bytes`: the rest is zero; empty: none was given
  std::vector<SymbolAddress> addresses;
};

struct Operand {
  enum class Kind : uint8_t {
    Name,    ///< a register, special register, label, function or variable; with `offset` for `symbol+4`
    Integer, ///< `bits`
    Float,   ///< `bits`
    Address, ///< `[name+offset]`, `[12]`
    Vector,  ///< `{a, b}`
    Pair,    ///< `p|q`
    List     ///< `(a, b)` of a call
  } kind = Kind::Name;
  std::string name;
  bool isNegated = false; ///< `!p`
  bool isSingle = false;  ///< a float's bits are those of an f32
  uint64_t bits = 0;
  int64_t offset = 0;
  std::vector<Operand> items;
};

struct SourceLine {
  unsigned file = 0, line = 0, column = 0;
};

struct Statement {
  std::string opcode; ///< with all its modifiers
  std::string guard;  ///< the predicate; empty: none
  bool isGuardNegated = false;
  std::vector<Operand> operands;
  SourceLine source;
  unsigned textLine = 0;
};

/// A register: names of registers are unique in a Body, since inner scopes get names of their own.
struct RegisterName {
  std::string name;
  std::string type; ///< with its dot
};

struct Body {
  std::vector<RegisterName> registers;
  std::vector<Variable> variables; ///< local, shared, and param variables
  std::vector<Statement> statements;
  std::vector<std::pair<std::string, size_t>> labels; ///< to the index of a statement
  std::vector<std::pair<std::string, std::vector<std::string>>> branchTargets;
};

struct Function {
  std::string name;
  bool isEntry = false;
  Linkage linkage = Linkage::Internal;
  std::vector<Variable> results;
  std::vector<Variable> parameters;          ///< each with its space, Param
  std::vector<unsigned> maxThreads, threads; ///< `.maxntid`, `.reqntid`
  std::vector<unsigned> cluster;             ///< `.reqnctapercluster`
  unsigned maxRegisters = 0;                 ///< `.maxnreg`; 0: none
  std::string marker;                        ///< the `// fake:` comment before an entry
  std::optional<Body> body;
};

struct Module {
  int version = 0; ///< 83 for 8.3
  int target = 0;  ///< 90 for sm_90a
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<std::string> files; ///< by number

  const Function *function(std::string_view name) const;
};

/// Throws LoadError.
Module parse(std::string_view text);

/// Bytes of `.f32` and the like; 0: no type. `.pred` is 1.
size_t typeBytes(std::string_view type);

} // namespace ptxmachine
