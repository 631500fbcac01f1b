/* Images, kernels and launches. */
#include "cases.h"

static void axpy(void) {
  treadle_array x = new_floats(1000, 1, 1), y = new_floats(1000, 5, 0), out = new_floats(1000, 0, 0);
  const treadle_kernel kernel = kernel_named("axpy");
  treadle_argument arguments[4];
  treadle_launch_config config = grid_of(8, 128);
  float got[1000];
  int i;
  arguments[0] = array_argument(x);
  arguments[1] = array_argument(y);
  arguments[2] = array_argument(out);
  arguments[3] = float_argument(2);
  OK(treadle_launch(kernel, &config, arguments, 4));
  read_floats(out, got, 1000);
  for (i = 0; i < 1000; ++i)
    CHECK(got[i] == 2 * (float)(i + 1) + 5);
  /* Everything may be freed while the launch is queued. */
  OK(treadle_stream_create(device(), TREADLE_STREAM_NONBLOCKING, &config.stream));
  arguments[3] = float_argument(3);
  OK(treadle_launch(kernel, &config, arguments, 4));
  OK(treadle_kernel_free(kernel));
  OK(treadle_array_free(x));
  OK(treadle_array_free(y));
  OK(treadle_stream_synchronize(config.stream));
  OK(treadle_stream_free(config.stream));
  read_floats(out, got, 1000);
  for (i = 0; i < 1000; ++i)
    CHECK(got[i] == 3 * (float)(i + 1) + 5);
  OK(treadle_array_free(out));
  FAILS(TREADLE_ERROR_HANDLE, "was freed", treadle_launch(kernel, &config, arguments, 4));
}

static void infos(void) {
  const treadle_kernel kernel = kernel_named("axpy");
  treadle_kernel_info info;
  treadle_parameter_info parameter;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  OK(treadle_kernel_get_info(kernel, &info));
  CHECK(info.flags == 0 && info.parameters == 4 && info.parameter_bytes > 0);
  CHECK(strstr(info.signature, "array(float32, 1d, C), array(float32, 1d, C), array(float32, 1d, C), float32"));
  CHECK(strncmp(info.target, is_cuda() ? "sm_90" : "cpu ", 4) == 0);
  CHECK(strstr(info.facts, "noOverlap") && strstr(info.facts, "blockClass=32"));
  memset(&parameter, 0, sizeof parameter);
  parameter.struct_size = sizeof parameter;
  OK(treadle_kernel_parameter(kernel, 0, &parameter));
  CHECK(parameter.kind == TREADLE_PARAMETER_ARRAY && parameter.code == 2 && parameter.bits == 32);
  CHECK(parameter.ndim == 1 && parameter.layout == TREADLE_LAYOUT_C && parameter.writes == 0);
  CHECK(strcmp(parameter.type, "array(float32, 1d, C)") == 0);
  OK(treadle_kernel_parameter(kernel, 2, &parameter));
  CHECK(parameter.writes == 1);
  OK(treadle_kernel_parameter(kernel, 3, &parameter));
  CHECK(parameter.kind == TREADLE_PARAMETER_NUMBER && parameter.ndim == 0 && parameter.writes == 0);
  FAILS(TREADLE_ERROR_NOT_FOUND, "index is 4", treadle_kernel_parameter(kernel, 4, &parameter));
  OK(treadle_kernel_free(kernel));
}

static treadle_argument of_kind(uint32_t kind) {
  treadle_argument made;
  memset(&made, 0, sizeof made);
  made.kind = kind;
  return made;
}

static void numbers(void) {
  const treadle_kernel kernel = kernel_named("numbers");
  const treadle_launch_config config = grid_of(1, 32);
  treadle_argument arguments[7], wrong[7], two;
  treadle_array out = new_floats(7, 0, 0);
  float got[7];
  arguments[0] = array_argument(out);
  arguments[1] = int_argument(-128);
  arguments[2] = of_kind(TREADLE_ARGUMENT_UINT);
  arguments[2].value.u64 = 65535;
  arguments[3] = int_argument(-1000000);
  arguments[4] = float_argument(0.5);
  arguments[5] = of_kind(TREADLE_ARGUMENT_COMPLEX);
  arguments[5].value.c128[0] = 1.5;
  arguments[5].value.c128[1] = -2.5;
  arguments[6] = of_kind(TREADLE_ARGUMENT_BOOL);
  arguments[6].value.u64 = 1;
  OK(treadle_launch(kernel, &config, arguments, 7));
  read_floats(out, got, 7);
  CHECK(got[0] == -128 && got[1] == 65535 && got[2] == -1000000 && got[3] == 0.5f);
  CHECK(got[4] == 1.5f && got[5] == -2.5f && got[6] == 1);
#define WRONG(index, argument, status, part)                                                                           \
  do {                                                                                                                 \
    memcpy(wrong, arguments, sizeof wrong);                                                                            \
    wrong[index] = argument;                                                                                           \
    FAILS(status, part, treadle_launch(kernel, &config, wrong, 7));                                                    \
  } while (0)
  WRONG(1, int_argument(-129), TREADLE_ERROR_ARGUMENT, "argument 1 (int8) got -129");
  WRONG(1, int_argument(128), TREADLE_ERROR_ARGUMENT, "got 128");
  WRONG(2, int_argument(-1), TREADLE_ERROR_ARGUMENT, "argument 2 (uint16) got -1");
  WRONG(2, int_argument(65536), TREADLE_ERROR_ARGUMENT, "got 65536");
  WRONG(1, float_argument(1), TREADLE_ERROR_TYPE, "argument 1 (int8) got a float");
  WRONG(4, int_argument(1), TREADLE_ERROR_TYPE, "argument 4 (float64) got an int");
  WRONG(5, float_argument(1), TREADLE_ERROR_TYPE, "argument 5 (complex64)");
  WRONG(6, int_argument(1), TREADLE_ERROR_TYPE, "argument 6 (bool");
  WRONG(0, of_kind(TREADLE_ARGUMENT_NONE), TREADLE_ERROR_TYPE, "argument 0");
  WRONG(0, of_kind(TREADLE_ARGUMENT_RAW), TREADLE_ERROR_TYPE, "raw bytes");
  WRONG(0, of_kind(99), TREADLE_ERROR_TYPE, "unknown kind 99");
  WRONG(0, of_kind(TREADLE_ARGUMENT_ARRAY), TREADLE_ERROR_ARGUMENT, "argument 0 is NULL");
  two = arguments[6];
  two.value.u64 = 2;
  WRONG(6, two, TREADLE_ERROR_ARGUMENT, "got 2");
  FAILS(TREADLE_ERROR_TYPE, "takes 7 arguments, and 6", treadle_launch(kernel, &config, arguments, 6));
  FAILS(TREADLE_ERROR_ARGUMENT, "arguments is NULL", treadle_launch(kernel, &config, NULL, 7));
  OK(treadle_array_free(out));
  OK(treadle_kernel_free(kernel));
}

static treadle_array shaped(const int64_t *shape, const int64_t *strides, int32_t ndim, uint8_t bits) {
  treadle_array_desc desc = floats(shape);
  treadle_array made;
  desc.ndim = ndim;
  desc.bits = bits;
  if (strides) {
    desc.flags = TREADLE_ARRAY_HAS_STRIDES;
    desc.byte_strides = strides;
  }
  OK(treadle_array_create(device(), TREADLE_MEMORY_DEVICE, &desc, NULL, &made));
  return made;
}

static void arrays_that_do_not_fit(void) {
  const int64_t shape[] = {32, 4}, gaps[] = {8}, fortran[] = {4, 128};
  const treadle_kernel kernel = kernel_named("axpy"), rows = kernel_named("sum_rows");
  const treadle_launch_config config = grid_of(1, 32);
  treadle_array good = new_floats(32, 0, 0), out = new_floats(32, 0, 0);
  treadle_argument arguments[4];
  arguments[0] = arguments[1] = array_argument(good);
  arguments[2] = array_argument(out);
  arguments[3] = float_argument(1);
  OK(treadle_launch(kernel, &config, arguments, 4) == TREADLE_ERROR_FACT ? TREADLE_OK : TREADLE_ERROR_INTERNAL);
  arguments[1] = array_argument(new_floats(32, 0, 0));
  OK(treadle_launch(kernel, &config, arguments, 4));
  arguments[0] = array_argument(shaped(shape, NULL, 1, 64));
  FAILS(TREADLE_ERROR_TYPE, "got an array of float64", treadle_launch(kernel, &config, arguments, 4));
  arguments[0] = array_argument(shaped(shape, NULL, 2, 32));
  FAILS(TREADLE_ERROR_TYPE, "2 dimensions", treadle_launch(kernel, &config, arguments, 4));
  arguments[0] = array_argument(shaped(shape, gaps, 1, 32));
  FAILS(TREADLE_ERROR_TYPE, "without gaps", treadle_launch(kernel, &config, arguments, 4));
  arguments[0] = array_argument(shaped(shape, fortran, 2, 32));
  FAILS(TREADLE_ERROR_TYPE, "without gaps", treadle_launch(rows, &config, arguments, 2));
}

static void read_only_arguments(void) {
  const treadle_kernel kernel = kernel_named("axpy");
  const treadle_launch_config config = grid_of(1, 32);
  treadle_array x = new_floats(32, 1, 1), y = new_floats(32, 0, 0), out = new_floats(32, 0, 0), fixed;
  treadle_argument arguments[4];
  treadle_array_desc desc;
  float got[32];
  memset(&desc, 0, sizeof desc);
  desc.struct_size = sizeof desc;
  OK(treadle_array_export(x, NULL, &desc));
  desc.flags |= TREADLE_ARRAY_READ_ONLY;
  OK(treadle_array_import(&desc, &fixed));
  arguments[0] = array_argument(fixed);
  arguments[1] = array_argument(y);
  arguments[2] = array_argument(out);
  arguments[3] = float_argument(1);
  OK(treadle_launch(kernel, &config, arguments, 4));
  read_floats(out, got, 32);
  CHECK(got[31] == 32);
  arguments[0] = array_argument(out);
  arguments[2] = array_argument(fixed);
  FAILS(TREADLE_ERROR_TYPE, "argument 2 (array(float32, 1d, C)) is written to",
        treadle_launch(kernel, &config, arguments, 4));
  OK(treadle_array_free(fixed));
  OK(treadle_array_free(x));
  OK(treadle_array_free(y));
  OK(treadle_array_free(out));
  OK(treadle_kernel_free(kernel));
}

static void facts(void) {
  const treadle_kernel kernel = kernel_named("axpy");
  const int64_t count = 32;
  treadle_launch_config config = grid_of(1, 32);
  treadle_array x = new_floats(32, 1, 1), out = new_floats(32, 0, 0), inside;
  treadle_memory memory;
  treadle_argument arguments[4];
  const treadle_array_desc desc = floats(&count);
  OK(treadle_memory_allocate(device(), TREADLE_MEMORY_DEVICE, 256, &memory));
  OK(treadle_memory_fill(memory, 0, 256, 0, NULL));
  OK(treadle_array_over(memory, 4, &desc, &inside));
  arguments[0] = array_argument(x);
  arguments[1] = array_argument(inside);
  arguments[2] = array_argument(out);
  arguments[3] = float_argument(1);
  FAILS(TREADLE_ERROR_FACT, "aligned16", treadle_launch(kernel, &config, arguments, 4));
  arguments[1] = array_argument(x);
  FAILS(TREADLE_ERROR_FACT, "noOverlap", treadle_launch(kernel, &config, arguments, 4));
  arguments[1] = array_argument(new_floats(32, 0, 0));
  OK(treadle_launch(kernel, &config, arguments, 4));
  config.block[0] = 16;
  config.block[1] = 2;
  FAILS(is_cuda() ? TREADLE_ERROR_FACT : TREADLE_OK, "", treadle_launch(kernel, &config, arguments, 4));
  config.block[0] = 20;
  config.block[1] = 1;
  FAILS(is_cuda() ? TREADLE_ERROR_FACT : TREADLE_OK, "", treadle_launch(kernel, &config, arguments, 4));
  config.block[0] = 32;
  config.grid[0] = 1 << 22;
  FAILS(TREADLE_ERROR_FACT, "gridFitsInt32", treadle_launch(kernel, &config, arguments, 4));
}

static void layouts(void) {
  const int64_t shape[] = {3, 2}, strides[] = {-8, 4};
  const treadle_kernel kernel = kernel_named("strided");
  treadle_launch_config config = grid_of(1, 32);
  treadle_argument arguments[2];
  treadle_array x = shaped(shape, strides, 2, 32);
  float got[6];
  arguments[0] = array_argument(x);
  arguments[1] = float_argument(1);
  config.grid[1] = 2;
  OK(treadle_launch(kernel, &config, arguments, 2));
  OK(treadle_array_read(x, got, sizeof got, NULL));
  CHECK(got[0] == 1 && got[1] == 2 && got[2] == 11 && got[5] == 22);
  OK(treadle_array_free(x));
  OK(treadle_kernel_free(kernel));
}

static void tuples(void) {
  const treadle_kernel kernel = kernel_named("tuples");
  const treadle_launch_config config = grid_of(1, 32);
  treadle_array out = new_floats(4, 0, 0);
  treadle_argument arguments[3];
  float got[4];
  arguments[0] = int_argument(7);
  arguments[1] = array_argument(out);
  arguments[2] = float_argument(0.25);
  OK(treadle_launch(kernel, &config, arguments, 3));
  read_floats(out, got, 4);
  CHECK(got[0] == 7 && got[1] == 0.25f);
  arguments[2] = of_kind(TREADLE_ARGUMENT_NONE);
  OK(treadle_launch(kernel, &config, arguments, 3));
  read_floats(out, got, 4);
  CHECK(got[1] == -1);
  OK(treadle_array_free(out));
  OK(treadle_kernel_free(kernel));
}

static void failed_checks(void) {
  const treadle_kernel kernel = kernel_named("checked");
  treadle_launch_config config = grid_of(1, 32);
  treadle_array out = new_floats(4, 0, 0);
  treadle_argument arguments[2];
  arguments[0] = array_argument(out);
  arguments[1] = int_argument(3);
  OK(treadle_launch(kernel, &config, arguments, 2));
  arguments[1] = int_argument(4);
  FAILS(TREADLE_ERROR_KERNEL, "", treadle_launch(kernel, &config, arguments, 2));
  OK(treadle_stream_create(device(), TREADLE_STREAM_NONBLOCKING, &config.stream));
  OK(treadle_launch(kernel, &config, arguments, 2));
  FAILS(TREADLE_ERROR_KERNEL, "", treadle_stream_synchronize(config.stream));
  OK(treadle_stream_synchronize(config.stream));
  OK(treadle_stream_free(config.stream));
  OK(treadle_array_free(out));
  OK(treadle_kernel_free(kernel));
}

static void configurations(void) {
  const treadle_kernel kernel = kernel_named("axpy");
  treadle_launch_config config = grid_of(1, 32);
  treadle_argument argument = float_argument(1);
  config.block[0] = 2048;
  FAILS(TREADLE_ERROR_ARGUMENT, "2048", treadle_launch(kernel, &config, &argument, 4));
  config = grid_of(0, 32);
  FAILS(TREADLE_ERROR_ARGUMENT, "", treadle_launch(kernel, &config, &argument, 4));
  config = grid_of(1, 32);
  config.argument_size = 16;
  FAILS(TREADLE_ERROR_STRUCT_SIZE, "argument_size is 16", treadle_launch(kernel, &config, &argument, 1));
  config = grid_of(1, 32);
  config.struct_size = 8;
  FAILS(TREADLE_ERROR_STRUCT_SIZE, "at least 56", treadle_launch(kernel, &config, &argument, 1));
  FAILS(TREADLE_ERROR_ARGUMENT, "config is NULL", treadle_launch(kernel, NULL, &argument, 1));
  OK(treadle_kernel_free(kernel));
}

static void load_fails(treadle_status status, const char *part, uint32_t format, const void *data, uint64_t bytes) {
  treadle_image_source source;
  treadle_image image = NULL;
  memset(&source, 0, sizeof source);
  source.struct_size = sizeof source;
  source.format = format;
  source.data = data;
  source.bytes = bytes;
  FAILS(status, part, treadle_image_load(device(), &source, &image));
  CHECK(image == NULL);
}

static void wrong_images(void) {
  treadle_image_source source;
  treadle_image image;
  treadle_kernel kernel;
  char path[4096], *bytes;
  size_t count;
  FILE *file;
  load_fails(TREADLE_ERROR_IMAGE, "", TREADLE_FORMAT_IMAGE, "treadle image 1\nx", 17);
  load_fails(TREADLE_ERROR_IMAGE, "format", TREADLE_FORMAT_CUBIN, "treadle image 1\nx", 17);
  load_fails(TREADLE_ERROR_ARGUMENT, "format is 9", 9, "x", 1);
  load_fails(TREADLE_ERROR_ARGUMENT, "source.data is NULL", TREADLE_FORMAT_ANY, NULL, 0);
  load_fails(is_cuda() ? TREADLE_ERROR_IMAGE : TREADLE_ERROR_UNSUPPORTED, "", TREADLE_FORMAT_PTX, "no PTX at all", 13);
  memset(&source, 0, sizeof source);
  source.struct_size = sizeof source;
  snprintf(path, sizeof path, "%s/nothing.image", folder);
  source.path = path;
  FAILS(TREADLE_ERROR_NOT_FOUND, "nothing.image: No such file", treadle_image_load(device(), &source, &image));
  source.path = folder;
  FAILS(TREADLE_ERROR_NOT_FOUND, ": it is a folder", treadle_image_load(device(), &source, &image));
  source.path = "/dev/null";
  FAILS(TREADLE_ERROR_NOT_FOUND, "/dev/null: it is no regular file", treadle_image_load(device(), &source, &image));
  snprintf(path, sizeof path, "%s/axpy.image", folder);
  source.path = path;
  OK(treadle_image_load(device(), &source, &image));
  FAILS(TREADLE_ERROR_NOT_FOUND, "'nothing'", treadle_image_kernel(image, "nothing", &kernel));
  OK(treadle_image_free(image));
  FAILS(TREADLE_ERROR_HANDLE, "was freed", treadle_image_kernel(image, NULL, &kernel));
  CHECK((file = fopen(path, "rb")) && (bytes = malloc(1 << 20)));
  count = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  CHECK(count > 100 && count < 1 << 20);
  bytes[count / 2] ^= 1;
  load_fails(TREADLE_ERROR_IMAGE, "", TREADLE_FORMAT_ANY, bytes, count);
  bytes[count / 2] ^= 1;
  load_fails(TREADLE_ERROR_IMAGE, "", TREADLE_FORMAT_ANY, bytes, count - 1);
  free(bytes);
}

static treadle_argument raw(const void *data, uint32_t bytes) {
  treadle_argument made;
  memset(&made, 0, sizeof made);
  made.kind = TREADLE_ARGUMENT_RAW;
  made.bytes = bytes;
  made.value.raw.data = data;
  return made;
}

static void raw_kernels(void) {
  treadle_image_source source;
  treadle_image image;
  treadle_kernel kernel;
  treadle_kernel_info info;
  treadle_launch_config config = grid_of(1, 32);
  treadle_argument arguments[4];
  char path[4096];
  const float value = 2;
  const uint8_t count = 20;
  const uint64_t first = 100;
  float got[32];
  treadle_array out = new_floats(32, -1, 0);
  memset(&source, 0, sizeof source);
  snprintf(path, sizeof path, "%s/raw.ptx", folder);
  source.struct_size = sizeof source;
  source.path = path;
  if (!is_cuda()) {
    FAILS(TREADLE_ERROR_UNSUPPORTED, "", treadle_image_load(device(), &source, &image));
    return;
  }
  OK(treadle_image_load(device(), &source, &image));
  FAILS(TREADLE_ERROR_NOT_FOUND, "'nothing'", treadle_image_kernel(image, "nothing", &kernel));
  FAILS(TREADLE_ERROR_ARGUMENT, "name is NULL", treadle_image_kernel(image, NULL, &kernel));
  OK(treadle_image_kernel(image, "scale", &kernel));
  OK(treadle_image_free(image));
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  OK(treadle_kernel_get_info(kernel, &info));
  CHECK(info.flags == TREADLE_KERNEL_RAW && strcmp(info.name, "scale") == 0 && strcmp(info.signature, "") == 0);
  arguments[0] = array_argument(out);
  arguments[1] = raw(&value, sizeof value);
  arguments[2] = raw(&count, sizeof count);
  arguments[3] = raw(&first, sizeof first);
  OK(treadle_stream_create(device(), TREADLE_STREAM_NONBLOCKING, &config.stream));
  OK(treadle_launch(kernel, &config, arguments, 4));
  OK(treadle_launch(kernel, &config, arguments, 4));
  OK(treadle_stream_synchronize(config.stream));
  read_floats(out, got, 32);
  CHECK(got[0] == 200 && got[19] == 238 && got[20] == -1);
  arguments[1] = float_argument(2);
  FAILS(TREADLE_ERROR_TYPE, "argument 1", treadle_launch(kernel, &config, arguments, 4));
  arguments[1] = raw(NULL, 4);
  FAILS(TREADLE_ERROR_ARGUMENT, "argument 1 is NULL", treadle_launch(kernel, &config, arguments, 4));
  arguments[1] = raw(&value, 0);
  FAILS(TREADLE_ERROR_ARGUMENT, "argument 1 has no bytes", treadle_launch(kernel, &config, arguments, 4));
  arguments[1] = raw(&value, 5000);
  FAILS(TREADLE_ERROR_ARGUMENT, "more than 4096", treadle_launch(kernel, &config, arguments, 4));
  OK(treadle_kernel_free(kernel));
  OK(treadle_array_free(out));
  OK(treadle_stream_free(config.stream));
}

const Case launch_cases[] = {{"axpy", axpy},
                             {"infos", infos},
                             {"numbers", numbers},
                             {"arrays_that_do_not_fit", arrays_that_do_not_fit},
                             {"read_only_arguments", read_only_arguments},
                             {"facts", facts},
                             {"layouts", layouts},
                             {"tuples", tuples},
                             {"failed_checks", failed_checks},
                             {"configurations", configurations},
                             {"wrong_images", wrong_images},
                             {"raw_kernels", raw_kernels},
                             {NULL, NULL}};
