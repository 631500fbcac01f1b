// RecordedNames: what inference has asked about names, so that another process can tell whether it would get the same
// answers.
#pragma once

#include "border/field_bytes.h"
#include "border/name_resolver.h"
#include "support/export.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace treadle {

/// A 128-bit hash, assumed to be free of collisions.
using Digest = std::array<uint64_t, 2>;
TREADLE_API Digest digestOf(std::string_view bytes);

struct RecordedQuestion {
  enum class Kind : uint8_t {
    Resolve,
    Attribute,
    Members,
    Function,
    ParameterDefault,
    QualifiedName,
    Undecorated,
    DtypeNamed,
    LibraryFunction,
  };
  Kind kind = Kind::Resolve;
  uint32_t handle = 0; ///< by HandleNumbers; 0 where the question has none
  std::string name;
  Digest answer{};
  bool operator==(const RecordedQuestion &) const = default;
};
constexpr auto fieldsOf(const RecordedQuestion *) {
  return std::tuple(&RecordedQuestion::kind, &RecordedQuestion::handle, &RecordedQuestion::name,
                    &RecordedQuestion::answer);
}

/// Answers the questions of one inference, and records them. Each is passed on once: a repeated question gets the same
/// answer, even if the names have changed meanwhile.
///
/// Inference is a function of the syntax, the signature, the rules and these answers alone. So where another process,
/// with the same inputs, would get answers with equal digests, the result is the same.
class TREADLE_API RecordedNames final : public NameResolver {
public:
  /// `function`: the handle of the function that is inferred. Handles in the signature are numbered next.
  RecordedNames(std::shared_ptr<NameResolver> names, uint64_t function, const Signature &signature);

  CapturedValue resolve(uint64_t function, std::string_view name) override;
  CapturedValue attribute(uint64_t handle, std::string_view name) override;
  CapturedValue members(uint64_t handle) override;
  CalledFunction function(uint64_t handle) override;
  CalledFunction described(uint64_t handle) override { return names->described(handle); }
  std::string sourceKey(uint64_t handle) override { return names->sourceKey(handle); }
  CapturedValue parameterDefault(uint64_t function, std::string_view name) override;
  std::string qualifiedName(uint64_t handle) override;
  std::string_view undecoratedFunction(uint64_t handle) override;
  Advice adviceOn(uint64_t handle, std::string_view attribute) override { return names->adviceOn(handle, attribute); }
  CapturedValue dtypeNamed(std::string_view text) override;
  CapturedValue libraryFunction(std::string_view key) override;
  ConstevalResult evaluate(uint64_t function, const ConstevalRequest &request) override;

  /// Asks these questions, unless already asked, up to the first whose answer differs. Returns whether all answers are
  /// the recorded ones.
  bool gives(std::span<const RecordedQuestion> questions);

  /// After the last inference that uses them; only `handles` is used from then on.
  void forgetAnswers() { answers.clear(); }

  /// False: some answer has no digest.
  bool isComplete() const { return complete; }
  /// In the order in which they were first asked.
  const std::vector<RecordedQuestion> &questions() const { return asked; }
  HandleNumbers &handles() { return numbers; }
  /// The addresses of all device arrays in the answers, in the order of the answers.
  const std::vector<uint64_t> &devicePointers() const { return pointers; }
  uint64_t root() const { return rootHandle; }

private:
  using Kind = RecordedQuestion::Kind;
  using Question = std::tuple<Kind, uint64_t, std::string>;
  struct Answer {
    CapturedValue value;
    std::string text;
    size_t place = 0; ///< in `asked`
  };

  const Answer &answer(Kind kind, uint64_t handle, std::string_view name);
  void ask(Answer &answer, const Question &question);

  const std::shared_ptr<NameResolver> names;
  const uint64_t rootHandle;
  HandleNumbers numbers;
  std::map<Question, Answer> answers;
  std::vector<RecordedQuestion> asked;
  std::vector<uint64_t> pointers;
  bool complete = true;
};

} // namespace treadle
