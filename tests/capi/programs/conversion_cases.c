/* Every description goes through every carrier of arrays and comes back as it was, or is refused. */
#include "cases.h"

enum { INT = 0, UINT = 1, FLOAT = 2, BFLOAT = 4, COMPLEX = 5, BOOL = 6 }; /* DLPack's codes */

typedef struct {
  uint8_t code, bits;
  const char *typestr; /* where DLPack has no such type */
} Element;

typedef struct {
  int32_t ndim;
  int64_t shape[3], strides[3]; /* strides in elements; of halves of them where `is_odd` */
  int is_odd;
} Layout;

static const Element elements[] = {{INT, 8, NULL},
                                   {INT, 64, NULL},
                                   {UINT, 16, NULL},
                                   {UINT, 32, NULL},
                                   {FLOAT, 16, NULL},
                                   {FLOAT, 32, NULL},
                                   {FLOAT, 64, NULL},
                                   {BFLOAT, 16, NULL},
                                   {COMPLEX, 64, NULL},
                                   {COMPLEX, 128, NULL},
                                   {BOOL, 8, NULL},
                                   {TREADLE_CODE_DESCR, 64, "<M8[ns]"},
                                   {TREADLE_CODE_DESCR, 64, "<m8[s]"}};

static const Layout layouts[] = {{0, {0}, {0}, 0},
                                 {1, {7}, {1}, 0},
                                 {2, {3, 4}, {4, 1}, 0},
                                 {2, {3, 4}, {1, 3}, 0},
                                 {3, {2, 3, 4}, {48, 8, 2}, 0},
                                 {2, {3, 4}, {-4, -1}, 0},
                                 {2, {0, 4}, {4, 1}, 0},
                                 {1, {5}, {3}, 1}};

static void same(treadle_array found, treadle_array wanted) {
  const treadle_array_desc a = exported(found), b = exported(wanted);
  int32_t axis;
  int elements_there = 1;
  CHECK(a.data == b.data && a.flags == b.flags && a.code == b.code && a.bits == b.bits && a.lanes == b.lanes);
  CHECK(a.itemsize == b.itemsize && a.ndim == b.ndim && a.device_type == b.device_type && a.device_id == b.device_id);
  CHECK(strcmp(a.typestr, b.typestr) == 0);
  for (axis = 0; axis < a.ndim; ++axis) {
    CHECK(a.shape[axis] == b.shape[axis]);
    elements_there &= a.shape[axis] != 0;
  }
  for (axis = 0; elements_there && axis < a.ndim; ++axis)
    CHECK(a.byte_strides[axis] == b.byte_strides[axis]);
}

static treadle_array through_desc(treadle_array array) {
  treadle_array_desc desc = exported(array);
  treadle_array back;
  desc.abi_minor = 1; /* as another library has written it */
  OK(treadle_array_import(&desc, &back));
  return back;
}

/* NULL: refused, as `refuses` says. */
static treadle_array through_dlpack(treadle_array array, const char *refuses) {
  struct DLManagedTensorVersioned *tensor;
  treadle_array back;
  if (refuses) {
    FAILS(TREADLE_ERROR_BUFFER, refuses, treadle_array_to_dlpack(array, NULL, &tensor));
    return NULL;
  }
  OK(treadle_array_to_dlpack(array, NULL, &tensor));
  OK(treadle_array_from_dlpack(tensor, NULL, &back));
  return back;
}

static treadle_array through_legacy(treadle_array array, const char *refuses) {
  struct DLManagedTensor *tensor;
  treadle_array back;
  if (refuses) {
    FAILS(TREADLE_ERROR_BUFFER, refuses, treadle_array_to_dlpack_legacy(array, NULL, &tensor));
    return NULL;
  }
  OK(treadle_array_to_dlpack_legacy(array, NULL, &tensor));
  OK(treadle_array_from_dlpack_legacy(tensor, NULL, &back));
  return back;
}

/* One carrier after the other, each reading what the one before it has made. */
static void goes_round(treadle_array array, const char *refuses, int is_read_only) {
  treadle_array steps[4];
  int i;
  steps[0] = through_desc(array);
  steps[1] = through_dlpack(steps[0], refuses);
  steps[2] = through_legacy(steps[0], refuses ? refuses : is_read_only ? "read-only" : NULL);
  steps[3] = steps[1] ? through_desc(steps[1]) : NULL;
  for (i = 0; i < 4; ++i)
    if (steps[i])
      same(steps[i], array);
  for (i = 0; i < 4; ++i)
    if (steps[i])
      OK(treadle_array_free(steps[i]));
}

static void converted(const Element *element, const Layout *layout) {
  int64_t strides[3];
  treadle_array_desc desc;
  treadle_array array, fixed;
  const int64_t step = layout->is_odd ? element->bits / 16 : element->bits / 8;
  const char *refuses = element->typestr ? "no type" : layout->is_odd ? "stride" : NULL;
  int32_t axis;
  memset(&desc, 0, sizeof desc);
  desc.abi_major = TREADLE_VERSION_MAJOR;
  desc.struct_size = sizeof desc;
  desc.code = element->code;
  desc.bits = element->bits;
  desc.lanes = 1;
  desc.typestr = element->typestr;
  desc.ndim = layout->ndim;
  desc.shape = layout->shape;
  desc.flags = TREADLE_ARRAY_HAS_STRIDES;
  desc.byte_strides = strides;
  for (axis = 0; axis < layout->ndim; ++axis)
    strides[axis] = layout->strides[axis] * step;
  OK(treadle_array_create(device(), TREADLE_MEMORY_DEVICE, &desc, NULL, &array));
  goes_round(array, refuses, 0);
  desc = exported(array);
  desc.flags |= TREADLE_ARRAY_READ_ONLY;
  OK(treadle_array_import(&desc, &fixed));
  goes_round(fixed, refuses, 1);
  OK(treadle_array_free(fixed));
  OK(treadle_array_free(array));
}

static void conversions(void) {
  size_t i, k;
  for (i = 0; i < sizeof elements / sizeof *elements; ++i)
    for (k = 0; k < sizeof layouts / sizeof *layouts; ++k)
      /* Elements of complex numbers alone may lie at half their size. */
      if (!layouts[k].is_odd || elements[i].code == COMPLEX)
        converted(&elements[i], &layouts[k]);
}

const Case conversion_cases[] = {{"conversions", conversions}, {NULL, NULL}};
