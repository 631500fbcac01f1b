// What memory and arithmetic give at most: streams of whole vectors, with and without going through the caches.
#pragma once

#include <stdint.h>

typedef float Floats __attribute__((vector_size(64)));
typedef double Doubles __attribute__((vector_size(64)));

#ifdef USE_NONTEMPORAL
#define STORE(value, place) __builtin_nontemporal_store(value, place)
#else
#define STORE(value, place) (*(place) = (value))
#endif

/// The first whole vector from there on; what is left out at both ends is less than a vector.
#define ALIGNED(type, pointer) ((type *)(((uintptr_t)(pointer) + 63) & ~(uintptr_t)63))
