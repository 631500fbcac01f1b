/* saxpy: a kernel of examples/saxpy.py in a C program, and as a function that takes arrays of other libraries.
 *
 *   treadle compile saxpy.py:saxpy_kernel=saxpy --signature "void(float32, float32[::1], float32[::1], float32[::1])" \
 *     --target cpu,sm_75 -o saxpy.image
 *   cc c/saxpy.c $(pkg-config --cflags --libs treadle) -o saxpy && ./saxpy saxpy.image
 *
 * With -shared -fPIC -DSAXPY_LIBRARY it is a library: ../sharing.py calls saxpy_tensors with arrays of NumPy. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <treadle/treadle.h>

enum { SIZE = 1 << 20, THREADS = 256 };

static int failed(treadle_status status) {
  if (status != TREADLE_OK)
    fprintf(stderr, "%s: %s\n", treadle_status_name(status), treadle_last_error());
  return status != TREADLE_OK;
}

/* The kernel of an image file, for the device. */
static int load(treadle_device device, const char *path, treadle_kernel *kernel) {
  treadle_image_source source;
  treadle_image image;
  int result;
  memset(&source, 0, sizeof source);
  source.struct_size = sizeof source;
  source.path = path;
  if (failed(treadle_image_load(device, &source, &image)))
    return 1;
  result = failed(treadle_image_kernel(image, "saxpy", kernel));
  treadle_image_free(image); /* the kernel keeps its code */
  return result;
}

static int launch(treadle_kernel kernel, float a, treadle_array x, treadle_array y, treadle_array out, int64_t size) {
  treadle_argument given[4];
  treadle_launch_config config;
  const treadle_array arrays[] = {x, y, out};
  int i;
  memset(given, 0, sizeof given);
  memset(&config, 0, sizeof config);
  given[0].kind = TREADLE_ARGUMENT_FLOAT;
  given[0].value.f64 = a;
  for (i = 0; i < 3; ++i) {
    given[i + 1].kind = TREADLE_ARGUMENT_ARRAY;
    given[i + 1].value.array = arrays[i];
  }
  config.struct_size = sizeof config;
  config.argument_size = sizeof(treadle_argument);
  config.grid[0] = (uint32_t)((size + THREADS - 1) / THREADS);
  config.block[0] = THREADS;
  config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
  return failed(treadle_launch(kernel, &config, given, 4));
}

/* out = a * x + y, for one-dimensional float32 tensors of one length in C order. Takes the tensors over, also where it
 * fails. 0: done, and work on the tensors has run. */
int saxpy_tensors(const char *path, float a, struct DLManagedTensorVersioned *const tensors[3]) {
  treadle_array arrays[3] = {NULL, NULL, NULL};
  treadle_kernel kernel = NULL;
  treadle_device device;
  int i, result = failed(treadle_device_open(NULL, 0, &device)) || load(device, path, &kernel);
  for (i = 0; i < 3; ++i)
    if (failed(treadle_array_from_dlpack(tensors[i], NULL, &arrays[i]))) {
      treadle_dl_versioned *const ours = (treadle_dl_versioned *)(void *)tensors[i];
      ours->deleter(ours);
      result = 1;
    }
  if (!result) {
    const treadle_dl_versioned *const first = (const treadle_dl_versioned *)(void *)tensors[0];
    result = launch(kernel, a, arrays[0], arrays[1], arrays[2], first->tensor.shape[0]) ||
             failed(treadle_device_synchronize(device));
  }
  for (i = 0; i < 3; ++i)
    if (arrays[i])
      treadle_array_free(arrays[i]);
  if (kernel)
    treadle_kernel_free(kernel);
  return result;
}

#ifndef SAXPY_LIBRARY
static int make(treadle_device device, const float *values, treadle_array *array) {
  static const int64_t shape[] = {SIZE};
  treadle_array_desc desc;
  memset(&desc, 0, sizeof desc);
  desc.abi_major = TREADLE_VERSION_MAJOR;
  desc.struct_size = sizeof desc;
  desc.code = 2; /* float32, as DLPack numbers it */
  desc.bits = 32;
  desc.lanes = 1;
  desc.ndim = 1;
  desc.shape = shape;
  return failed(treadle_array_create(device, TREADLE_MEMORY_DEVICE, &desc, NULL, array)) ||
         failed(treadle_array_write(*array, values, sizeof(float) * SIZE, NULL));
}

int main(int count, char **arguments) {
  float *const x = malloc(sizeof(float) * SIZE), *const out = malloc(sizeof(float) * SIZE);
  treadle_array on_device[3];
  treadle_device device;
  treadle_device_info info;
  treadle_kernel kernel;
  double difference, worst = 0;
  int i;
  if (count != 2 || !x || !out)
    return fprintf(stderr, "saxpy IMAGE\n"), 2;
  for (i = 0; i < SIZE; ++i)
    x[i] = (float)i / SIZE;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  if (failed(treadle_device_open(NULL, 0, &device)) || failed(treadle_device_get_info(device, &info)) ||
      load(device, arguments[1], &kernel))
    return 1;
  for (i = 0; i < 3; ++i)
    if (make(device, x, &on_device[i]))
      return 1;
  if (launch(kernel, 2.5f, on_device[0], on_device[1], on_device[2], SIZE) ||
      failed(treadle_array_read(on_device[2], out, sizeof(float) * SIZE, NULL)))
    return 1;
  for (i = 0; i < SIZE; ++i) {
    difference = fabs(out[i] - 3.5 * x[i]);
    worst = difference > worst ? difference : worst;
  }
  printf("saxpy over %d elements on %s: largest difference %.2g\n", SIZE, info.name, worst);
  for (i = 0; i < 3; ++i)
    treadle_array_free(on_device[i]);
  treadle_kernel_free(kernel);
  free(x);
  free(out);
  return worst < 1e-6 ? 0 : 1;
}
#endif
