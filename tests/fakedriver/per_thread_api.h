// Declarations of the _ptsz and _ptds variants.
#pragma once

#include "cuda_driver_api.h"

#define FAKE_CUDA_PER_THREAD(name, suffix, declared, passed) CUresult name##suffix declared;

extern "C" {
#pragma GCC visibility push(default)
#include "per_thread_api.inc"
#pragma GCC visibility pop
}

#undef FAKE_CUDA_PER_THREAD
