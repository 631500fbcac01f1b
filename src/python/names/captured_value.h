// The value that a captured Python object has in a kernel.
#pragma once

#include "border/name_resolver.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace treadle {
class Buffer;
}

namespace treadle::python {

/// Objects by address, kept alive: the handles in types refer to them.
class HandleTable {
public:
  uint64_t keep(nanobind::handle object) {
    const auto handle = reinterpret_cast<uint64_t>(object.ptr());
    objects.try_emplace(handle, nanobind::borrow(object));
    return handle;
  }
  /// Invalid if the handle is not in this table.
  nanobind::handle find(uint64_t handle) const;
  /// For Python's garbage collector: visits the objects. 0, or the result of `visit`.
  int traverse(visitproc visit, void *arg) const;
  /// Drops the objects. Handles are then invalid.
  void drop();
  /// The type of an enumeration's members, queried from Python once per class, as resolving one looks at all members;
  /// nullptr if each is a separate object.
  const Type *memberType(nanobind::handle enumeration);
  void capture(std::shared_ptr<Buffer> buffer) { captured.push_back(std::move(buffer)); }
  /// Memory of device arrays captured since the last call.
  std::vector<std::shared_ptr<Buffer>> takeCaptured() { return std::exchange(captured, {}); }

private:
  std::vector<std::shared_ptr<Buffer>> captured;
  std::unordered_map<uint64_t, nanobind::object> objects;
  std::unordered_map<uint64_t, const Type *> memberTypes; ///< of classes among the objects
};

/// The value of `object`. `name`: its name in the program, for messages. Unusable objects become a type of kind Object.
CapturedValue capture(nanobind::handle object, std::string_view name, HandleTable &handles);

/// A value of which only the type is known.
CapturedValue typed(const Type *type);

/// A function of treadle/source/names.py.
nanobind::object inNames(const char *function);

/// The Python function in a dispatcher (`py_func`), in a staticmethod, or the function itself; invalid: there is none.
nanobind::object functionIn(nanobind::handle object);

} // namespace treadle::python
