// Reads Python values as kernel arguments: one ordered table says what each kind of value becomes.
#pragma once

#include "launch/arguments.h"
#include "python/interop/taken_tensor.h"
#include "python/types/host_array.h"
#include "python/types/value_kinds.h"
#include "support/inline_list.h"

#include <Python.h>

#include <array>
#include <forward_list>
#include <optional>
#include <string>

namespace treadle {
struct LocatedArray;
}

namespace treadle::python {

struct DeviceArrayObject;
struct NumpyArray;
class TakenInterface;

/// Which elements arrays may have.
enum class ElementsOf : uint8_t { Kernels, Arrays };

/// Reads the arguments of one launch into `list`. Buffers and temporary objects of values are kept alive as long as the
/// reader, which must outlive the launch.
class ArgumentReader {
public:
  explicit ArgumentReader(ArgumentList &list, ElementsOf allowed = ElementsOf::Kernels)
      : list(list), allowed(allowed) {}
  /// The launch names no stream: it is synchronous if it uses host memory.
  void launchesOnDefaultStream() { isOnDefaultStream = true; }
  ArgumentReader(const ArgumentReader &) = delete;
  ArgumentReader &operator=(const ArgumentReader &) = delete;
  ~ArgumentReader();

  /// False: the value cannot be an argument; `problem` says why, or a Python error is set.
  bool read(PyObject *value);
  const std::string &problem() const { return why; }
  /// Keeps an object alive that values are borrowed from.
  void hold(PyObject *object) { temporaries.push() = Py_NewRef(object); }

private:
  /// Copies with stable addresses. Usual launches need no allocation.
  class KeptExtents {
  public:
    /// `count`: at most maxDimensions.
    const int64_t *copy(const int64_t *from, size_t count);

  private:
    int64_t inside[96];
    size_t used = 0;
    std::forward_list<std::array<int64_t, maxDimensions>> others;
  };

  bool readAs(const ValueKind &kind, PyObject *value);
  bool fail(std::string reason);
  /// For handlers. A short text.
  bool refuse(const char *reason) noexcept;

  /// False: kernels do not support such elements. Null: a number's.
  bool admits(const Type *element);
  bool readInteger(PyObject *value);
  bool addHostArray(const ArrayArgument &array);
  bool readNumpyArray(PyObject *value);
  const Type *otherElementOf(const NumpyArray &array, PyObject *value);
  bool readNumpyRecord(PyObject *value);
  bool readNumpyTime(PyObject *value);
  bool readComplex(PyObject *value);
  bool readText(PyObject *value);
  bool readDeviceArray(PyObject *value);
  bool readNamedTuple(PyObject *value, const NamedTupleClass *tupleClass);
  bool readTuple(PyObject *value);
  bool readVisibleArray(PyObject *value);
  bool readInner(PyObject *inner);
  bool useBuffer(const DeviceArrayObject &array);
  template <typename... Source> TakenTensor &takeTensor(const Source &...source) {
    return firstTensor ? tensors.emplace_front(source...) : firstTensor.emplace(source...);
  }
  template <typename Source> const ForeignArray &keepForeign(const Source &source) {
    return firstForeign ? foreignArrays.emplace_front(source) : firstForeign.emplace(source);
  }
  template <typename Read> bool guarded(Read read);
  bool readInterface(PyObject *value, ValueTag otherwise);
  bool isInPlace(const TakenInterface &taken, const LocatedArray &located) const;
  /// Through its methods.
  bool readTensor(PyObject *value);
  /// Through the exchange table of its class.
  bool readExchanged(PyObject *value, const ValueKind &kind);
  bool addTensor(TakenTensor &tensor);
  /// Host memory, used in place during the call.
  bool addForeign(const ForeignArray &array);
  bool readBuffer(PyObject *value);
  bool readItems(PyObject *const *values, size_t count);

  ArgumentList &list;
  ElementsOf allowed;
  bool isOnDefaultStream = false;
  std::forward_list<HostArray> arrays;      ///< leaves point into them: they never move
  std::optional<TakenTensor> firstTensor;   ///< the same; inline, as most launches have at most one
  std::forward_list<TakenTensor> tensors;   ///< those after it
  std::optional<ForeignArray> firstForeign; ///< the same for the CUDA Array Interface
  std::forward_list<ForeignArray> foreignArrays;
  KeptExtents kept; ///< of NumPy's arrays
  InlineList<PyObject *, 2> temporaries;
  std::string why;
  unsigned nesting = 0;
  size_t outermost = 0; ///< leaves before those of the outermost tuple
};

} // namespace treadle::python
