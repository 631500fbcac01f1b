/* Runs the case that the first argument names; without one, lists them. */
#include "cases.h"

const char *folder;

treadle_device device(void) {
  treadle_device opened;
  OK(treadle_device_open(NULL, 0, &opened));
  return opened;
}

int is_cuda(void) {
  int32_t count;
  OK(treadle_device_count("cuda", &count));
  return count > 0;
}

treadle_array_desc floats(const int64_t *count) {
  treadle_array_desc desc;
  memset(&desc, 0, sizeof desc);
  desc.abi_major = TREADLE_VERSION_MAJOR;
  desc.struct_size = sizeof desc;
  desc.code = 2;
  desc.bits = 32;
  desc.lanes = 1;
  desc.ndim = 1;
  desc.shape = count;
  return desc;
}

treadle_array new_floats(int64_t count, float first, float step) {
  treadle_array made;
  const treadle_array_desc desc = floats(&count);
  float *const values = malloc((size_t)count * sizeof *values);
  int64_t i;
  CHECK(values);
  for (i = 0; i < count; ++i)
    values[i] = first + step * (float)i;
  OK(treadle_array_create(device(), TREADLE_MEMORY_DEVICE, &desc, NULL, &made));
  OK(treadle_array_write(made, values, (uint64_t)count * sizeof *values, NULL));
  free(values);
  return made;
}

void read_floats(treadle_array array, float *to, int64_t count) {
  OK(treadle_array_read(array, to, (uint64_t)count * sizeof *to, NULL));
}

treadle_array_desc exported(treadle_array array) {
  treadle_array_desc desc;
  memset(&desc, 0, sizeof desc);
  desc.struct_size = sizeof desc;
  OK(treadle_array_export(array, NULL, &desc));
  return desc;
}

treadle_kernel kernel_named(const char *name) {
  char path[4096];
  treadle_image_source source;
  treadle_image image;
  treadle_kernel kernel;
  memset(&source, 0, sizeof source);
  snprintf(path, sizeof path, "%s/%s.image", folder, name);
  source.struct_size = sizeof source;
  source.path = path;
  OK(treadle_image_load(device(), &source, &image));
  OK(treadle_image_kernel(image, NULL, &kernel));
  OK(treadle_image_free(image));
  return kernel;
}

treadle_launch_config grid_of(uint32_t blocks, uint32_t threads) {
  treadle_launch_config config;
  memset(&config, 0, sizeof config);
  config.struct_size = sizeof config;
  config.argument_size = sizeof(treadle_argument);
  config.grid[0] = blocks;
  config.block[0] = threads;
  config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
  return config;
}

treadle_argument array_argument(treadle_array array) {
  treadle_argument made;
  memset(&made, 0, sizeof made);
  made.kind = TREADLE_ARGUMENT_ARRAY;
  made.value.array = array;
  return made;
}

treadle_argument int_argument(int64_t value) {
  treadle_argument made;
  memset(&made, 0, sizeof made);
  made.kind = TREADLE_ARGUMENT_INT;
  made.value.i64 = value;
  return made;
}

treadle_argument float_argument(double value) {
  treadle_argument made;
  memset(&made, 0, sizeof made);
  made.kind = TREADLE_ARGUMENT_FLOAT;
  made.value.f64 = value;
  return made;
}

int main(int count, char **arguments) {
  const Case *const all[] = {basic_cases, array_cases, conversion_cases, launch_cases, repeated_cases};
  size_t i;
  folder = count > 2 ? arguments[2] : ".";
  for (i = 0; i < sizeof all / sizeof *all; ++i) {
    const Case *one;
    for (one = all[i]; one->name; ++one)
      if (count < 2)
        printf("%s\n", one->name);
      else if (strcmp(one->name, arguments[1]) == 0) {
        one->run();
        puts("passed");
        return 0;
      }
  }
  return count < 2 ? 0 : 2;
}
