// What a Python object means to a kernel that captures it.
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

/// Objects by address, kept alive: handles of types point at them.
class HandleTable {
public:
  uint64_t keep(nanobind::handle object) {
    const auto handle = reinterpret_cast<uint64_t>(object.ptr());
    objects.try_emplace(handle, nanobind::borrow(object));
    return handle;
  }
  /// Invalid where the handle is not of this table.
  nanobind::handle find(uint64_t handle) const;
  /// For Python's garbage collector: visits the objects. 0, or what `visit` returned.
  int traverse(visitproc visit, void *arg) const;
  /// Drops the objects. Handles are of no use any more.
  void drop();
  /// The type of an enumeration's members, asked of Python once for each class, as all members are looked at; nullptr
  /// where each is an object by itself.
  const Type *memberType(nanobind::handle enumeration);
  void capture(std::shared_ptr<Buffer> buffer) { captured.push_back(std::move(buffer)); }
  /// Memory of device arrays that were captured since the last call.
  std::vector<std::shared_ptr<Buffer>> takeCaptured() { return std::exchange(captured, {}); }

private:
  std::vector<std::shared_ptr<Buffer>> captured;
  std::unordered_map<uint64_t, nanobind::object> objects;
  std::unordered_map<uint64_t, const Type *> memberTypes; ///< of classes among the objects
};

/// The meaning of `object`. `name`: how the program calls it, for messages. What kernels cannot use becomes a type of
/// kind Object.
CapturedValue capture(nanobind::handle object, std::string_view name, HandleTable &handles);

/// What is known by its type alone.
CapturedValue typed(const Type *type);

/// A function of treadle/names.py.
nanobind::object inNames(const char *function);

/// The Python function in a dispatcher (`py_func`), in a staticmethod, or the function itself; invalid: there is none.
nanobind::object functionIn(nanobind::handle object);

} // namespace treadle::python
