// The limits of memory and arithmetic: streams of whole vectors, through the caches and bypassing them.
#pragma once

#include <stdint.h>

typedef float Floats __attribute__((vector_size(64)));
typedef double Doubles __attribute__((vector_size(64)));

#ifdef USE_NONTEMPORAL
#define STORE(value, place) __builtin_nontemporal_store(value, place)
#else
#define STORE(value, place) (*(place) = (value))
#endif

/// The first aligned vector from there on; less than a vector is skipped at either end.
#define ALIGNED(type, pointer) ((type *)(((uintptr_t)(pointer) + 63) & ~(uintptr_t)63))
