// PreparedLaunches: the last few launches of a launcher, which are made again without reading their arguments anew.
#pragma once

#include "launch/dispatcher.h"

#include <Python.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace treadle::python {

/// Whether launches can be made again with the object without reading it: its address and serial number, or its type
/// and value, say all. Arrays only of the class itself: an object of another class may come to a dead array's address.
bool isComparable(PyObject *value);

/// The arguments of one launch: the same arrays, and numbers of the same types, fit it.
class PreparedArguments {
public:
  PreparedArguments(std::span<PyObject *const> arguments, const ArgPack &pack);
  PreparedArguments(const PreparedArguments &) = delete;
  PreparedArguments &operator=(const PreparedArguments &) = delete;
  ~PreparedArguments();

  bool fit(std::span<PyObject *const> arguments) const;
  /// Whether the block differs from launch to launch, or an int might be one of another type.
  bool haveNumbers() const { return !numbers.empty(); }
  /// The numbers of arguments that fit. False: an int may be of another type.
  bool write(std::span<PyObject *const> arguments, char *block) const;

private:
  /// Compared by its serial number and not kept alive: another array may have its address later.
  struct Array {
    unsigned index;
    PyObject *object;
    uint64_t serial;
  };
  /// True, False or None where `object` is given, otherwise a number.
  struct Value {
    unsigned index;
    PyTypeObject *type; ///< owned
    PyObject *object = nullptr;
  };
  enum class Way : uint8_t {
    Unread,
    Bytes,
    Converted
  }; ///< not read by the kernel; stored as it is; or to another type
  struct Number {
    unsigned index;
    Way way;
    NumberCode code;
    bool isInteger;      ///< a Python int
    uint32_t offset = 0; ///< Bytes: in the block
  };
  void addNumber(unsigned index, PyObject *value, NumberCode code);

  const ArgPack &pack; ///< of the launch's variant
  const size_t count;
  std::vector<Array> arrays;
  std::vector<Value> values;
  std::vector<Number> numbers; ///< those that `write` looks at
};

/// A launch that begins.
struct Launching {
  Dispatcher &dispatcher;
  const ConfiguredLaunch &launch;
  LaunchMaker &maker;
  std::span<PyObject *const> arguments;
};

/// Belongs to one launcher. All of it is guarded by the GIL.
class PreparedLaunches {
public:
  /// One launch of the launcher, during which no entry goes away, though the GIL may be released on the way.
  class Use {
  public:
    explicit Use(PreparedLaunches &launches) : launches(launches) { ++launches.inUse; }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;
    ~Use() { --launches.inUse; }

  private:
    PreparedLaunches &launches;
  };

  struct Found {
    const PreparedLaunch *launch = nullptr; ///< null: none fits
    const char *block = nullptr;            ///< of parameters
  };
  /// `numbers`: room for a block, of PreparedLaunch::maxBytes.
  Found find(const Launching &launching, char *numbers);
  /// What `find` has just found, for one who makes that launch again.
  const std::shared_ptr<const PreparedLaunch> &latestFound() const { return entries[latest].launch; }
  /// After a launch that was read, within a Use: prepares it, if it is not the first of its kind.
  void consider(const Launching &launching, const ArgumentList &list);

private:
  struct Entry {
    std::shared_ptr<const PreparedLaunch> launch;
    std::unique_ptr<PreparedArguments> arguments;
  };

  static constexpr unsigned size = 8;
  std::array<Entry, size> entries;
  std::array<uint64_t, 2 * size> seen{}; ///< fingerprints of the last launches that were read
  unsigned next = 0, nextSeen = 0, latest = 0;
  unsigned inUse = 0;
};

} // namespace treadle::python
