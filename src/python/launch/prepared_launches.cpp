// Which launches fit those of before.
#include "python/launch/prepared_launches.h"

#include "launch/prepared_launch.h"
#include "python/arrays/device_array_object.h"
#include "python/host/small_integer.h"
#include "python/types/numpy_layout.h"
#include "python/types/value_kinds.h"

#include <algorithm>
#include <cstring>

namespace treadle::python {

namespace {

uint64_t serialOf(PyObject *array) { return reinterpret_cast<DeviceArrayObject *>(array)->serial; }

/// Equal for launches with the same arrays and numbers of the same types; hardly ever otherwise.
uint64_t fingerprint(std::span<PyObject *const> arguments) {
  uint64_t all = 1;
  for (PyObject *value : arguments) {
    const bool isArray = Py_TYPE(value) == deviceArrayType();
    all = (all ^ (isArray ? serialOf(value) : reinterpret_cast<uintptr_t>(Py_TYPE(value)))) * 0x9e3779b97f4a7c15u;
  }
  return all;
}

ArgumentLeaf leafOf(NumberCode number, const void *bytes) {
  ArgumentList list;
  list.addNumber(number, bytes);
  return list.leaves[0];
}

/// Nearly all have 4 or 8 bytes.
void copyNumber(char *to, const void *from, unsigned bytes) {
  if (bytes == 8)
    std::memcpy(to, from, 8);
  else if (bytes == 4)
    std::memcpy(to, from, 4);
  else
    std::memcpy(to, from, bytes);
}

} // namespace

bool isComparable(PyObject *value) {
  switch (valueKindOf(value).tag) {
  case ValueTag::DeviceArray:
    return Py_TYPE(value) == deviceArrayType();
  case ValueTag::Int:
    return PyLong_CheckExact(value);
  case ValueTag::Float:
    return PyFloat_CheckExact(value);
  case ValueTag::Bool:
  case ValueTag::None:
  case ValueTag::NumpyScalar:
    return true;
  default:
    return false;
  }
}

PreparedArguments::PreparedArguments(std::span<PyObject *const> arguments, const ArgPack &pack)
    : pack(pack), count(arguments.size()) {
  for (unsigned i = 0; i < count; ++i) {
    PyObject *const value = arguments[i];
    const ValueKind kind = valueKindOf(value);
    if (kind.tag == ValueTag::DeviceArray) {
      arrays.push_back({i, value, serialOf(value)});
      continue;
    }
    const bool isSame = kind.tag == ValueTag::Bool || kind.tag == ValueTag::None;
    PyObject *const type = Py_NewRef(reinterpret_cast<PyObject *>(Py_TYPE(value)));
    values.push_back({i, reinterpret_cast<PyTypeObject *>(type), isSame ? value : nullptr});
    if (!isSame)
      addNumber(i, value,
                kind.tag == ValueTag::Int     ? NumberCode::Int64
                : kind.tag == ValueTag::Float ? NumberCode::Float64
                                              : kind.number);
  }
}

PreparedArguments::~PreparedArguments() {
  for (const Value &value : values)
    Py_DECREF(value.type);
}

void PreparedArguments::addNumber(unsigned index, PyObject *value, NumberCode code) {
  const std::optional<uint32_t> place = pack.placeOf(index, code);
  const Way way = place ? Way::Bytes : pack.reads(index) ? Way::Converted : Way::Unread;
  const bool isInteger = PyLong_Check(value);
  if (way != Way::Unread || isInteger)
    numbers.push_back({index, way, code, isInteger, place.value_or(0)});
}

bool PreparedArguments::fit(std::span<PyObject *const> arguments) const {
  if (arguments.size() != count)
    return false;
  const PyTypeObject *const arrayType = deviceArrayType();
  for (const Array &array : arrays) {
    PyObject *const given = arguments[array.index];
    if (given != array.object || Py_TYPE(given) != arrayType || serialOf(given) != array.serial)
      return false;
  }
  for (const Value &value : values) {
    PyObject *const given = arguments[value.index];
    if (Py_TYPE(given) != value.type || (value.object && given != value.object))
      return false;
  }
  return true;
}

bool PreparedArguments::write(std::span<PyObject *const> arguments, char *block) const {
  // A float has its value where NumPy's scalars have theirs.
  static_assert(offsetof(PyFloatObject, ob_fval) == sizeof(PyObject));
  for (const Number &number : numbers) {
    PyObject *const given = arguments[number.index];
    const void *bytes = numpy::scalarValue(given);
    int64_t integer;
    if (number.isInteger) {
      if (!readSmallInteger(given, integer))
        return false;
      bytes = &integer;
    }
    if (number.way == Way::Bytes)
      copyNumber(block + number.offset, bytes, rowOf(number.code).bytes);
    else if (number.way == Way::Converted)
      pack.packLeaf(number.index, leafOf(number.code, bytes), block);
  }
  return true;
}

PreparedLaunches::Found PreparedLaunches::find(const Launching &launching, char *numbers) {
  // Programs that launch with several sets of arrays in turn find one of the others.
  for (unsigned turn = 0; turn < size; ++turn) {
    const unsigned place = (latest + turn) % size;
    const Entry &entry = entries[place];
    if (!entry.launch || !launching.dispatcher.isCurrent(*entry.launch, launching.launch) ||
        !entry.arguments->fit(launching.arguments))
      continue;
    latest = place;
    const std::vector<char> &block = entry.launch->block;
    if (!entry.arguments->haveNumbers())
      return {entry.launch.get(), block.data()};
    std::memcpy(numbers, block.data(), block.size());
    return {entry.arguments->write(launching.arguments, numbers) ? entry.launch.get() : nullptr, numbers};
  }
  return {};
}

void PreparedLaunches::consider(const Launching &launching, const ArgumentList &list) {
  if (inUse > 1 || list.usesHostMemory || !std::ranges::all_of(launching.arguments, isComparable))
    return;
  const uint64_t now = fingerprint(launching.arguments);
  if (std::ranges::find(seen, now) == seen.end()) {
    seen[nextSeen++ % seen.size()] = now;
    return;
  }
  std::unique_ptr<PreparedLaunch> launch = launching.dispatcher.prepare(launching.launch, list);
  if (!launch)
    return;
  launching.maker.share(launch->use);
  auto arguments = std::make_unique<PreparedArguments>(launching.arguments, launch->variant->pack);
  entries[next] = {std::move(launch), std::move(arguments)};
  latest = next;
  next = (next + 1) % size;
}

} // namespace treadle::python
