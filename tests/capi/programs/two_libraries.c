/* two_libraries FIRST SECOND IMAGE: opens two libraries, which may be the same one, uses both, and gives each the
 * arrays of the other. */
#define _GNU_SOURCE
#include "treadle/treadle.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(X)                                                                                                   \
  X(treadle_last_error)                                                                                                \
  X(treadle_device_open)                                                                                               \
  X(treadle_device_synchronize)                                                                                        \
  X(treadle_array_create)                                                                                              \
  X(treadle_array_write)                                                                                               \
  X(treadle_array_read)                                                                                                \
  X(treadle_array_export)                                                                                              \
  X(treadle_array_import)                                                                                              \
  X(treadle_array_free)                                                                                                \
  X(treadle_image_load)                                                                                                \
  X(treadle_image_kernel)                                                                                              \
  X(treadle_launch)

#define MEMBER(name) __typeof__(&name) name;
typedef struct {
  FUNCTIONS(MEMBER)
  treadle_device device;
  treadle_kernel kernel;
} Library;

static void check(const Library *library, treadle_status status, const char *what) {
  if (status == TREADLE_OK)
    return;
  fprintf(stderr, "%s: %s\n", what, library->treadle_last_error());
  exit(1);
}
#define OK(library, name, ...) check(library, (library)->name(__VA_ARGS__), #name)

static Library opened(const char *path, const char *image) {
  void *const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  treadle_image_source source;
  treadle_image loaded;
  Library made;
  if (!handle) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
#define FIND(name) *(void **)&made.name = dlsym(handle, #name);
  FUNCTIONS(FIND)
  memset(&source, 0, sizeof source);
  source.struct_size = sizeof source;
  source.path = image;
  OK(&made, treadle_device_open, NULL, 0, &made.device);
  OK(&made, treadle_image_load, made.device, &source, &loaded);
  OK(&made, treadle_image_kernel, loaded, NULL, &made.kernel);
  return made;
}

static treadle_array floats(const Library *library, float value) {
  const int64_t shape[] = {32};
  treadle_array_desc desc;
  treadle_array made;
  float values[32];
  int i;
  for (i = 0; i < 32; ++i)
    values[i] = value;
  memset(&desc, 0, sizeof desc);
  desc.abi_major = TREADLE_VERSION_MAJOR;
  desc.struct_size = sizeof desc;
  desc.code = 2;
  desc.bits = 32;
  desc.lanes = 1;
  desc.ndim = 1;
  desc.shape = shape;
  OK(library, treadle_array_create, library->device, TREADLE_MEMORY_DEVICE, &desc, NULL, &made);
  OK(library, treadle_array_write, made, values, sizeof values, NULL);
  return made;
}

static treadle_array given(const Library *from, treadle_array array, const Library *to) {
  treadle_array_desc desc;
  treadle_array made;
  memset(&desc, 0, sizeof desc);
  desc.struct_size = sizeof desc;
  OK(from, treadle_array_export, array, NULL, &desc);
  OK(to, treadle_array_import, &desc, &made);
  OK(from, treadle_array_free, array);
  return made;
}

/* out = 2 x + y, where x and y come from the other library. */
static float axpy(const Library *own, const Library *other) {
  treadle_launch_config config;
  treadle_argument arguments[4];
  float got[32];
  int i;
  memset(&config, 0, sizeof config);
  memset(arguments, 0, sizeof arguments);
  config.struct_size = sizeof config;
  config.argument_size = sizeof *arguments;
  config.grid[0] = config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
  config.block[0] = 32;
  for (i = 0; i < 3; ++i) {
    arguments[i].kind = TREADLE_ARGUMENT_ARRAY;
    arguments[i].value.array = i < 2 ? given(other, floats(other, (float)(i + 3)), own) : floats(own, 0);
  }
  arguments[3].kind = TREADLE_ARGUMENT_FLOAT;
  arguments[3].value.f64 = 2;
  for (i = 0; i < 3; ++i)
    OK(own, treadle_launch, own->kernel, &config, arguments, 4);
  OK(own, treadle_array_read, arguments[2].value.array, got, sizeof got, NULL);
  for (i = 0; i < 3; ++i)
    OK(own, treadle_array_free, arguments[i].value.array);
  OK(own, treadle_device_synchronize, own->device);
  return got[31];
}

int main(int count, char **words) {
  if (count != 4)
    return 2;
  const Library first = opened(words[1], words[3]), second = opened(words[2], words[3]);
  printf("%s %g %g\n", first.treadle_launch == second.treadle_launch ? "one" : "two", axpy(&first, &second),
         axpy(&second, &first));
  return 0;
}
