/* Arguments of fuzz_calls.c: mostly right, and wrong in all ways that a library can notice. */
#ifndef FUZZ_ARGUMENTS_H
#define FUZZ_ARGUMENTS_H

#include "treadle/treadle.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kinds = 7, slots = 24, hostBytes = 1 << 20, statuses = TREADLE_ERROR_INTERNAL + 1, mostThreads = 16 };
enum { DEVICE, STREAM, EVENT, MEMORY, ARRAY, IMAGE, KERNEL };

/* Handles that were given out, and were perhaps freed since; shared by all threads. */
static void *handles[kinds][slots];
static const char *folder;
static unsigned long calls;
static int callbacks;

typedef struct {
  uint64_t random;
  unsigned long seen[statuses];
  char *host;
  int64_t shape[16], strides[16];
  treadle_dl_versioned tensor;
  treadle_dl_managed legacy;
} Thread;

static uint64_t next(Thread *self) { /* xorshift64* */
  self->random ^= self->random >> 12;
  self->random ^= self->random << 25;
  self->random ^= self->random >> 27;
  return self->random * UINT64_C(2685821657736338717);
}
static uint32_t below(Thread *self, uint32_t bound) { return (uint32_t)((next(self) >> 32) * bound >> 32); }
static int chance(Thread *self, uint32_t percent) { return below(self, 100) < percent; }

static void *handle(Thread *self, int kind) {
  if (chance(self, 4))
    return NULL;
  if (chance(self, 3))
    return (void *)(uintptr_t)next(self);
  if (chance(self, 5))
    kind = (int)below(self, kinds);
  return __atomic_load_n(&handles[kind][below(self, slots)], __ATOMIC_RELAXED);
}
static void keep(Thread *self, int kind, void *made) {
  __atomic_store_n(&handles[kind][below(self, slots)], made, __ATOMIC_RELAXED);
}
static void *or_null(Thread *self, void *pointer) { return chance(self, 3) ? NULL : pointer; }

static uint64_t number(Thread *self) {
  static const uint64_t some[] = {
      0, 1, 2, 3, 4, 7, 8, 16, 32, 64, 255, 1000, 4096, UINT64_MAX, UINT64_C(1) << 31, INT64_MAX};
  return chance(self, 90) ? some[below(self, sizeof some / sizeof *some)] : next(self);
}
static uint32_t size_of(Thread *self, size_t right) {
  if (chance(self, 92))
    return (uint32_t)right;
  return chance(self, 50) ? below(self, 4200) : (uint32_t)next(self);
}

/* Room for structs of any size that the library may take. */
typedef union {
  uint64_t aligned[600];
  treadle_device_info device;
  treadle_memory_info memory;
  treadle_array_desc array;
  treadle_image_source image;
  treadle_kernel_info kernel;
  treadle_parameter_info parameter;
  treadle_launch_config launch;
} Room;

static void fill_shape(Thread *self) {
  static const int64_t some[] = {0, 1, 2, 3, 8, 32, 33, -1, INT64_C(1) << 46, INT64_MIN};
  static const int64_t steps[] = {0, 1, 2, 4, 8, 16, 128, -4, -8, 3, INT64_MAX};
  int i;
  for (i = 0; i < 16; ++i) {
    self->shape[i] = some[below(self, chance(self, 95) ? 6 : 10)];
    self->strides[i] = steps[below(self, 11)];
  }
}

static uint64_t address(Thread *self) {
  Room room;
  memset(&room, 0, sizeof room);
  if (chance(self, 10))
    return chance(self, 50) ? 0 : 4096;
  room.memory.struct_size = sizeof room.memory;
  return treadle_memory_get_info((treadle_memory)handle(self, MEMORY), &room.memory) == TREADLE_OK ? room.memory.address
                                                                                                   : 0;
}

static int owned;
static void retain(void *owner) { __atomic_add_fetch((int *)owner, 1, __ATOMIC_SEQ_CST); }
static void release(void *owner) { __atomic_sub_fetch((int *)owner, 1, __ATOMIC_SEQ_CST); }

static void describe(Thread *self, treadle_array_desc *desc) {
  static const uint8_t codes[] = {2, 2, 2, 0, 1, 4, 5, 6, 10, 255, 77}, bits[] = {32, 32, 32, 64, 16, 8, 4, 1, 128};
  memset(desc, 0, sizeof(Room));
  fill_shape(self);
  desc->abi_major = chance(self, 97) ? 1 : (uint32_t)number(self);
  desc->abi_minor = (uint32_t)number(self);
  desc->struct_size = size_of(self, sizeof *desc);
  desc->flags = chance(self, 60) ? 0 : chance(self, 70) ? TREADLE_ARRAY_HAS_STRIDES : (uint32_t)next(self) & 127;
  desc->data = address(self);
  desc->device_type = chance(self, 80) ? 0 : (int32_t)number(self);
  desc->code = codes[below(self, sizeof codes)];
  desc->bits = bits[below(self, sizeof bits)];
  desc->lanes = chance(self, 95) ? 1 : (uint16_t)number(self);
  desc->itemsize = chance(self, 90) ? 0 : (uint32_t)number(self);
  desc->ndim = chance(self, 90) ? (int32_t)below(self, 4) : (int32_t)number(self);
  desc->stream_kind = chance(self, 80) ? 0 : (int32_t)below(self, 5);
  desc->stream = chance(self, 80) ? 0 : number(self);
  desc->shape = or_null(self, self->shape);
  desc->byte_strides = chance(self, 50) ? self->strides : NULL;
  desc->typestr = chance(self, 50) ? NULL : chance(self, 50) ? "<f4" : "|V8";
  desc->descr = chance(self, 97) ? NULL : "T{f:x:}";
  desc->mask = chance(self, 97) ? NULL : desc;
  if (chance(self, 50)) {
    desc->owner = &owned;
    desc->retain = chance(self, 95) ? retain : NULL;
    desc->release = chance(self, 95) ? release : NULL;
  }
  /* Often what kernels take. */
  if (chance(self, 50)) {
    desc->code = 2;
    desc->bits = 32;
    desc->ndim = 1;
    desc->flags = 0;
    self->shape[0] = 32;
    desc->shape = self->shape;
  }
  /* The library reads no more than ndim of these. */
  if (desc->ndim > 16)
    desc->ndim = 9;
}

#endif
