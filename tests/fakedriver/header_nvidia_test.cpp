// Compiles our declarations of the API's functions as further declarations of NVIDIA's: any that differs is an error.
#include "header_check.h"

#ifdef FAKE_CUDA_NVIDIA_HEADER
#include <cuda.h>

#include <cstddef>
#include <cstdint>

// Names without a suffix mean the newest version there, the oldest here.
#undef cuDeviceGetUuid
#undef cuEventElapsedTime
#undef cuGetProcAddress
#undef cuMemAdvise
#undef cuMemPrefetchAsync
#undef cuStreamGetCaptureInfo

#define FAKE_CUDA_TYPES "header_check.h"
#include "cuda_driver_api.h"
#endif

namespace fakecuda::testing {

HeaderNumbers nvidiaNumbers() {
#ifdef FAKE_CUDA_NVIDIA_HEADER
#include "header_numbers.inc"
#else
  return {};
#endif
}

} // namespace fakecuda::testing
