// capi_loop IMAGE SECONDS [LOOP]: nanoseconds of processor time that a C program takes for what it does over and over,
// a line for each: its name, the median of several turns. LOOP: launch_loop of nulldriver/, whose calls of the driver
// are measured in turns with the launches.
#include "treadle/treadle.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { turns = 15, batch = 200, elements = 32 };

typedef struct {
  treadle_device device;
  treadle_kernel kernel;
  treadle_array arrays[4];
  treadle_argument arguments[4];
  treadle_launch_config config;
  treadle_array_desc desc;
} State;
static State state;
static int (*driverLoop)(unsigned count, size_t bytes);

static void check(treadle_status status) {
  if (status == TREADLE_OK)
    return;
  fprintf(stderr, "%s: %s\n", treadle_status_name(status), treadle_last_error());
  exit(1);
}

static void launch(unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    check(treadle_launch(state.kernel, &state.config, state.arguments, 4));
}
static void driver(unsigned count) {
  if (driverLoop(count, 64) != 0)
    exit(1);
}
static void export(unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    check(treadle_array_export(state.arrays[0], NULL, &state.desc));
}
static void exportAndImport(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    treadle_array array;
    check(treadle_array_export(state.arrays[0], NULL, &state.desc));
    check(treadle_array_import(&state.desc, &array));
    check(treadle_array_free(array));
  }
}
static void dlpack(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    struct DLManagedTensorVersioned *tensor;
    check(treadle_array_to_dlpack(state.arrays[0], NULL, &tensor));
    ((treadle_dl_versioned *)tensor)->deleter((treadle_dl_versioned *)tensor);
  }
}
static void lookup(unsigned count) {
  uint64_t native;
  for (unsigned i = 0; i < count; ++i)
    check(treadle_stream_native(state.config.stream, &native));
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void turn(void (*work)(unsigned), double seconds, double *nanoseconds) {
  unsigned long done = 0;
  const double start = now();
  double end;
  do {
    work(batch);
    done += batch;
  } while ((end = now()) < start + seconds);
  *nanoseconds = 1e9 * (end - start) / (double)done;
}

static void open(const char *image) {
  const int64_t shape[] = {elements};
  treadle_image_source source = {.struct_size = sizeof source, .path = image};
  treadle_array_desc desc = {
      .abi_major = 1, .struct_size = sizeof desc, .code = 2, .bits = 32, .lanes = 1, .ndim = 1, .shape = shape};
  treadle_image loaded;
  check(treadle_device_open(NULL, 0, &state.device));
  check(treadle_image_load(state.device, &source, &loaded));
  check(treadle_image_kernel(loaded, NULL, &state.kernel));
  for (int i = 0; i < 4; ++i) {
    check(treadle_array_create(state.device, TREADLE_MEMORY_DEVICE, &desc, NULL, &state.arrays[i]));
    state.arguments[i].kind = TREADLE_ARGUMENT_ARRAY;
    state.arguments[i].value.array = state.arrays[i];
  }
  state.config = (treadle_launch_config){.struct_size = sizeof state.config,
                                         .argument_size = sizeof *state.arguments,
                                         .grid = {1, 1, 1},
                                         .block = {32, 1, 1}};
  state.desc.struct_size = sizeof state.desc;
}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    void (*work)(unsigned);
  } cases[] = {{"launch", launch}, {"export", export}, {"export_import", exportAndImport},
               {"dlpack", dlpack}, {"lookup", lookup}, {"driver", driver}};
  enum { caseCount = sizeof cases / sizeof *cases };
  static double found[caseCount][turns];
  if (count < 3)
    return 2;
  open(arguments[1]);
  if (count > 3) {
    void *const library = dlopen(arguments[3], RTLD_NOW);
    int (*const prepare)(const char *, const char *) = library ? dlsym(library, "launch_loop_open") : NULL;
    driverLoop = library ? dlsym(library, "launch_loop_run") : NULL;
    if (!driverLoop || prepare(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }", "k"))
      return 3;
  }
  check(treadle_stream_legacy(state.device, &state.config.stream));
  const treadle_stream legacy = state.config.stream;
  for (int i = 0; i < turns; ++i)
    for (int k = 0; k < caseCount - !driverLoop; ++k) {
      state.config.stream = cases[k].work == launch ? NULL : legacy;
      turn(cases[k].work, atof(arguments[2]), &found[k][i]);
    }
  for (int k = 0; k < caseCount - !driverLoop; ++k) {
    qsort(found[k], turns, sizeof **found, compare);
    printf("%s %.1f\n", cases[k].name, found[k][turns / 2]);
  }
  return 0;
}
