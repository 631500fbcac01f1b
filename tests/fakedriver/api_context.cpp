// The driver API: primary contexts, other contexts, the current context.
#include "call.h"

#include <algorithm>

using namespace fakecuda;

namespace {

bool isDevice(Driver &driver, CUdevice device) { return device >= 0 && device < driver.deviceCount(); }

std::shared_ptr<Context> &primaryOf(Driver &driver, CUdevice device) {
  std::shared_ptr<Context> &context = driver.primary(device);
  if (!context)
    context = driver.makeContext(device, true);
  return context;
}

CUcontext handleOf(const std::shared_ptr<Context> &context) {
  return context ? reinterpret_cast<CUcontext>(context->handle) : nullptr;
}

/// The context of a handle, alive or not, since the driver allows both to be made current; null after a violation.
std::shared_ptr<Context> currentable(Driver &driver, CUcontext handle) {
  const auto found = driver.objects().find(reinterpret_cast<uint64_t>(handle));
  if (found != driver.objects().end() && found->second->kind == Kind::Context && !found->second->alive()) {
    driver.violate(Rule::ContextDestroyed, "the context was ended by " + found->second->endedBy,
                   CUDA_ERROR_CONTEXT_IS_DESTROYED);
    return nullptr;
  }
  return driver.find<Context>(handle, Kind::Context);
}

CUresult create(Driver &d, CUcontext *context, unsigned flags, CUdevice device) {
  if (!isDevice(d, device))
    return CUDA_ERROR_INVALID_DEVICE;
  const std::shared_ptr<Context> made = d.makeContext(device, false);
  made->flags = flags;
  threadState().contexts.push_back(made);
  *context = handleOf(made);
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return apiCall({"cuDevicePrimaryCtxRetain", NeedsInit, {{"device", device}}}, [&](Driver &d) {
    if (!isDevice(d, device))
      return CUDA_ERROR_INVALID_DEVICE;
    const std::shared_ptr<Context> &primary = primaryOf(d, device);
    if (!primary->alive())
      d.openContext(*primary);
    ++primary->retained;
    *context = handleOf(primary);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return apiCall({"cuDevicePrimaryCtxRelease", NeedsInit | EndsSomething, {{"device", device}}}, [&](Driver &d) {
    if (!isDevice(d, device))
      return CUDA_ERROR_INVALID_DEVICE;
    const std::shared_ptr<Context> primary = primaryOf(d, device);
    if (!primary->retained)
      return d.violate(Rule::DoubleDestroy, "the primary context is not retained", CUDA_ERROR_INVALID_CONTEXT);
    // After a reset it is still retained.
    if (!--primary->retained && primary->alive())
      d.closeContext(primary);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return apiCall({"cuDevicePrimaryCtxReset", NeedsInit | EndsSomething, {{"device", device}}}, [&](Driver &d) {
    if (!isDevice(d, device))
      return CUDA_ERROR_INVALID_DEVICE;
    const std::shared_ptr<Context> primary = primaryOf(d, device);
    if (primary->alive())
      d.closeContext(primary);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  return apiCall({"cuDevicePrimaryCtxGetState", NeedsInit, {{"device", device}}}, [&](Driver &d) {
    if (!isDevice(d, device))
      return CUDA_ERROR_INVALID_DEVICE;
    *flags = primaryOf(d, device)->flags;
    *active = primaryOf(d, device)->alive();
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  return apiCall({"cuDevicePrimaryCtxSetFlags", NeedsInit, {{"device", device}, {"flags", flags}}}, [&](Driver &d) {
    if (!isDevice(d, device))
      return CUDA_ERROR_INVALID_DEVICE;
    primaryOf(d, device)->flags = flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
  return apiCall({"cuCtxCreate", NeedsInit, {{"flags", flags}, {"device", device}}},
                 [&](Driver &d) { return create(d, context, flags, device); });
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *parameters, unsigned flags, CUdevice device) {
  return apiCall({"cuCtxCreate", NeedsInit, {{"parameters", parameters}, {"flags", flags}, {"device", device}}},
                 [&](Driver &d) { return create(d, context, flags, device); });
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  return apiCall({"cuCtxDestroy", NeedsInit | EndsSomething, {{"context", context}}}, [&](Driver &d) {
    const std::shared_ptr<Context> found = d.find<Context>(context, Kind::Context, true);
    if (!found)
      return CUDA_ERROR_INVALID_CONTEXT;
    if (found->primary)
      return d.violate(Rule::WrongKind, "a primary context is released, not destroyed", CUDA_ERROR_INVALID_CONTEXT);
    if (found->lost == CUDA_SUCCESS)
      d.synchronize(found);
    d.closeContext(found);
    std::vector<std::shared_ptr<Context>> &stack = threadState().contexts;
    if (!stack.empty() && stack.back() == found)
      stack.pop_back();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return apiCall({"cuCtxPushCurrent", NeedsInit, {{"context", context}}}, [&](Driver &d) {
    const std::shared_ptr<Context> found = currentable(d, context);
    if (!found)
      return CUDA_ERROR_INVALID_CONTEXT;
    threadState().contexts.push_back(found);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  return apiCall({"cuCtxPopCurrent", NeedsInit, {}}, [&](Driver &d) {
    std::vector<std::shared_ptr<Context>> &stack = threadState().contexts;
    if (stack.empty())
      return d.violate(Rule::ContextStack, "no context was pushed on this thread", CUDA_ERROR_INVALID_CONTEXT);
    if (context)
      *context = handleOf(stack.back());
    stack.pop_back();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return apiCall({"cuCtxSetCurrent", NeedsInit, {{"context", context}}}, [&](Driver &d) {
    const std::shared_ptr<Context> found = context ? currentable(d, context) : nullptr;
    if (context && !found)
      return CUDA_ERROR_INVALID_CONTEXT;
    std::vector<std::shared_ptr<Context>> &stack = threadState().contexts;
    if (!stack.empty())
      stack.pop_back();
    if (found)
      stack.push_back(found);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  return apiCall({"cuCtxGetCurrent", NeedsInit, {}}, [&](Driver &d) {
    *context = handleOf(d.currentContext());
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetDevice(CUdevice *device) {
  return apiCall({"cuCtxGetDevice", NeedsContext | WorksWhenLost, {}}, [&](Driver &d) {
    *device = d.currentContext()->device;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetFlags(unsigned *flags) {
  return apiCall({"cuCtxGetFlags", NeedsContext | WorksWhenLost, {}}, [&](Driver &d) {
    *flags = d.currentContext()->flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
  return apiCall({"cuCtxGetId", NeedsInit, {{"context", context}}}, [&](Driver &d) {
    const std::shared_ptr<Context> found = context ? currentable(d, context) : d.currentContext();
    if (!found)
      return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    *id = found->id;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version) {
  return apiCall({"cuCtxGetApiVersion", NeedsInit, {{"context", context}}}, [&](Driver &d) {
    *version = 3020;
    return !context || currentable(d, context) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  });
}

CUresult cuCtxSynchronize(void) {
  return apiCall({"cuCtxSynchronize", NeedsContext | UnsafeInCapture, {}},
                 [&](Driver &d) { return d.synchronize(d.currentContext()); });
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  return apiCall({"cuCtxGetStreamPriorityRange", NeedsContext, {}}, [&](Driver &) {
    if (least)
      *least = 0;
    if (greatest)
      *greatest = -5;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return apiCall({"cuCtxEnablePeerAccess", NeedsContext, {{"peer", peer}, {"flags", flags}}}, [&](Driver &d) {
    const std::shared_ptr<Context> other = d.find<Context>(peer, Kind::Context), current = d.currentContext();
    if (!other)
      return CUDA_ERROR_INVALID_CONTEXT;
    if (flags)
      return d.violate(Rule::InvalidArgument, "flags that are not 0", CUDA_ERROR_INVALID_VALUE);
    if (!d.config.peerAccess || other->device == current->device)
      return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    return current->peers.insert(other->handle).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return apiCall({"cuCtxDisablePeerAccess", NeedsContext, {{"peer", peer}}}, [&](Driver &d) {
    const bool was = d.currentContext()->peers.erase(reinterpret_cast<uint64_t>(peer));
    return was ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  });
}

} // extern "C"
