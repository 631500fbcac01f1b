/* fuzz_calls CALLS THREADS SEED FOLDER: so many calls with mutated arguments: handles that are NULL, freed, of other
 * kinds or made up, structs of wrong sizes, wrong numbers and shapes, pointers that are NULL. Each returns a status
 * and, where it fails, a text. FOLDER: of images for the device; "-": without kernels. Pointers to memory of the
 * program are right or NULL, as no library can check them. */
#include "fuzz_arguments.h"

static void count_callback(void *context) { __atomic_add_fetch((int *)context, 1, __ATOMIC_SEQ_CST); }

static treadle_status devices(Thread *self, uint32_t which) {
  static const char *const names[] = {NULL, "cpu", "cuda", "", "gpu"};
  const char *const kind = names[below(self, 5)];
  treadle_device made;
  int32_t count;
  int64_t value;
  Room room;
  memset(&room, 0, sizeof room);
  switch (which) {
  case 0:
    return treadle_device_open(kind, (int32_t)number(self), or_null(self, &made));
  case 1:
    return treadle_device_count(kind, or_null(self, &count));
  case 2:
    room.device.struct_size = size_of(self, sizeof room.device);
    return treadle_device_get_info((treadle_device)handle(self, DEVICE), or_null(self, &room.device));
  case 3:
    return treadle_device_attribute((treadle_device)handle(self, DEVICE), (int32_t)number(self), or_null(self, &value));
  case 4:
    return treadle_use_devices(kind);
  default:
    return treadle_device_synchronize((treadle_device)handle(self, DEVICE));
  }
}

static treadle_status streams(Thread *self, uint32_t which) {
  const treadle_device device = (treadle_device)handle(self, DEVICE);
  const treadle_stream stream = (treadle_stream)handle(self, STREAM);
  treadle_stream made = NULL;
  treadle_stream *const to = or_null(self, &made);
  treadle_status status = TREADLE_OK;
  uint64_t native;
  switch (which) {
  case 0:
    status = treadle_stream_create(device, (uint32_t)number(self) & 3, to);
    break;
  case 1:
    status = treadle_stream_legacy(device, to);
    break;
  case 2:
    status = treadle_stream_per_thread(device, to);
    break;
  case 3:
    status = treadle_stream_wrap(device, number(self) & 3, to);
    break;
  case 4:
    return chance(self, 40) ? treadle_stream_free(stream) : treadle_stream_query(stream);
  case 5:
    return treadle_stream_native(stream, or_null(self, &native));
  case 6:
    return treadle_stream_synchronize(stream);
  case 7:
    return treadle_stream_query(stream);
  case 8:
    return treadle_stream_wait(stream, (treadle_event)handle(self, EVENT));
  default:
    return treadle_stream_callback(stream, chance(self, 95) ? count_callback : NULL, &callbacks);
  }
  if (status == TREADLE_OK)
    keep(self, STREAM, made);
  return status;
}

static treadle_status events(Thread *self, uint32_t which) {
  const treadle_event event = (treadle_event)handle(self, EVENT);
  treadle_event made;
  double milliseconds;
  treadle_status status;
  switch (which) {
  case 0:
    status = treadle_event_create((treadle_device)handle(self, DEVICE), (uint32_t)number(self) & 3, &made);
    if (status == TREADLE_OK)
      keep(self, EVENT, made);
    return status;
  case 1:
    return chance(self, 40) ? treadle_event_free(event) : treadle_event_query(event);
  case 2:
    return treadle_event_record(event, (treadle_stream)handle(self, STREAM));
  case 3:
    return treadle_event_query(event);
  case 4:
    return treadle_event_synchronize(event);
  default:
    return treadle_event_elapsed(event, (treadle_event)handle(self, EVENT), or_null(self, &milliseconds));
  }
}

static treadle_status memory(Thread *self, uint32_t which) {
  const treadle_memory one = (treadle_memory)handle(self, MEMORY), other = (treadle_memory)handle(self, MEMORY);
  const treadle_stream stream = (treadle_stream)handle(self, STREAM);
  const uint64_t offset = chance(self, 60) ? 0 : number(self),
                 bytes = chance(self, 80) ? below(self, 5000) : number(self);
  treadle_memory made;
  treadle_status status;
  Room room;
  memset(&room, 0, sizeof room);
  switch (which) {
  case 0:
    status = treadle_memory_allocate((treadle_device)handle(self, DEVICE), (uint32_t)number(self) & 7,
                                     chance(self, 95) ? below(self, 5000) : number(self) | UINT64_C(1) << 50, &made);
    if (status == TREADLE_OK)
      keep(self, MEMORY, made);
    return status;
  case 1:
    return chance(self, 40) ? treadle_memory_free(one) : treadle_memory_fill(one, 0, 4, 1, stream);
  case 2:
    room.memory.struct_size = size_of(self, sizeof room.memory);
    return treadle_memory_get_info(one, or_null(self, &room.memory));
  case 3: /* no memory of this program has more bytes than `host` */
    return treadle_memory_write(one, offset, or_null(self, self->host), bytes, stream);
  case 4:
    return treadle_memory_read(one, offset, or_null(self, self->host), bytes, stream);
  case 5:
    return treadle_memory_copy(one, offset, other, number(self), bytes, stream);
  default:
    return treadle_memory_fill(one, offset, bytes, (uint8_t)next(self), stream);
  }
}

static void forget_versioned(treadle_dl_versioned *tensor) { (void)tensor; }
static void forget_legacy(treadle_dl_managed *tensor) { (void)tensor; }

static void fill_tensor(Thread *self, treadle_dl_tensor *tensor) {
  fill_shape(self);
  memset(tensor, 0, sizeof *tensor);
  tensor->data = (void *)(uintptr_t)address(self);
  tensor->device_type = chance(self, 90) ? 1 : (int32_t)number(self);
  tensor->device_id = chance(self, 95) ? 0 : (int32_t)number(self);
  tensor->ndim = chance(self, 95) ? (int32_t)below(self, 4) : 9;
  tensor->code = chance(self, 90) ? 2 : (uint8_t)number(self);
  tensor->bits = chance(self, 90) ? 32 : (uint8_t)number(self);
  tensor->lanes = chance(self, 95) ? 1 : (uint16_t)number(self);
  tensor->shape = or_null(self, self->shape);
  tensor->strides = chance(self, 50) ? self->strides : NULL;
  tensor->byte_offset = chance(self, 95) ? 0 : number(self);
}

/* Imported memory may be freed while arrays of it live, which no library can know: nothing is written through them. */
static treadle_status imports(Thread *self, uint32_t which) {
  const treadle_stream stream = (treadle_stream)handle(self, STREAM);
  treadle_array made = NULL;
  treadle_array *const to = or_null(self, &made);
  treadle_status status;
  Room room;
  switch (which) {
  case 0:
    describe(self, &room.array);
    status = treadle_array_import(or_null(self, &room.array), to);
    break;
  case 1:
    memset(&self->tensor, 0, sizeof self->tensor);
    self->tensor.major = chance(self, 97) ? 1 : (uint32_t)number(self);
    self->tensor.deleter = chance(self, 50) ? forget_versioned : NULL;
    self->tensor.flags = chance(self, 90) ? 0 : next(self);
    fill_tensor(self, &self->tensor.tensor);
    status = treadle_array_from_dlpack(or_null(self, &self->tensor), stream, to);
    break;
  default:
    memset(&self->legacy, 0, sizeof self->legacy);
    self->legacy.deleter = chance(self, 50) ? forget_legacy : NULL;
    fill_tensor(self, &self->legacy.tensor);
    status = treadle_array_from_dlpack_legacy(or_null(self, &self->legacy), stream, to);
  }
  if (status == TREADLE_OK)
    treadle_array_free(made);
  return status;
}

static treadle_status exports(Thread *self, uint32_t which) {
  const treadle_array array = (treadle_array)handle(self, ARRAY);
  const treadle_stream stream = (treadle_stream)handle(self, STREAM);
  struct DLManagedTensorVersioned *tensor = NULL;
  struct DLManagedTensor *legacy = NULL;
  Room room;
  treadle_status status;
  memset(&room, 0, sizeof room);
  switch (which) {
  case 0:
    room.array.struct_size = size_of(self, sizeof room.array);
    return treadle_array_export(array, stream, or_null(self, &room.array));
  case 1:
    status = treadle_array_to_dlpack(array, stream, or_null(self, &tensor));
    if (status == TREADLE_OK)
      ((treadle_dl_versioned *)tensor)->deleter((treadle_dl_versioned *)tensor);
    return status;
  default:
    status = treadle_array_to_dlpack_legacy(array, stream, or_null(self, &legacy));
    if (status == TREADLE_OK)
      ((treadle_dl_managed *)legacy)->deleter((treadle_dl_managed *)legacy);
    return status;
  }
}

static treadle_status arrays(Thread *self, uint32_t which) {
  const treadle_array array = (treadle_array)handle(self, ARRAY);
  const treadle_stream stream = (treadle_stream)handle(self, STREAM);
  const uint64_t bytes = chance(self, 70) ? 4u * below(self, 100) : number(self) % hostBytes;
  treadle_array made = NULL;
  treadle_status status;
  Room room;
  describe(self, &room.array);
  switch (which) {
  case 0:
    status = treadle_array_create((treadle_device)handle(self, DEVICE), (uint32_t)number(self) & 3,
                                  or_null(self, &room.array), stream, &made);
    break;
  case 1:
    status = treadle_array_over((treadle_memory)handle(self, MEMORY), chance(self, 60) ? 0 : number(self), &room.array,
                                &made);
    break;
  case 2:
    return chance(self, 40) ? treadle_array_free(array) : treadle_array_copy(array, array, stream);
  case 3:
    return treadle_array_write(array, or_null(self, self->host), bytes, stream);
  case 4:
    return treadle_array_read(array, or_null(self, self->host), bytes, stream);
  default:
    return treadle_array_copy(array, (treadle_array)handle(self, ARRAY), stream);
  }
  if (status == TREADLE_OK)
    keep(self, ARRAY, made);
  return status;
}

static treadle_status load(Thread *self) {
  char path[4096];
  treadle_image made;
  treadle_status status;
  Room room;
  memset(&room, 0, sizeof room);
  snprintf(path, sizeof path, "%s/guarded.image", folder);
  room.image.struct_size = size_of(self, sizeof room.image);
  room.image.format = chance(self, 80) ? 0 : (uint32_t)number(self);
  if (chance(self, 20)) {
    FILE *const file = fopen(path, "rb");
    const size_t count = file ? fread(self->host, 1, hostBytes, file) : 0;
    uint32_t i;
    if (file)
      fclose(file);
    for (i = below(self, 4); count && i > 0; --i)
      self->host[below(self, (uint32_t)count)] ^= (char)(1u << below(self, 8));
    room.image.data = self->host;
    room.image.bytes = chance(self, 80) ? count : below(self, (uint32_t)count + 1);
  } else {
    if (chance(self, 5))
      snprintf(path, sizeof path, "%s/%s", folder, chance(self, 50) ? "" : "nothing.image");
    room.image.path = path;
  }
  status = treadle_image_load((treadle_device)handle(self, DEVICE), or_null(self, &room.image), &made);
  if (status == TREADLE_OK)
    keep(self, IMAGE, made);
  return status;
}

static treadle_status launch(Thread *self) {
  static const uint32_t blocks[] = {32, 32, 32, 0, 1, 33, 64, 2048};
  treadle_argument arguments[5];
  Room room;
  uint32_t i;
  memset(&room, 0, sizeof room);
  memset(arguments, 0, sizeof arguments);
  room.launch.struct_size = size_of(self, sizeof room.launch);
  room.launch.argument_size = chance(self, 97) ? sizeof *arguments : (uint32_t)number(self);
  for (i = 0; i < 3; ++i) {
    room.launch.grid[i] = chance(self, 97) ? 1 : below(self, 3);
    room.launch.block[i] = i == 0 ? blocks[below(self, 8)] : chance(self, 97) ? 1 : below(self, 3);
    room.launch.cluster[i] = chance(self, 99) ? 0 : (uint32_t)number(self);
  }
  room.launch.shared_bytes = chance(self, 97) ? 0 : (uint32_t)number(self);
  room.launch.stream = chance(self, 50) ? NULL : (treadle_stream)handle(self, STREAM);
  for (i = 0; i < 5; ++i) {
    arguments[i].kind = i < 3 ? TREADLE_ARGUMENT_ARRAY : TREADLE_ARGUMENT_FLOAT;
    if (i < 3)
      arguments[i].value.array = (treadle_array)handle(self, ARRAY);
    if (chance(self, 3))
      arguments[i].kind = below(self, 9);
  }
  return treadle_launch((treadle_kernel)handle(self, KERNEL), or_null(self, &room.launch), or_null(self, arguments),
                        chance(self, 95) ? 4 : below(self, 6));
}

static treadle_status kernels(Thread *self, uint32_t which) {
  const treadle_kernel kernel = (treadle_kernel)handle(self, KERNEL);
  const treadle_image image = (treadle_image)handle(self, IMAGE);
  treadle_kernel made;
  treadle_status status;
  Room room;
  memset(&room, 0, sizeof room);
  switch (which) {
  case 0:
    return load(self);
  case 1:
    return chance(self, 20) ? treadle_image_free(image) : launch(self);
  case 2:
    status = treadle_image_kernel(image, chance(self, 90) ? NULL : "nothing", or_null(self, &made));
    if (status == TREADLE_OK)
      keep(self, KERNEL, made);
    return status;
  case 3:
    return chance(self, 20) ? treadle_kernel_free(kernel) : launch(self);
  case 4:
    room.kernel.struct_size = size_of(self, sizeof room.kernel);
    return treadle_kernel_get_info(kernel, or_null(self, &room.kernel));
  case 5:
    room.parameter.struct_size = size_of(self, sizeof room.parameter);
    return treadle_kernel_parameter(kernel, (uint32_t)number(self), or_null(self, &room.parameter));
  default:
    return launch(self);
  }
}

static treadle_status any_call(Thread *self) {
  const uint32_t which = below(self, 8 + 10 + 6 + 7 + 6 + 3 + 6 + 10);
  if (which < 8)
    return devices(self, which);
  if (which < 18)
    return streams(self, which - 8);
  if (which < 24)
    return events(self, which - 18);
  if (which < 31)
    return memory(self, which - 24);
  if (which < 37)
    return arrays(self, which - 31);
  if (which < 40)
    return imports(self, which - 37);
  if (which < 46)
    return exports(self, (which - 40) % 3);
  return folder ? kernels(self, which - 46) : memory(self, which % 7);
}

static void *run(void *given) {
  Thread *const self = given;
  unsigned long i;
  for (i = 0; i < calls; ++i) {
    const treadle_status status = any_call(self);
    if (status < 0 || status >= statuses || (status != TREADLE_OK && !*treadle_last_error())) {
      fprintf(stderr, "status %d without a text\n", (int)status);
      exit(1);
    }
    if (status == TREADLE_ERROR_INTERNAL) {
      fprintf(stderr, "%s\n", treadle_last_error());
      exit(1);
    }
    ++self->seen[status];
  }
  return NULL;
}

int main(int count, char **arguments) {
  static Thread all[mostThreads];
  unsigned long threads, total[statuses] = {0};
  pthread_t running[mostThreads];
  treadle_device device;
  unsigned i, k;
  if (count != 5 || (threads = strtoul(arguments[2], NULL, 10)) < 1 || threads > mostThreads)
    return fprintf(stderr, "usage: fuzz_calls CALLS THREADS SEED FOLDER\n"), 2;
  calls = strtoul(arguments[1], NULL, 10) / threads;
  folder = strcmp(arguments[4], "-") ? arguments[4] : NULL;
  if (treadle_device_open(NULL, 0, &device))
    return fprintf(stderr, "%s\n", treadle_last_error()), 1;
  for (i = 0; i < slots; ++i)
    handles[DEVICE][i] = device;
  for (i = 0; i < threads; ++i) {
    all[i].random = strtoull(arguments[3], NULL, 10) * 1000 + i + 1;
    all[i].host = calloc(1, hostBytes);
    if (!all[i].host || pthread_create(&running[i], NULL, run, &all[i]))
      return 2;
  }
  for (i = 0; i < threads; ++i) {
    pthread_join(running[i], NULL);
    free(all[i].host);
    for (k = 0; k < statuses; ++k)
      total[k] += all[i].seen[k];
  }
  for (k = 0; k < statuses; ++k)
    printf("%lu %s\n", total[k], treadle_status_name((treadle_status)k));
  return 0;
}
