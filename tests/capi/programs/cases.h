/* The cases of the C API's tests: each is a function by its name, which ends the program where something is wrong. */
#ifndef CASES_H
#define CASES_H

#include "treadle/treadle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAIL(...)                                                                                                      \
  do {                                                                                                                 \
    fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                                                    \
    fprintf(stderr, __VA_ARGS__);                                                                                      \
    fprintf(stderr, "\n");                                                                                             \
    exit(1);                                                                                                           \
  } while (0)
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      FAIL("%s", #condition);                                                                                          \
  } while (0)
#define OK(call)                                                                                                       \
  do {                                                                                                                 \
    const treadle_status status_ = (call);                                                                             \
    if (status_ != TREADLE_OK)                                                                                         \
      FAIL("%s: %s: %s", #call, treadle_status_name(status_), treadle_last_error());                                   \
  } while (0)
/* The call fails with that status, and its text has `part` in it. */
#define FAILS(wanted, part, call)                                                                                      \
  do {                                                                                                                 \
    const treadle_status status_ = (call);                                                                             \
    if (status_ != (wanted) || !strstr(treadle_last_error(), part))                                                    \
      FAIL("%s: %s: %s", #call, treadle_status_name(status_), treadle_last_error());                                   \
  } while (0)

/* What the test gives: a folder with an image for each kernel of images.py. */
extern const char *folder;

treadle_device device(void);
int is_cuda(void);
/* Of elements of float32 with one axis. */
treadle_array_desc floats(const int64_t *count);
treadle_array new_floats(int64_t count, float first, float step);
/* Without a consumer's stream. */
treadle_array_desc exported(treadle_array array);
void read_floats(treadle_array array, float *to, int64_t count);
treadle_kernel kernel_named(const char *name);
treadle_launch_config grid_of(uint32_t blocks, uint32_t threads);
treadle_argument array_argument(treadle_array array);
treadle_argument int_argument(int64_t value);
treadle_argument float_argument(double value);

typedef struct {
  const char *name;
  void (*run)(void);
} Case;
extern const Case basic_cases[], array_cases[], conversion_cases[], launch_cases[], repeated_cases[];

#endif
