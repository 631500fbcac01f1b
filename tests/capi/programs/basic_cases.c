/* Versions, devices, streams, events, memory. */
#define _GNU_SOURCE
#include "cases.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void versions(void) {
  CHECK(treadle_version() == (TREADLE_VERSION_MAJOR << 16 | TREADLE_VERSION_MINOR));
  CHECK(strlen(treadle_build_id()) == 32);
  CHECK(treadle_image_interface() >= 1);
  CHECK(treadle_has("arrays") == 1 && treadle_has("array") == 0 && treadle_has(NULL) == 0);
  CHECK(strcmp(treadle_status_name(TREADLE_OK), "TREADLE_OK") == 0);
  CHECK(strcmp(treadle_status_name(TREADLE_ERROR_INTERNAL), "TREADLE_ERROR_INTERNAL") == 0);
  CHECK(strcmp(treadle_status_name(-1), "unknown status") == 0);
  CHECK(strcmp(treadle_last_error(), "") == 0);
}

static void devices(void) {
  treadle_device first = device(), second;
  treadle_device_info info;
  int32_t count;
  int64_t value;
  memset(&info, 0xab, sizeof info);
  info.struct_size = sizeof info;
  OK(treadle_device_get_info(first, &info));
  CHECK(strcmp(info.kind, is_cuda() ? "cuda" : "cpu") == 0);
  CHECK(info.dlpack_type == (is_cuda() ? 2 : 1) && info.dlpack_id == 0);
  CHECK(info.struct_size == sizeof info && info.threads_per_block == 1024 && info.memory_bytes > 0);
  CHECK(strlen(info.name) > 0 && info.reserved == 0);
  OK(treadle_device_attribute(first, 1, &value)); /* MAX_THREADS_PER_BLOCK */
  CHECK(value == 1024);
  FAILS(TREADLE_ERROR_ARGUMENT, "-3", treadle_device_attribute(first, -3, &value));
  OK(treadle_device_open(info.kind, 0, &second));
  CHECK(first == second);
  OK(treadle_device_count(NULL, &count));
  FAILS(TREADLE_ERROR_NO_DEVICE, "no device", treadle_device_open(NULL, count, &second));
  FAILS(TREADLE_ERROR_NO_DEVICE, "-1", treadle_device_open(NULL, -1, &second));
  FAILS(TREADLE_ERROR_ARGUMENT, "'gpu'", treadle_device_open("gpu", 0, &second));
  FAILS(TREADLE_ERROR_STATE, "open already", treadle_use_devices("cpu"));
  FAILS(TREADLE_ERROR_ARGUMENT, "'gpu'", treadle_use_devices("gpu"));
  CHECK(first == second);
  OK(treadle_device_synchronize(first));
}

static void sizes_of_structs(void) {
  unsigned char room[4096];
  treadle_device_info *const info = (treadle_device_info *)room;
  size_t i;
  memset(room, 0xab, sizeof room);
  info->struct_size = sizeof *info - 1;
  FAILS(TREADLE_ERROR_STRUCT_SIZE, "at least 312", treadle_device_get_info(device(), info));
  CHECK(room[8] == 0xab);
  info->struct_size = 100000;
  FAILS(TREADLE_ERROR_STRUCT_SIZE, "100000", treadle_device_get_info(device(), info));
  /* A later version's, which is larger: the library writes what it knows, and nothing after it. */
  info->struct_size = sizeof *info + 64;
  OK(treadle_device_get_info(device(), info));
  CHECK(info->struct_size == sizeof *info + 64);
  for (i = sizeof *info; i < sizeof room; ++i)
    CHECK(room[i] == 0xab);
}

static void handles(void) {
  treadle_stream stream, other;
  treadle_event event;
  uint64_t native;
  OK(treadle_stream_create(device(), TREADLE_STREAM_BLOCKING, &stream));
  OK(treadle_event_create(device(), TREADLE_EVENT_TIMING, &event));
  FAILS(TREADLE_ERROR_ARGUMENT, "stream is NULL", treadle_stream_native(NULL, &native));
  FAILS(TREADLE_ERROR_HANDLE, "another kind, event", treadle_stream_native((treadle_stream)event, &native));
  FAILS(TREADLE_ERROR_HANDLE, "no handle", treadle_stream_native((treadle_stream)&native, &native));
  FAILS(TREADLE_ERROR_ARGUMENT, "native is NULL", treadle_stream_native(stream, NULL));
  FAILS(TREADLE_ERROR_HANDLE, "another kind", treadle_event_free((treadle_event)stream));
  OK(treadle_stream_free(stream));
  FAILS(TREADLE_ERROR_HANDLE, "was freed", treadle_stream_free(stream));
  FAILS(TREADLE_ERROR_HANDLE, "was freed", treadle_stream_native(stream, &native));
  FAILS(TREADLE_ERROR_HANDLE, "was freed", treadle_stream_synchronize(stream));
  FAILS(TREADLE_ERROR_HANDLE, "was freed", treadle_event_record(event, stream));
  /* The slot is used again, by a handle of another value. */
  OK(treadle_stream_create(device(), TREADLE_STREAM_NONBLOCKING, &other));
  CHECK(other != stream);
  FAILS(TREADLE_ERROR_HANDLE, "was freed", treadle_stream_native(stream, &native));
  OK(treadle_stream_native(other, &native));
  FAILS(TREADLE_ERROR_ARGUMENT, "flags is 2", treadle_stream_create(device(), 2, &stream));
  OK(treadle_stream_free(other));
  OK(treadle_event_free(event));
}

static void *other_thread(void *context) {
  CHECK(strcmp(treadle_last_error(), "") == 0);
  FAILS(TREADLE_ERROR_ARGUMENT, "device is NULL", treadle_device_synchronize(NULL));
  return context;
}

static void errors_of_threads(void) {
  pthread_t thread;
  FAILS(TREADLE_ERROR_ARGUMENT, "event is NULL", treadle_event_free(NULL));
  CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
  CHECK(strstr(treadle_last_error(), "treadle_event_free: event is NULL"));
}

static void count_up(void *context) { __atomic_add_fetch((int *)context, 1, __ATOMIC_SEQ_CST); }

static void streams(void) {
  treadle_stream stream, wrapped, legacy, own;
  treadle_status status;
  uint64_t native, again;
  int called = 0;
  OK(treadle_stream_create(device(), TREADLE_STREAM_NONBLOCKING, &stream));
  OK(treadle_stream_native(stream, &native));
  CHECK(native > 2);
  OK(treadle_stream_wrap(device(), native, &wrapped));
  OK(treadle_stream_native(wrapped, &again));
  CHECK(native == again);
  OK(treadle_stream_wrap(device(), 1, &legacy));
  OK(treadle_stream_native(legacy, &again));
  CHECK(again == 1);
  OK(treadle_stream_per_thread(device(), &own));
  OK(treadle_stream_native(own, &again));
  CHECK(again == 2);
  if (!is_cuda()) /* the driver's handles are addresses, which it looks at */
    FAILS(TREADLE_ERROR_ARGUMENT, "no stream", treadle_stream_wrap(device(), UINT64_C(123456789), &stream));
  OK(treadle_stream_callback(stream, count_up, &called));
  OK(treadle_stream_callback(wrapped, count_up, &called));
  OK(treadle_stream_synchronize(stream));
  CHECK(called == 2);
  while ((status = treadle_stream_query(stream)) == TREADLE_ERROR_NOT_READY)
    ;
  OK(status);
  FAILS(TREADLE_ERROR_ARGUMENT, "function is NULL", treadle_stream_callback(stream, NULL, NULL));
  OK(treadle_stream_free(wrapped));
  OK(treadle_stream_synchronize(stream));
  OK(treadle_stream_free(stream));
  OK(treadle_stream_synchronize(legacy));
  OK(treadle_stream_synchronize(own));
  OK(treadle_stream_free(legacy));
  OK(treadle_stream_free(own));
}

static void events(void) {
  treadle_stream stream;
  treadle_event start, end, untimed;
  treadle_status status;
  double milliseconds = -1;
  OK(treadle_stream_create(device(), TREADLE_STREAM_NONBLOCKING, &stream));
  OK(treadle_event_create(device(), TREADLE_EVENT_TIMING, &start));
  OK(treadle_event_create(device(), TREADLE_EVENT_TIMING, &end));
  OK(treadle_event_create(device(), TREADLE_EVENT_NO_TIMING, &untimed));
  OK(treadle_event_query(start)); /* nothing was recorded */
  FAILS(TREADLE_ERROR_DEVICE, "never recorded", treadle_event_elapsed(start, end, &milliseconds));
  CHECK(treadle_last_driver_result() == 400 && milliseconds == -1);
  OK(treadle_event_record(start, stream));
  OK(treadle_event_record(end, stream));
  OK(treadle_event_record(untimed, NULL));
  OK(treadle_stream_wait(stream, untimed));
  OK(treadle_event_synchronize(end));
  OK(treadle_event_synchronize(untimed));
  while ((status = treadle_event_query(end)) == TREADLE_ERROR_NOT_READY)
    ;
  OK(status);
  OK(treadle_event_elapsed(start, end, &milliseconds));
  CHECK(milliseconds >= 0);
  FAILS(TREADLE_ERROR_DEVICE, "timing", treadle_event_elapsed(start, untimed, &milliseconds));
  FAILS(TREADLE_ERROR_ARGUMENT, "milliseconds is NULL", treadle_event_elapsed(start, end, NULL));
  OK(treadle_event_free(start));
  OK(treadle_event_free(end));
  OK(treadle_event_free(untimed));
  OK(treadle_stream_free(stream));
}

static void memory(void) {
  treadle_memory first, second;
  treadle_memory_info info;
  treadle_stream stream;
  char sent[1000], got[1000];
  uint32_t kind;
  size_t i;
  for (i = 0; i < sizeof sent; ++i)
    sent[i] = (char)(i * 7);
  OK(treadle_stream_create(device(), TREADLE_STREAM_NONBLOCKING, &stream));
  for (kind = TREADLE_MEMORY_DEVICE; kind <= TREADLE_MEMORY_MANAGED; ++kind) {
    OK(treadle_memory_allocate(device(), kind, sizeof sent, &first));
    OK(treadle_memory_allocate(device(), TREADLE_MEMORY_DEVICE, sizeof sent, &second));
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    OK(treadle_memory_get_info(first, &info));
    CHECK(info.kind == (is_cuda() ? kind : info.kind) && info.bytes == sizeof sent && info.address % 256 == 0);
    CHECK(info.device == device() && info.host_visible == (!is_cuda() || kind != TREADLE_MEMORY_DEVICE));
    OK(treadle_memory_write(first, 0, sent, sizeof sent, stream));
    OK(treadle_memory_fill(second, 0, sizeof sent, 0x5a, stream));
    OK(treadle_memory_copy(second, 100, first, 200, 300, stream));
    /* Within one, to where it came from. */
    OK(treadle_memory_copy(second, 150, second, 100, 300, stream));
    OK(treadle_memory_read(second, 0, got, sizeof got, stream));
    CHECK(got[0] == 0x5a && got[99] == 0x5a && got[450] == 0x5a && got[999] == 0x5a);
    CHECK(memcmp(got + 100, sent + 200, 50) == 0 && memcmp(got + 150, sent + 200, 300) == 0);
    OK(treadle_memory_free(first));
    OK(treadle_memory_free(second));
  }
  OK(treadle_memory_allocate(device(), TREADLE_MEMORY_DEVICE, 0, &first));
  OK(treadle_memory_write(first, 0, NULL, 0, NULL));
  FAILS(TREADLE_ERROR_ARGUMENT, "reaches beyond", treadle_memory_write(first, 0, sent, 1, NULL));
  OK(treadle_memory_free(first));
  OK(treadle_memory_allocate(device(), TREADLE_MEMORY_DEVICE, 8, &first));
  FAILS(TREADLE_ERROR_ARGUMENT, "reaches beyond", treadle_memory_read(first, UINT64_MAX, got, 8, NULL));
  FAILS(TREADLE_ERROR_ARGUMENT, "reaches beyond", treadle_memory_fill(first, 4, UINT64_MAX - 3, 0, NULL));
  FAILS(TREADLE_ERROR_ARGUMENT, "from is NULL", treadle_memory_write(first, 0, NULL, 8, NULL));
  FAILS(TREADLE_ERROR_ARGUMENT, "kind of memory is 4", treadle_memory_allocate(device(), 4, 8, &second));
  FAILS(TREADLE_ERROR_ARGUMENT, "2^47", treadle_memory_allocate(device(), 0, UINT64_MAX, &second));
  FAILS(TREADLE_ERROR_OUT_OF_MEMORY, "", treadle_memory_allocate(device(), 0, UINT64_C(1) << 46, &second));
  OK(treadle_memory_free(first));
  OK(treadle_stream_free(stream));
}

static void *come_and_go(void *context) {
  treadle_stream stream;
  treadle_memory made;
  OK(treadle_stream_per_thread(device(), &stream));
  OK(treadle_memory_allocate(device(), TREADLE_MEMORY_DEVICE, 64, &made));
  OK(treadle_memory_fill(made, 0, 64, 1, stream));
  OK(treadle_stream_synchronize(stream));
  OK(treadle_stream_free(stream));
  *(treadle_memory *)context = made;
  return NULL;
}

static void threads_that_come_and_go(void) {
  int i;
  for (i = 0; i < 100; ++i) {
    pthread_t thread;
    treadle_memory made = NULL;
    char got[64];
    CHECK(pthread_create(&thread, NULL, come_and_go, &made) == 0 && pthread_join(thread, NULL) == 0);
    /* What an ended thread has made is there for others. */
    OK(treadle_memory_read(made, 0, got, sizeof got, NULL));
    CHECK(got[63] == 1);
    OK(treadle_memory_free(made));
  }
}

static void *inside(void *context) {
  (void)context;
  for (;;) {
    treadle_memory made;
    OK(treadle_memory_allocate(device(), TREADLE_MEMORY_DEVICE, 64, &made));
    OK(treadle_memory_free(made));
  }
}

/* CUDA does not work in the children of forks. The other thread is inside calls all the time. */
static void forks(void) {
  const treadle_kernel kernel = is_cuda() ? NULL : kernel_named("checked");
  treadle_launch_config config = grid_of(1, 32);
  treadle_argument arguments[2];
  pthread_t thread;
  int i;
  if (is_cuda())
    return;
  CHECK(pthread_create(&thread, NULL, inside, NULL) == 0);
  for (i = 0; i < 20; ++i) {
    int status;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      treadle_array out = new_floats(4, 0, 0);
      float got[4];
      alarm(20);
      arguments[0] = array_argument(out);
      arguments[1] = int_argument(2);
      OK(treadle_launch(kernel, &config, arguments, 2));
      read_floats(out, got, 4);
      CHECK(got[2] == 1);
      OK(treadle_array_free(out));
      OK(treadle_kernel_free(kernel));
      _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
}

static void no_handlers_of_signals(void) {
  struct sigaction before[65], now;
  int number;
  treadle_memory made;
  for (number = 1; number < 65; ++number)
    sigaction(number, NULL, &before[number]);
  OK(treadle_memory_allocate(device(), TREADLE_MEMORY_DEVICE, 8, &made));
  OK(treadle_memory_free(made));
  kernel_named("axpy");
  for (number = 1; number < 65; ++number)
    if (sigaction(number, NULL, &now) == 0)
      CHECK(now.sa_handler == before[number].sa_handler);
}

const Case basic_cases[] = {{"versions", versions},
                            {"devices", devices},
                            {"sizes_of_structs", sizes_of_structs},
                            {"handles", handles},
                            {"errors_of_threads", errors_of_threads},
                            {"streams", streams},
                            {"events", events},
                            {"memory", memory},
                            {"threads_that_come_and_go", threads_that_come_and_go},
                            {"forks", forks},
                            {"no_handlers_of_signals", no_handlers_of_signals},
                            {NULL, NULL}};
