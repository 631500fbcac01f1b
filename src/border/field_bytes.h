// Serialisation: `fieldsOf` lists each structure's fields once, for both directions.
#pragma once

#include "support/export.h"
#include "types/signature.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <variant>
#include <vector>

namespace treadle {

struct Facts;

template <class T> constexpr bool isPlain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// A structure's fields are what `fieldsOf(const Structure *)` gives, a tuple of pointers to members, in the order in
// which they are written and read. It is found by its argument, so it must be declared in namespace treadle, not in an
// unnamed one.
constexpr auto fieldsOf(const Signature *) { return std::tuple(&Signature::arguments, &Signature::result); }

struct AnyMember {
  template <class T> operator T() const;
};
/// How many members an aggregate has; an array counts by its items.
template <class T, class... Values> constexpr size_t memberCount() {
  if constexpr (requires { T{Values()..., AnyMember()}; })
    return memberCount<T, Values..., AnyMember>();
  else
    return sizeof...(Values);
}
/// How many of them `fieldsOf` leaves out on purpose: all that a structure has are written but these.
template <class T> constexpr size_t unwrittenMembers = 0;

/// Numbers handles in order of first appearance, which does not depend on the process.
class HandleNumbers {
public:
  uint32_t numberOf(uint64_t handle) {
    const auto [place, isNew] = numbers.try_emplace(handle, uint32_t(handles.size()));
    if (isNew)
      handles.push_back(handle);
    return place->second;
  }
  /// Null: that number has not been assigned.
  const uint64_t *handleOf(uint32_t number) const { return number < handles.size() ? &handles[number] : nullptr; }

private:
  std::unordered_map<uint64_t, uint32_t> numbers;
  std::vector<uint64_t> handles;
};

/// Equal values serialise to equal bytes in every process on one kind of machine.
class FieldWriter {
public:
  FieldWriter() = default;
  /// Writes types that exist only while compiling, too, and tells apart those of different Python objects. Such bytes
  /// are only compared.
  explicit FieldWriter(HandleNumbers &handles) : handles(&handles) {}

  std::string bytes;

  template <class T>
    requires isPlain<T>
  void operator()(const T &value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void operator()(const std::string &text) {
    (*this)(uint64_t(text.size()));
    bytes += text;
  }
  template <class T> void operator()(const std::vector<T> &items) {
    (*this)(uint64_t(items.size()));
    for (const T &item : items)
      (*this)(item);
  }
  template <class T, size_t count> void operator()(const std::array<T, count> &items) {
    for (const T &item : items)
      (*this)(item);
  }
  template <class T, size_t count> void operator()(const T (&items)[count]) {
    for (const T &item : items)
      (*this)(item);
  }
  void operator()(const std::vector<bool> &bits) { (*this)(std::vector<uint8_t>(bits.begin(), bits.end())); }
  void operator()(const std::map<std::string, uint32_t> &counts) {
    (*this)(uint64_t(counts.size()));
    for (const auto &[key, count] : counts) {
      (*this)(key);
      (*this)(count);
    }
  }
  template <class... Ts> void operator()(const std::variant<Ts...> &value) {
    (*this)(uint8_t(value.index()));
    std::visit(*this, value);
  }
  /// Null, or of a kind that exists at run time, unless handles are numbered.
  TREADLE_API void operator()(const Type *type);
  template <class T>
    requires std::is_class_v<T>
  void operator()(const T &value) {
    static_assert(std::tuple_size_v<decltype(fieldsOf(&value))> + unwrittenMembers<T> == memberCount<T>());
    std::apply([&](auto... fields) { ((*this)(value.*fields), ...); }, fieldsOf(&value));
  }

private:
  void handleOf(const Type &type);
  void field(const RecordField &field) {
    (*this)(std::string(field.name));
    (*this)(field.type);
    (*this)(field.offset);
    (*this)(std::vector<int64_t>(field.shape.begin(), field.shape.end()));
  }

  HandleNumbers *handles = nullptr;
};

/// Never reads beyond the given bytes.
class FieldReader {
public:
  /// `what`: what the bytes should be, for messages: "an image that can be loaded".
  FieldReader(std::string_view bytes, const char *what) : rest(bytes), what(what) {}

  template <class T>
    requires isPlain<T>
  void operator()(T &value) {
    const std::string_view from = take(sizeof value);
    std::memcpy(&value, from.data(), from.size());
  }
  void operator()(bool &value) { value = take(1).front() != 0; }
  void operator()(std::string &text) { text = take(length(1)); }
  template <class T> void operator()(std::vector<T> &items) {
    items.resize(length(1));
    for (T &item : items)
      (*this)(item);
  }
  template <class T, size_t count> void operator()(std::array<T, count> &items) {
    for (T &item : items)
      (*this)(item);
  }
  template <class T, size_t count> void operator()(T (&items)[count]) {
    for (T &item : items)
      (*this)(item);
  }
  void operator()(std::vector<bool> &bits) {
    std::vector<uint8_t> bytes;
    (*this)(bytes);
    bits.assign(bytes.begin(), bytes.end());
  }
  void operator()(std::map<std::string, uint32_t> &counts) {
    for (size_t left = length(1); left > 0; --left) {
      std::string key;
      (*this)(key);
      (*this)(counts[key]);
    }
  }
  template <class... Ts> void operator()(std::variant<Ts...> &value) {
    const auto index = read<uint8_t>();
    size_t next = 0;
    const bool isKnown = ((index == next++ && ((*this)(value.template emplace<Ts>()), true)) || ...);
    if (!isKnown)
      refuse("it has code of no known kind");
  }
  void operator()(const Type *&type) { type = readType(); }
  template <class T>
    requires std::is_class_v<T>
  void operator()(T &value) {
    std::apply([&](auto... fields) { ((*this)(value.*fields), ...); }, fieldsOf(&value));
  }
  std::string_view unread() const { return rest; }
  /// A count of items that take at least `least` bytes each.
  size_t length(size_t least) {
    uint64_t count;
    (*this)(count);
    if (count > rest.size() / least)
      refuse("it is cut short");
    return size_t(count);
  }
  /// Throws UsageError (Value).
  [[noreturn]] TREADLE_API void refuse(const std::string &why) const;

private:
  std::string_view take(size_t count) {
    if (count > rest.size())
      refuse("it is cut short");
    const std::string_view taken = rest.substr(0, count);
    rest.remove_prefix(count);
    return taken;
  }
  template <class T> T read() {
    T value{};
    (*this)(value);
    return value;
  }
  TREADLE_API const Type *readType();
  const Type *readArray();
  const Type *readTuple();
  const Type *readRecord();
  const Type *readOpaque();

  std::string_view rest;
  const char *const what;
  unsigned depth = 0;
};

} // namespace treadle
