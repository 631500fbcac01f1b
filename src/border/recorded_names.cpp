// Digests of answers, and the replay of recorded questions.
#include "border/recorded_names.h"

#include "support/error.h"

#include <cstring>
#include <type_traits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace treadle {

Digest digestOf(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

namespace {

/// Accumulates the input of a digest. Each text is prefixed by its length, so that no two lists give the same bytes.
class Digested {
public:
  explicit Digested(HandleNumbers &handles) : handles(handles) {}

  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void add(T value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void add(std::string_view text) {
    add(text.size());
    bytes += text;
  }
  void add(const std::string &text) { add(std::string_view(text)); }
  void add(const std::vector<int64_t> &numbers) {
    add(numbers.size());
    for (const int64_t number : numbers)
      add(number);
  }
  void add(const Type *type);
  void add(const CapturedValue &value, std::vector<uint64_t> &pointers);
  void add(const CalledFunction &called);

  std::string bytes;

private:
  void addHandle(const Type &type);

  HandleNumbers &handles;
};

void Digested::add(const Type *type) {
  add(type != nullptr);
  if (!type)
    return;
  add(type->kind());
  add(type->isSigned());
  add(type->bits());
  add(type->bytes());
  add(type->layout());
  add(type->space());
  add(type->isReadOnly());
  add(type->isUnaligned());
  add(type->ndim());
  add(type->text());
  addHandle(*type);
  add(type->element());
  add(type->items().size());
  for (const Type *item : type->items())
    add(item);
  add(type->itemNames().size());
  for (const std::string_view name : type->itemNames())
    add(name);
  add(type->fields().size());
  for (const RecordField &field : type->fields()) {
    add(field.name);
    add(field.type);
    add(field.offset);
    add(std::vector<int64_t>(field.shape.begin(), field.shape.end()));
  }
}

/// Handles are process-local, so they are numbered by first appearance instead.
void Digested::addHandle(const Type &type) {
  const bool isHandle = type.is(TypeKind::Function) || type.is(TypeKind::Module) || type.is(TypeKind::Object) ||
                        (type.isTuple() && !type.isSeries() && type.handle() != 0);
  add(isHandle);
  add(isHandle ? uint64_t(handles.numberOf(type.handle())) : type.handle());
}

void Digested::add(const CapturedValue &value, std::vector<uint64_t> &pointers) {
  add(value.type);
  add(value.isLiteral);
  add(value.isNumpy);
  add(value.integer);
  add(value.real);
  add(value.imag);
  add(value.problem);
  add(value.items.size());
  for (const CapturedValue &item : value.items)
    add(item, pointers);
  add(value.object != nullptr);
  // Array identity matters, so the object is hashed too.
  if (value.object)
    add(handles.numberOf(reinterpret_cast<uintptr_t>(value.object.get())));
  add(value.shape);
  add(value.strides);
  add(value.devicePointer.has_value());
  if (value.devicePointer) {
    pointers.push_back(*value.devicePointer);
    // Not the address, but whether it equals that of an earlier array: two arrays may share memory.
    add(handles.numberOf(*value.devicePointer));
  }
  add(value.data != nullptr);
  if (value.data)
    for (const uint64_t part : digestOf({reinterpret_cast<const char *>(value.data->data()), value.data->size()}))
      add(part);
}

void Digested::add(const CalledFunction &called) {
  add(handles.numberOf(called.handle));
  add(called.rules);
  add(called.forceInline);
  add(called.neverInline);
  add(called.libraryName);
  add(called.isElementwise);
  add(called.into);
  add(called.signatures.size());
  for (const std::vector<const Type *> &signature : called.signatures) {
    add(signature.size());
    for (const Type *type : signature)
      add(type);
  }
}

} // namespace

void writeType(std::string &bytes, const Type *type, HandleNumbers &handles) {
  Digested digested(handles);
  digested.add(type);
  bytes += digested.bytes;
}

RecordedNames::RecordedNames(std::shared_ptr<NameResolver> names, uint64_t function, const Signature &signature)
    : names(std::move(names)), rootHandle(function) {
  numbers.numberOf(0); // for questions without a handle
  numbers.numberOf(function);
  std::string ignored;
  for (const Type *argument : signature.arguments)
    writeType(ignored, argument, numbers);
  writeType(ignored, signature.result, numbers);
}

void RecordedNames::ask(Answer &answer, const Question &question) {
  const auto &[kind, handle, name] = question;
  Digested digested(numbers);
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
    digested.add(names->described(handle));
    const std::string source = names->sourceKey(handle);
    complete = complete && !source.empty();
    digested.add(source);
    break;
  }
  }
  digested.add(answer.value, pointers);
  digested.add(answer.text);
  answer.place = asked.size();
  asked.push_back({kind, numbers.numberOf(handle), name, digestOf(digested.bytes)});
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
