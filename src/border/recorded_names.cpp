// Digests of answers, and the replay of recorded questions.
#include "border/recorded_names.h"

#include "support/error.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace treadle {

Digest digestOf(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

namespace {

/// The input of a digest.
class DigestWriter {
public:
  explicit DigestWriter(HandleNumbers &handles) : write(handles), handles(handles) {}

  void captured(const CapturedValue &value, std::vector<uint64_t> &pointers);
  void called(const CalledFunction &called);

  FieldWriter write;

private:
  HandleNumbers &handles;
};

void DigestWriter::captured(const CapturedValue &value, std::vector<uint64_t> &pointers) {
  write(value.type);
  write(value.isLiteral);
  write(value.isNumpy);
  write(value.integer);
  write(value.real);
  write(value.imag);
  write(value.problem);
  write(value.items.size());
  for (const CapturedValue &item : value.items)
    captured(item, pointers);
  write(value.object != nullptr);
  // Array identity matters, so the object is hashed too.
  if (value.object)
    write(handles.numberOf(reinterpret_cast<uintptr_t>(value.object.get())));
  write(value.shape);
  write(value.strides);
  write(value.devicePointer.has_value());
  if (value.devicePointer) {
    pointers.push_back(*value.devicePointer);
    // Not the address, but whether it equals that of an earlier array: two arrays may share memory.
    write(handles.numberOf(*value.devicePointer));
  }
  write(value.data != nullptr);
  if (value.data)
    write(digestOf({reinterpret_cast<const char *>(value.data->data()), value.data->size()}));
}

void DigestWriter::called(const CalledFunction &called) {
  write(handles.numberOf(called.handle));
  write(called.rules);
  write(called.forceInline);
  write(called.neverInline);
  write(called.libraryName);
  write(called.isElementwise);
  write(called.into);
  write(called.signatures);
}

} // namespace

RecordedNames::RecordedNames(std::shared_ptr<NameResolver> names, uint64_t function, const Signature &signature)
    : names(std::move(names)), rootHandle(function) {
  numbers.numberOf(0); // for questions without a handle
  numbers.numberOf(function);
  FieldWriter numbering(numbers);
  numbering(signature);
}

void RecordedNames::ask(Answer &answer, const Question &question) {
  const auto &[kind, handle, name] = question;
  DigestWriter digested(numbers);
  switch (kind) {
  case Kind::Resolve:
    answer.value = names->resolve(handle, name);
    break;
  case Kind::Attribute:
    answer.value = names->attribute(handle, name);
    break;
  case Kind::Members:
    answer.value = names->members(handle);
    break;
  case Kind::ParameterDefault:
    answer.value = names->parameterDefault(handle, name);
    break;
  case Kind::DtypeNamed:
    answer.value = names->dtypeNamed(name);
    break;
  case Kind::LibraryFunction:
    answer.value = names->libraryFunction(name);
    break;
  case Kind::QualifiedName:
    answer.text = names->qualifiedName(handle);
    break;
  case Kind::Undecorated:
    answer.text = names->undecoratedFunction(handle);
    break;
  case Kind::Function: {
    digested.called(names->described(handle));
    const std::string source = names->sourceKey(handle);
    complete = complete && !source.empty();
    digested.write(source);
    break;
  }
  }
  digested.captured(answer.value, pointers);
  digested.write(answer.text);
  answer.place = asked.size();
  asked.push_back({kind, numbers.numberOf(handle), name, digestOf(digested.write.bytes)});
}

const RecordedNames::Answer &RecordedNames::answer(Kind kind, uint64_t handle, std::string_view name) {
  Question question(kind, handle, name);
  if (const auto known = answers.find(question); known != answers.end())
    return known->second;
  Answer made;
  ask(made, question);
  return answers.emplace(std::move(question), std::move(made)).first->second;
}

CapturedValue RecordedNames::resolve(uint64_t function, std::string_view name) {
  return answer(Kind::Resolve, function, name).value;
}

CapturedValue RecordedNames::attribute(uint64_t handle, std::string_view name) {
  return answer(Kind::Attribute, handle, name).value;
}

CapturedValue RecordedNames::members(uint64_t handle) { return answer(Kind::Members, handle, {}).value; }

/// Its syntax is not recorded: there is none when the question was only replayed.
CalledFunction RecordedNames::function(uint64_t handle) {
  (void)answer(Kind::Function, handle, {});
  return names->function(handle);
}

CapturedValue RecordedNames::parameterDefault(uint64_t function, std::string_view name) {
  return answer(Kind::ParameterDefault, function, name).value;
}

std::string RecordedNames::qualifiedName(uint64_t handle) { return answer(Kind::QualifiedName, handle, {}).text; }

std::string_view RecordedNames::undecoratedFunction(uint64_t handle) {
  return answer(Kind::Undecorated, handle, {}).text;
}

CapturedValue RecordedNames::dtypeNamed(std::string_view text) { return answer(Kind::DtypeNamed, 0, text).value; }

CapturedValue RecordedNames::libraryFunction(std::string_view key) {
  return answer(Kind::LibraryFunction, 0, key).value;
}

/// Python code may read anything.
ConstevalResult RecordedNames::evaluate(uint64_t function, const ConstevalRequest &request) {
  complete = false;
  return names->evaluate(function, request);
}

bool RecordedNames::gives(std::span<const RecordedQuestion> questions) {
  for (const RecordedQuestion &question : questions) {
    const uint64_t *handle = numbers.handleOf(question.handle);
    if (!handle || question.kind > Kind::LibraryFunction)
      return false;
    if (asked[answer(question.kind, *handle, question.name).place].answer != question.answer)
      return false;
  }
  return true;
}

} // namespace treadle
