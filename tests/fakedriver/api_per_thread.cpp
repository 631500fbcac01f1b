// The driver API's _ptsz and _ptds variants: stream 0 is the calling thread's default stream.
#include "per_thread_api.h"

#include "call.h"

#define FAKE_CUDA_PER_THREAD(name, suffix, declared, passed)                                                           \
  CUresult name##suffix declared {                                                                                     \
    const fakecuda::PerThreadDefault scope;                                                                            \
    return name passed;                                                                                                \
  }

extern "C" {
#include "per_thread_api.inc"
} // extern "C"
