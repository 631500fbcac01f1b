// The driver API: objects of the caller that graphs keep.
#include "call.h"

#include <algorithm>
#include <utility>

using namespace fakecuda;

namespace {

/// The last reference ends it: its function is called by a thread of the driver, and must not call the driver.
void letGo(Driver &d, UserObject &object, unsigned count) {
  object.references -= std::min(object.references, count);
  if (object.references != 0 || !object.alive())
    return;
  d.end(object);
  const std::function<void()> destroy = [&object] { object.destroy(object.what); };
  d.runOnCallbackThread(destroy);
}

} // namespace

namespace fakecuda {

void Driver::retainUserObjects(const std::vector<HeldObject> &objects) {
  for (const auto &[object, count] : objects)
    object->references += count;
}

void Driver::releaseUserObjects(std::vector<HeldObject> &objects) {
  for (const auto &[object, count] : std::exchange(objects, {}))
    letGo(*this, *object, count);
}

} // namespace fakecuda

extern "C" {

CUresult cuUserObjectCreate(CUuserObject *object, void *what, CUhostFn destroy, unsigned count, unsigned flags) {
  return apiCall({"cuUserObjectCreate", NeedsContext, {{"count", count}, {"flags", flags}}}, [&](Driver &d) {
    if (!destroy || count == 0 || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
      return d.violate(Rule::InvalidArgument, "user objects need a function, a reference and the one flag there is",
                       CUDA_ERROR_INVALID_VALUE);
    const std::shared_ptr<UserObject> made = d.make<UserObject>(d.currentContext());
    made->what = what;
    made->destroy = destroy;
    made->references = count;
    *object = reinterpret_cast<CUuserObject>(made->handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
  return apiCall({"cuUserObjectRetain", NeedsContext, {{"object", object}, {"count", count}}}, [&](Driver &d) {
    const std::shared_ptr<UserObject> found = d.find<UserObject>(object, Kind::UserObject);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    found->references += count;
    return CUDA_SUCCESS;
  });
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
  return apiCall({"cuUserObjectRelease", NeedsContext | EndsSomething, {{"object", object}, {"count", count}}},
                 [&](Driver &d) {
                   const std::shared_ptr<UserObject> found = d.find<UserObject>(object, Kind::UserObject, true);
                   if (!found)
                     return CUDA_ERROR_INVALID_HANDLE;
                   if (count > found->references)
                     return d.violate(Rule::InvalidArgument, "more references are released than there are",
                                      CUDA_ERROR_INVALID_VALUE);
                   letGo(d, *found, count);
                   return CUDA_SUCCESS;
                 });
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
  return apiCall({"cuGraphRetainUserObject", NeedsContext, {{"graph", graph}, {"object", object}, {"flags", flags}}},
                 [&](Driver &d) {
                   const std::shared_ptr<Graph> holder = d.find<Graph>(graph, Kind::Graph);
                   const std::shared_ptr<UserObject> found = d.find<UserObject>(object, Kind::UserObject);
                   if (!holder || !found)
                     return CUDA_ERROR_INVALID_HANDLE;
                   if (flags & CU_GRAPH_USER_OBJECT_MOVE ? count > found->references : false)
                     return d.violate(Rule::InvalidArgument, "more references are moved than there are",
                                      CUDA_ERROR_INVALID_VALUE);
                   if (!(flags & CU_GRAPH_USER_OBJECT_MOVE))
                     found->references += count;
                   holder->objects.push_back({found, count});
                   return CUDA_SUCCESS;
                 });
}

} // extern "C"
