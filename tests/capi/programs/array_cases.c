/* Arrays: made, described, imported, exchanged by DLPack. */
#include "cases.h"

static const int64_t extents[] = {3, 4};

static treadle_array_desc matrix(void) {
  treadle_array_desc desc = floats(extents);
  desc.ndim = 2;
  return desc;
}

/* An owner that counts how often it is retained and released. */
typedef struct {
  int retained, released;
} Owner;
static void retain(void *owner) { __atomic_add_fetch(&((Owner *)owner)->retained, 1, __ATOMIC_SEQ_CST); }
static void release(void *owner) { __atomic_add_fetch(&((Owner *)owner)->released, 1, __ATOMIC_SEQ_CST); }

/* Memory that the device can use: `bytes` of its own, whose address the description gets. */
static treadle_memory some_memory(uint64_t bytes, uint64_t *address) {
  treadle_memory memory;
  treadle_memory_info info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  OK(treadle_memory_allocate(device(), TREADLE_MEMORY_DEVICE, bytes, &memory));
  OK(treadle_memory_get_info(memory, &info));
  *address = info.address;
  return memory;
}

static void created(void) {
  const int64_t fortran[] = {4, 12}, reversed[] = {-16, 4};
  treadle_array_desc wanted = matrix(), desc;
  treadle_array array, other;
  float sent[12], got[12];
  int i;
  for (i = 0; i < 12; ++i)
    sent[i] = (float)i;
  OK(treadle_array_create(device(), TREADLE_MEMORY_DEVICE, &wanted, NULL, &array));
  OK(treadle_array_write(array, sent, sizeof sent, NULL));
  desc = exported(array);
  CHECK(desc.abi_major == 1 && desc.abi_minor == 0 && desc.flags == TREADLE_ARRAY_HAS_STRIDES);
  CHECK(desc.ndim == 2 && desc.shape[0] == 3 && desc.shape[1] == 4);
  CHECK(desc.byte_strides[0] == 16 && desc.byte_strides[1] == 4 && desc.itemsize == 4);
  CHECK(desc.code == 2 && desc.bits == 32 && desc.lanes == 1 && strcmp(desc.typestr, "<f4") == 0);
  CHECK(desc.device_type == (is_cuda() ? 2 : 1) && desc.device_id == 0 && desc.owner && desc.data);
  wanted.flags = TREADLE_ARRAY_HAS_STRIDES;
  wanted.byte_strides = fortran;
  OK(treadle_array_create(device(), TREADLE_MEMORY_DEVICE, &wanted, NULL, &other));
  OK(treadle_array_copy(other, array, NULL));
  memset(got, 0, sizeof got);
  OK(treadle_array_read(other, got, sizeof got, NULL));
  CHECK(memcmp(got, sent, sizeof got) == 0);
  OK(treadle_array_free(other));
  wanted.byte_strides = reversed;
  OK(treadle_array_create(device(), TREADLE_MEMORY_DEVICE, &wanted, NULL, &other));
  OK(treadle_array_copy(other, array, NULL));
  memset(got, 0, sizeof got);
  OK(treadle_array_read(other, got, sizeof got, NULL));
  CHECK(memcmp(got, sent, sizeof got) == 0);
  OK(treadle_array_free(other));
  FAILS(TREADLE_ERROR_ARGUMENT, "bytes is 47", treadle_array_read(array, got, 47, NULL));
  FAILS(TREADLE_ERROR_ARGUMENT, "from is NULL", treadle_array_write(array, NULL, sizeof sent, NULL));
  OK(treadle_array_free(array));
}

static void create_fails(treadle_status status, const char *part, treadle_array_desc desc) {
  treadle_array array = NULL;
  FAILS(status, part, treadle_array_create(device(), TREADLE_MEMORY_DEVICE, &desc, NULL, &array));
  CHECK(array == NULL);
}

static void wrong_descriptions(void) {
  const int64_t negative[] = {3, -4}, huge[] = {INT64_C(1) << 46, INT64_C(1) << 46};
  treadle_array_desc desc = matrix();
  desc.shape = negative;
  create_fails(TREADLE_ERROR_ARGUMENT, "-4", desc);
  desc.shape = huge;
  create_fails(TREADLE_ERROR_ARGUMENT, "", desc);
  desc.shape = NULL;
  create_fails(TREADLE_ERROR_BUFFER, "shape is NULL", desc);
  desc = matrix();
  desc.ndim = 9;
  create_fails(TREADLE_ERROR_BUFFER, "ndim is 9", desc);
  desc.ndim = -1;
  create_fails(TREADLE_ERROR_BUFFER, "ndim is -1", desc);
  desc = matrix();
  desc.code = 77;
  create_fails(TREADLE_ERROR_BUFFER, "type code 77", desc);
  desc = matrix();
  desc.lanes = 4;
  create_fails(TREADLE_ERROR_BUFFER, "4 lanes", desc);
  desc = matrix();
  desc.itemsize = 8;
  create_fails(TREADLE_ERROR_BUFFER, "itemsize is 8", desc);
  desc = matrix();
  desc.code = TREADLE_CODE_DESCR;
  create_fails(TREADLE_ERROR_BUFFER, "typestr is NULL", desc);
  desc.typestr = ">f4";
  create_fails(TREADLE_ERROR_BUFFER, "'>f4'", desc);
  desc = matrix();
  desc.flags = TREADLE_ARRAY_HAS_STRIDES;
  create_fails(TREADLE_ERROR_BUFFER, "byte_strides is NULL", desc);
  desc = matrix();
  desc.abi_major = 2;
  create_fails(TREADLE_ERROR_UNSUPPORTED, "abi_major is 2", desc);
  desc = matrix();
  desc.struct_size = 64;
  create_fails(TREADLE_ERROR_STRUCT_SIZE, "at least 128", desc);
}

static void later_versions(void) {
  struct {
    treadle_array_desc desc;
    uint64_t more[4];
  } later;
  treadle_array array;
  later.desc = matrix();
  memset(later.more, 0, sizeof later.more);
  later.desc.abi_minor = 7;
  later.desc.struct_size = sizeof later;
  OK(treadle_array_create(device(), TREADLE_MEMORY_DEVICE, &later.desc, NULL, &array));
  OK(treadle_array_free(array));
  later.more[3] = 1;
  FAILS(TREADLE_ERROR_UNSUPPORTED, "later version",
        treadle_array_create(device(), TREADLE_MEMORY_DEVICE, &later.desc, NULL, &array));
}

static void over_memory(void) {
  uint64_t address;
  const treadle_memory memory = some_memory(64, &address);
  treadle_array_desc desc = matrix(), shown;
  treadle_array array;
  float got[12];
  OK(treadle_memory_fill(memory, 0, 64, 0, NULL));
  OK(treadle_array_over(memory, 16, &desc, &array));
  shown = exported(array);
  CHECK(shown.data == address + 16);
  FAILS(TREADLE_ERROR_ARGUMENT, "", treadle_array_over(memory, 20, &desc, &array));
  FAILS(TREADLE_ERROR_ARGUMENT, "offset is 65", treadle_array_over(memory, 65, &desc, &array));
  FAILS(TREADLE_ERROR_ARGUMENT, "multiples of 4", treadle_array_over(memory, 2, &desc, &array));
  /* The array keeps the memory. */
  OK(treadle_memory_free(memory));
  OK(treadle_array_read(array, got, sizeof got, NULL));
  CHECK(got[0] == 0 && got[11] == 0);
  OK(treadle_array_free(array));
}

static void imported(void) {
  uint64_t address;
  const treadle_memory memory = some_memory(48, &address);
  Owner owner = {0, 0};
  treadle_array_desc desc = matrix(), again;
  treadle_array array;
  const float sent[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  float got[12];
  OK(treadle_memory_write(memory, 0, sent, sizeof sent, NULL));
  OK(treadle_device_synchronize(device()));
  desc.data = address;
  desc.owner = &owner;
  desc.retain = retain;
  desc.release = release;
  OK(treadle_array_import(&desc, &array));
  CHECK(owner.retained == 1 && owner.released == 0);
  OK(treadle_array_read(array, got, sizeof got, NULL));
  CHECK(memcmp(got, sent, sizeof got) == 0);
  again = exported(array);
  CHECK(again.data == address && again.shape != extents);
  again.retain(again.owner);
  OK(treadle_array_free(array));
  CHECK(again.shape[1] == 4 && owner.released == 0);
  again.release(again.owner);
  OK(treadle_device_synchronize(device()));
  CHECK(owner.retained == 1 && owner.released == 1);
  OK(treadle_memory_free(memory));
}

static void import_fails(treadle_status status, const char *part, const treadle_array_desc *desc) {
  const Owner *const owner = desc->owner;
  treadle_array array = NULL;
  FAILS(status, part, treadle_array_import(desc, &array));
  CHECK(array == NULL && (!owner || owner->retained == owner->released));
}

static void refused_imports(void) {
  uint64_t address;
  const treadle_memory memory = some_memory(48, &address);
  const int64_t odd[] = {14, 4};
  Owner owner = {0, 0};
  treadle_array_desc desc, good = matrix();
  good.data = address;
  good.owner = &owner;
  good.retain = retain;
  good.release = release;
  desc = good;
  desc.mask = &good;
  import_fails(TREADLE_ERROR_BUFFER, "mask", &desc);
  desc = good;
  desc.flags = TREADLE_ARRAY_HAS_DESCR;
  import_fails(TREADLE_ERROR_BUFFER, "descr", &desc);
  desc = good;
  desc.event = 1;
  import_fails(TREADLE_ERROR_BUFFER, "event", &desc);
  desc = good;
  desc.stream_kind = 4;
  import_fails(TREADLE_ERROR_BUFFER, "stream_kind is 4", &desc);
  desc.stream_kind = TREADLE_STREAM_HANDLE;
  import_fails(TREADLE_ERROR_BUFFER, "no handle", &desc);
  desc = good;
  desc.data = 0;
  import_fails(TREADLE_ERROR_BUFFER, "address is 0", &desc);
  desc = good;
  desc.byte_strides = odd;
  import_fails(TREADLE_ERROR_BUFFER, "multiples of 4", &desc);
  desc = good;
  desc.data = 4096;
  import_fails(TREADLE_ERROR_BUFFER, is_cuda() ? "no GPU knows" : "cannot be read", &desc);
  desc = good;
  desc.device_type = is_cuda() ? 1 : 2;
  import_fails(TREADLE_ERROR_BUFFER, "device_type", &desc);
  desc = good;
  desc.release = NULL;
  import_fails(TREADLE_ERROR_BUFFER, "retain or release is NULL", &desc);
  desc = good;
  desc.abi_major = 0;
  import_fails(TREADLE_ERROR_UNSUPPORTED, "abi_major is 0", &desc);
  CHECK(owner.retained == owner.released);
  OK(treadle_memory_free(memory));
}

static void read_only(void) {
  uint64_t address;
  const treadle_memory memory = some_memory(48, &address);
  treadle_array_desc desc = matrix(), shown;
  treadle_array array;
  struct DLManagedTensor *legacy = NULL;
  struct DLManagedTensorVersioned *tensor;
  float sent[12] = {0};
  desc.data = address;
  desc.flags = TREADLE_ARRAY_READ_ONLY;
  OK(treadle_array_import(&desc, &array));
  FAILS(TREADLE_ERROR_ARGUMENT, "read-only", treadle_array_write(array, sent, sizeof sent, NULL));
  FAILS(TREADLE_ERROR_ARGUMENT, "read-only", treadle_array_copy(array, array, NULL));
  shown = exported(array);
  CHECK((shown.flags & TREADLE_ARRAY_READ_ONLY) != 0);
  FAILS(TREADLE_ERROR_BUFFER, "read-only", treadle_array_to_dlpack_legacy(array, NULL, &legacy));
  CHECK(legacy == NULL);
  OK(treadle_array_to_dlpack(array, NULL, &tensor));
  CHECK(((treadle_dl_versioned *)tensor)->flags == 1);
  ((treadle_dl_versioned *)tensor)->deleter((treadle_dl_versioned *)tensor);
  OK(treadle_array_free(array));
  OK(treadle_memory_free(memory));
}

static void without_elements(void) {
  const int64_t none[] = {0, 4};
  treadle_array_desc desc = matrix(), shown;
  treadle_array array;
  desc.shape = none;
  OK(treadle_array_import(&desc, &array));
  shown = exported(array);
  CHECK(shown.data == 0 && shown.shape[0] == 0);
  OK(treadle_array_write(array, NULL, 0, NULL));
  OK(treadle_array_free(array));
  desc.ndim = 0;
  desc.shape = NULL;
  OK(treadle_array_create(device(), TREADLE_MEMORY_DEVICE, &desc, NULL, &array));
  shown = exported(array);
  CHECK(shown.ndim == 0 && shown.shape == NULL && shown.data != 0);
  OK(treadle_array_free(array));
}

static int deleted;
static void delete_versioned(treadle_dl_versioned *self) {
  CHECK(self->context == &deleted);
  ++deleted;
}
static void delete_legacy(treadle_dl_managed *self) {
  CHECK(self->context == &deleted);
  ++deleted;
}

static treadle_dl_versioned tensor_at(uint64_t address, int64_t *shape) {
  treadle_dl_versioned tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.major = 1;
  tensor.context = &deleted;
  tensor.deleter = delete_versioned;
  tensor.tensor.data = (void *)(uintptr_t)address;
  tensor.tensor.device_type = is_cuda() ? 2 : 1;
  tensor.tensor.ndim = 2;
  tensor.tensor.code = 2;
  tensor.tensor.bits = 32;
  tensor.tensor.lanes = 1;
  tensor.tensor.shape = shape;
  return tensor;
}

static void from_dlpack(void) {
  uint64_t address;
  int64_t shape[] = {3, 4}, strides[] = {1, 3};
  const treadle_memory memory = some_memory(56, &address);
  treadle_dl_versioned tensor = tensor_at(address, shape);
  treadle_dl_managed legacy;
  treadle_array array = NULL;
  treadle_array_desc shown;
  struct DLManagedTensorVersioned *const given = (struct DLManagedTensorVersioned *)&tensor;
  tensor.tensor.byte_offset = 8;
  tensor.tensor.strides = strides;
  OK(treadle_array_from_dlpack(given, NULL, &array));
  shown = exported(array);
  CHECK(shown.data == address + 8 && shown.byte_strides[0] == 4 && shown.byte_strides[1] == 12);
  CHECK(deleted == 0);
  OK(treadle_array_free(array));
  OK(treadle_device_synchronize(device()));
  CHECK(deleted == 1);
  array = NULL;
  tensor.major = 2;
  FAILS(TREADLE_ERROR_BUFFER, "DLPack 2", treadle_array_from_dlpack(given, NULL, &array));
  tensor = tensor_at(address, shape);
  tensor.tensor.lanes = 2;
  FAILS(TREADLE_ERROR_BUFFER, "2 lanes", treadle_array_from_dlpack(given, NULL, &array));
  tensor = tensor_at(address, shape);
  tensor.tensor.device_type = 7;
  FAILS(TREADLE_ERROR_BUFFER, "", treadle_array_from_dlpack(given, NULL, &array));
  tensor = tensor_at(address, shape);
  FAILS(TREADLE_ERROR_HANDLE, "producer", treadle_array_from_dlpack(given, (treadle_stream)&tensor, &array));
  FAILS(TREADLE_ERROR_ARGUMENT, "tensor is NULL", treadle_array_from_dlpack(NULL, NULL, &array));
  FAILS(TREADLE_ERROR_ARGUMENT, "array is NULL", treadle_array_from_dlpack(given, NULL, NULL));
  CHECK(deleted == 1 && array == NULL); /* the tensor is still ours */
  memset(&legacy, 0, sizeof legacy);
  legacy.tensor = tensor.tensor;
  legacy.context = &deleted;
  legacy.deleter = delete_legacy;
  OK(treadle_array_from_dlpack_legacy((struct DLManagedTensor *)&legacy, NULL, &array));
  OK(treadle_array_free(array));
  OK(treadle_device_synchronize(device()));
  CHECK(deleted == 2);
  OK(treadle_memory_free(memory));
}

static void to_dlpack(void) {
  treadle_array array = new_floats(12, 0, 1), back;
  treadle_dl_versioned *tensor;
  treadle_dl_managed *legacy;
  treadle_stream stream;
  float got[12];
  OK(treadle_stream_create(device(), TREADLE_STREAM_NONBLOCKING, &stream));
  OK(treadle_array_to_dlpack(array, stream, (struct DLManagedTensorVersioned **)&tensor));
  CHECK(tensor->major == 1 && tensor->minor == 3 && tensor->flags == 0 && tensor->tensor.ndim == 1);
  CHECK(tensor->tensor.shape[0] == 12 && tensor->tensor.strides[0] == 1 && tensor->tensor.byte_offset == 0);
  CHECK(tensor->tensor.device_type == (is_cuda() ? 2 : 1));
  OK(treadle_array_to_dlpack_legacy(array, NULL, (struct DLManagedTensor **)&legacy));
  OK(treadle_array_free(array));
  /* Both keep the memory, and what comes back is the same. */
  OK(treadle_array_from_dlpack((struct DLManagedTensorVersioned *)tensor, stream, &back));
  read_floats(back, got, 12);
  CHECK(got[0] == 0 && got[11] == 11);
  OK(treadle_array_free(back));
  OK(treadle_array_from_dlpack_legacy((struct DLManagedTensor *)legacy, NULL, &back));
  read_floats(back, got, 12);
  CHECK(got[11] == 11);
  OK(treadle_array_free(back));
  OK(treadle_stream_free(stream));
}

static void dlpack_refuses(void) {
  const int64_t odd[] = {20, 6}, shape[] = {3, 3};
  const int64_t *no_strides = odd;
  treadle_array_desc desc = matrix();
  treadle_array array;
  struct DLManagedTensorVersioned *tensor = NULL;
  desc.code = 0;
  desc.shape = shape;
  desc.flags = TREADLE_ARRAY_HAS_STRIDES;
  desc.byte_strides = no_strides;
  desc.bits = 16; /* strides of 6 bytes are whole elements, those of 20 bytes too */
  OK(treadle_array_create(device(), TREADLE_MEMORY_DEVICE, &desc, NULL, &array));
  OK(treadle_array_to_dlpack(array, NULL, &tensor));
  ((treadle_dl_versioned *)tensor)->deleter((treadle_dl_versioned *)tensor);
  OK(treadle_array_free(array));
  desc = matrix();
  desc.code = TREADLE_CODE_DESCR;
  desc.typestr = "<M8[ns]";
  OK(treadle_array_create(device(), TREADLE_MEMORY_DEVICE, &desc, NULL, &array));
  tensor = NULL;
  FAILS(TREADLE_ERROR_BUFFER, "no type", treadle_array_to_dlpack(array, NULL, &tensor));
  CHECK(tensor == NULL);
  OK(treadle_array_free(array));
}

static void streams_of_arrays(void) {
  treadle_array array = new_floats(1000, 0, 1), other = new_floats(1000, 5, 0), view;
  treadle_array_desc desc;
  treadle_stream producer, consumer;
  float got[1000];
  OK(treadle_stream_create(device(), TREADLE_STREAM_NONBLOCKING, &producer));
  OK(treadle_stream_create(device(), TREADLE_STREAM_NONBLOCKING, &consumer));
  OK(treadle_array_copy(array, other, producer));
  memset(&desc, 0, sizeof desc);
  desc.struct_size = sizeof desc;
  OK(treadle_array_export(array, consumer, &desc));
  if (is_cuda()) {
    uint64_t native;
    OK(treadle_stream_native(consumer, &native));
    CHECK(desc.stream_kind == TREADLE_STREAM_HANDLE && desc.stream == native);
  } else {
    CHECK(desc.stream_kind == TREADLE_STREAM_NONE); /* memory of the host was waited for */
  }
  OK(treadle_array_import(&desc, &view));
  read_floats(view, got, 1000);
  CHECK(got[0] == 5 && got[999] == 5);
  OK(treadle_array_free(view));
  OK(treadle_array_free(array));
  OK(treadle_array_free(other));
  OK(treadle_device_synchronize(device()));
  OK(treadle_stream_free(producer));
  OK(treadle_stream_free(consumer));
}

/* An array that comes back is the same one, with a handle more; a changed description is what it says. */
static void own_descriptions(void) {
  const treadle_array array = new_floats(8, 1, 1);
  const int64_t shorter[] = {3};
  treadle_array_desc desc = exported(array), again;
  treadle_array same, part, other;
  float got[8];
  OK(treadle_array_import(&desc, &same));
  CHECK(same != array);
  again = exported(same);
  CHECK(again.data == desc.data && again.owner);
  OK(treadle_array_free(array));
  FAILS(TREADLE_ERROR_HANDLE, "was freed", treadle_array_read(array, got, sizeof got, NULL));
  other = new_floats(8, 50, 0); /* in memory that is free */
  read_floats(same, got, 8);
  CHECK(got[0] == 1 && got[7] == 8);
  desc = exported(same);
  desc.shape = shorter;
  desc.data += 4;
  OK(treadle_array_import(&desc, &part));
  OK(treadle_array_free(same));
  FAILS(TREADLE_ERROR_HANDLE, "was freed", treadle_array_free(same));
  read_floats(part, got, 3);
  CHECK(got[0] == 2 && got[2] == 4);
  OK(treadle_array_free(part));
  OK(treadle_array_free(other));
}

const Case array_cases[] = {{"created", created},
                            {"wrong_descriptions", wrong_descriptions},
                            {"later_versions", later_versions},
                            {"over_memory", over_memory},
                            {"imported", imported},
                            {"own_descriptions", own_descriptions},
                            {"refused_imports", refused_imports},
                            {"read_only", read_only},
                            {"without_elements", without_elements},
                            {"from_dlpack", from_dlpack},
                            {"to_dlpack", to_dlpack},
                            {"dlpack_refuses", dlpack_refuses},
                            {"streams_of_arrays", streams_of_arrays},
                            {NULL, NULL}};
