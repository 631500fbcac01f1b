// The driver API: limits and preferences of contexts, the profiler, tables of other libraries.
#include "call.h"

using namespace fakecuda;

namespace {

struct LimitRange {
  CUlimit limit;
  size_t initial, most, unit; ///< values are rounded up to whole units
};

constexpr size_t kib = 1024;

constexpr LimitRange ranges[] = {
    {CU_LIMIT_STACK_SIZE, kib, 512 * kib, 16},
    {CU_LIMIT_PRINTF_FIFO_SIZE, kib *kib, kib *kib *kib, 1},
    {CU_LIMIT_MALLOC_HEAP_SIZE, 8 * kib *kib, kib *kib *kib, 1},
    {CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 2048, 65536, 1},
    {CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64, 128, 1},
};

const LimitRange *rangeOf(CUlimit limit) {
  for (const LimitRange &range : ranges)
    if (range.limit == limit)
      return &range;
  return nullptr;
}

/// Drivers refuse values beyond what the device has: that is no violation.
CUresult setLimit(Driver &d, CUlimit limit, size_t value) {
  const LimitRange *range = rangeOf(limit);
  if (!range)
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  Context &context = *d.currentContext();
  const bool isFixed = limit == CU_LIMIT_PRINTF_FIFO_SIZE || limit == CU_LIMIT_MALLOC_HEAP_SIZE;
  if (isFixed && context.hasFixedLimits)
    return d.violate(Rule::InvalidArgument,
                     "the limit cannot change after the launch of a kernel that prints or allocates",
                     CUDA_ERROR_INVALID_VALUE);
  if (value > range->most)
    return CUDA_ERROR_INVALID_VALUE;
  context.limits[limit] = (value + range->unit - 1) / range->unit * range->unit;
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  return apiCall({"cuCtxGetLimit", NeedsContext, {{"limit", limit}}}, [&](Driver &d) {
    const LimitRange *range = rangeOf(limit);
    if (!range)
      return CUDA_ERROR_UNSUPPORTED_LIMIT;
    if (!value)
      return d.violate(Rule::InvalidArgument, "no place for the limit", CUDA_ERROR_INVALID_VALUE);
    const auto &limits = d.currentContext()->limits;
    const auto found = limits.find(limit);
    *value = found == limits.end() ? range->initial : found->second;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return apiCall({"cuCtxSetLimit", NeedsContext, {{"limit", limit}, {"value", value}}},
                 [&](Driver &d) { return setLimit(d, limit, value); });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
  return apiCall({"cuCtxGetCacheConfig", NeedsContext, {}}, [&](Driver &d) {
    *config = d.currentContext()->cacheConfig;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return apiCall({"cuCtxSetCacheConfig", NeedsContext, {{"config", config}}}, [&](Driver &d) {
    if (config > CU_FUNC_CACHE_PREFER_EQUAL)
      return d.violate(Rule::InvalidArgument, "an unknown preference", CUDA_ERROR_INVALID_VALUE);
    d.currentContext()->cacheConfig = config;
    return CUDA_SUCCESS;
  });
}

CUresult cuProfilerStart(void) {
  return apiCall({"cuProfilerStart", NeedsContext, {}}, [&](Driver &) { return CUDA_SUCCESS; });
}

CUresult cuProfilerStop(void) {
  return apiCall({"cuProfilerStop", NeedsContext, {}}, [&](Driver &) { return CUDA_SUCCESS; });
}

CUresult cuGetExportTable(const void **table, const CUuuid *) {
  return apiCall({"cuGetExportTable", NeedsNothing, {}}, [&](Driver &) {
    if (table)
      *table = nullptr;
    return CUDA_ERROR_NOT_FOUND;
  });
}

} // extern "C"
