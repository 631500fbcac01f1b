/* Launches that are made again and again, and by several threads. */
#include "cases.h"

#include <malloc.h>
#include <pthread.h>

typedef struct {
  treadle_array x, y, out;
  treadle_argument arguments[4];
} Axpy;

static Axpy axpy_of(treadle_array x, treadle_array y, treadle_array out, double a) {
  Axpy made;
  made.x = x;
  made.y = y;
  made.out = out;
  made.arguments[0] = array_argument(x);
  made.arguments[1] = array_argument(y);
  made.arguments[2] = array_argument(out);
  made.arguments[3] = float_argument(a);
  return made;
}

static void expect(treadle_array array, int count, float first, float last) {
  float got[64];
  read_floats(array, got, count);
  CHECK(got[0] == first && got[count - 1] == last);
}

static void launched(treadle_kernel kernel, const treadle_launch_config *config, const Axpy *axpy, int times) {
  while (times-- > 0)
    OK(treadle_launch(kernel, config, axpy->arguments, 4));
}

/* The third of equal launches, and those after it, are made from what the second has left. */
static void repeated_launches(void) {
  const treadle_kernel kernel = kernel_named("axpy"), guarded = kernel_named("guarded");
  Axpy axpy = axpy_of(new_floats(64, 1, 1), new_floats(64, 0, 0), new_floats(64, 0, 0), 2);
  const treadle_launch_config config = grid_of(2, 32), half = grid_of(1, 32), wide = grid_of(1, 64);
  const treadle_array zeros = new_floats(64, 0, 0);
  const treadle_argument none[17] = {{0}};
  int i;
  for (i = 0; i < 6; ++i) {
    treadle_array changed = new_floats(64, (float)i, 0);
    OK(treadle_array_copy(axpy.y, changed, NULL));
    OK(treadle_array_free(changed));
    launched(kernel, &config, &axpy, 1);
    expect(axpy.out, 64, 2 + (float)i, 128 + (float)i);
  }
  /* What differs is seen: a number, the kernel, the grid, the count. */
  for (i = 0; i < 4; ++i) {
    axpy.arguments[3] = float_argument(i + 3);
    launched(i % 2 ? kernel : guarded, &config, &axpy, 1);
    launched(i % 2 ? guarded : kernel, &config, &axpy, 1);
    expect(axpy.out, 64, (float)(i + 3) + 5, (float)(i + 3) * 64 + 5);
  }
  launched(kernel, &config, &axpy, 3);
  axpy.arguments[3] = float_argument(1);
  launched(kernel, &half, &axpy, 1);
  expect(axpy.out, 64, 6, 6 * 64 + 5);
  axpy.arguments[3] = float_argument(7);
  launched(kernel, &half, &axpy, 4);
  OK(treadle_array_copy(axpy.out, zeros, NULL));
  launched(kernel, &wide, &axpy, 1); /* the same grid, with larger blocks */
  expect(axpy.out, 64, 12, 7 * 64 + 5);
  launched(kernel, &config, &axpy, 1);
  expect(axpy.out, 64, 12, 7 * 64 + 5);
  FAILS(TREADLE_ERROR_TYPE, "3 were given", treadle_launch(kernel, &config, axpy.arguments, 3));
  FAILS(TREADLE_ERROR_ARGUMENT, "config is NULL", treadle_launch(kernel, NULL, axpy.arguments, 4));
  FAILS(TREADLE_ERROR_ARGUMENT, "arguments is NULL", treadle_launch(kernel, &config, NULL, 4));
  FAILS(TREADLE_ERROR_TYPE, "0 were given", treadle_launch(kernel, &config, NULL, 0));
  for (i = 0; i < 3; ++i)
    FAILS(TREADLE_ERROR_TYPE, "17 were given", treadle_launch(kernel, &config, none, 17));
  OK(treadle_kernel_free(kernel));
  FAILS(TREADLE_ERROR_HANDLE, "kernel", treadle_launch(kernel, &config, axpy.arguments, 4));
  OK(treadle_kernel_free(guarded));
}

/* A thread has room for some kernels, which take turns in it by their handles. */
static void repeated_launches_of_many_kernels(void) {
  const treadle_kernel kernel = kernel_named("axpy");
  const Axpy axpy = axpy_of(new_floats(32, 1, 0), new_floats(32, 5, 0), new_floats(32, 0, 0), 6);
  const treadle_launch_config config = grid_of(1, 32);
  treadle_kernel made[64];
  int i;
  launched(kernel, &config, &axpy, 3);
  for (i = 0; i < 64; ++i) {
    made[i] = kernel_named(i % 3 ? "axpy" : "minus");
    launched(made[i], &config, &axpy, 1);
    expect(axpy.out, 32, i % 3 ? 11 : 1, i % 3 ? 11 : 1);
    launched(made[i], &config, &axpy, 2);
    launched(made[i / 2], &config, &axpy, 1);
    expect(axpy.out, 32, i / 2 % 3 ? 11 : 1, i / 2 % 3 ? 11 : 1);
  }
  for (i = 0; i < 64; ++i)
    OK(treadle_kernel_free(made[i]));
  launched(kernel, &config, &axpy, 1);
  expect(axpy.out, 32, 11, 11);
}

/* Queued launches keep what they use, and a freed array is no argument any more. */
static void repeated_launches_of_what_is_freed(void) {
  const treadle_kernel kernel = kernel_named("axpy");
  Axpy axpy = axpy_of(new_floats(32, 1, 1), new_floats(32, 5, 0), new_floats(32, 0, 0), 6);
  treadle_launch_config config = grid_of(1, 32);
  int i;
  OK(treadle_stream_create(device(), TREADLE_STREAM_NONBLOCKING, &config.stream));
  launched(kernel, &config, &axpy, 3);
  OK(treadle_stream_synchronize(config.stream));
  launched(kernel, &config, &axpy, 500); /* not over when memory is freed */
  OK(treadle_array_free(axpy.x));
  FAILS(TREADLE_ERROR_HANDLE, "argument 0", treadle_launch(kernel, &config, axpy.arguments, 4));
  OK(treadle_array_free(axpy.y));
  /* Enough that what was freed and is not used any more is given out again. */
  for (i = 0; i < 40; ++i)
    OK(treadle_array_free(new_floats(32, 100, 0)));
  axpy = axpy_of(new_floats(32, 100, 0), new_floats(32, 100, 0), axpy.out, 6);
  OK(treadle_stream_synchronize(config.stream));
  expect(axpy.out, 32, 11, 6 * 32 + 5);
  launched(kernel, &config, &axpy, 4);
  OK(treadle_stream_synchronize(config.stream));
  expect(axpy.out, 32, 700, 700);
  OK(treadle_stream_free(config.stream));
  FAILS(TREADLE_ERROR_HANDLE, "config.stream", treadle_launch(kernel, &config, axpy.arguments, 4));
  OK(treadle_array_free(axpy.x));
  OK(treadle_array_free(axpy.y));
  OK(treadle_array_free(axpy.out));
  OK(treadle_kernel_free(kernel));
}

/* Bytes allocated and not freed; 0 where the C library does not tell. */
static size_t bytes_in_use(void) {
#if defined __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 figures = mallinfo2();
  return figures.uordblks + figures.hblkhd;
#endif
#endif
  return 0;
}

/* Sets of arrays in turn, each launched often enough to be made ready: what was ready before is let go of. */
static void repeated_launches_in_turn(void) {
  enum { rounds = 1000, most = 17 };
  const treadle_kernel kernel = kernel_named("axpy");
  const treadle_launch_config config = grid_of(1, 32);
  Axpy sets[most];
  int count, i, k;
  for (i = 0; i < most; ++i)
    sets[i] = axpy_of(new_floats(32, 1, 0), new_floats(32, (float)i, 0), new_floats(32, 0, 0), 2);
  for (count = 2; count <= most; count += 15) {
    size_t before = 0, after;
    for (i = -100; i < rounds; ++i) {
      if (i == 0)
        before = bytes_in_use();
      for (k = 0; k < count; ++k)
        launched(kernel, &config, &sets[k], 2);
    }
    after = bytes_in_use();
    /* The stand-in for the CUDA driver keeps a note of each call. */
    if (!is_cuda() && after > before + rounds)
      FAIL("%d sets: %zu bytes are kept", count, after - before);
    for (k = 0; k < count; ++k)
      expect(sets[k].out, 32, (float)(2 + k), (float)(2 + k));
  }
}

enum { threadCount = 4, launchesOfEach = 200 };
static treadle_kernel shared_kernel;
static void *launch_often(void *context) {
  treadle_launch_config config = grid_of(1, 32);
  int i, k;
  if (context)
    OK(treadle_stream_create(device(), TREADLE_STREAM_NONBLOCKING, &config.stream));
  for (i = 0; i < launchesOfEach; ++i) {
    treadle_array x = new_floats(32, (float)i, 1), y = new_floats(32, 1, 0), out = new_floats(32, 0, 0);
    treadle_argument arguments[4];
    float got[32];
    arguments[0] = array_argument(x);
    arguments[1] = array_argument(y);
    arguments[2] = array_argument(out);
    arguments[3] = float_argument(2);
    for (k = 0; k < 3; ++k)
      OK(treadle_launch(shared_kernel, &config, arguments, 4));
    OK(treadle_array_free(x));
    OK(treadle_array_free(y));
    OK(treadle_array_read(out, got, sizeof got, config.stream));
    CHECK(got[5] == 2 * (float)(i + 5) + 1);
    OK(treadle_array_free(out));
  }
  if (config.stream)
    OK(treadle_stream_free(config.stream));
  return NULL;
}

static void threads(void) {
  pthread_t all[threadCount];
  int i;
  shared_kernel = kernel_named("axpy");
  for (i = 0; i < threadCount; ++i)
    CHECK(pthread_create(&all[i], NULL, launch_often, i % 2 ? &all[i] : NULL) == 0);
  for (i = 0; i < threadCount; ++i)
    CHECK(pthread_join(all[i], NULL) == 0);
}

const Case repeated_cases[] = {{"repeated_launches", repeated_launches},
                               {"repeated_launches_of_many_kernels", repeated_launches_of_many_kernels},
                               {"repeated_launches_of_what_is_freed", repeated_launches_of_what_is_freed},
                               {"repeated_launches_in_turn", repeated_launches_in_turn},
                               {"threads", threads},
                               {NULL, NULL}};
