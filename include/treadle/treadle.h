/* The C API of Treadle, version 1: devices, memory, arrays of other libraries, compiled kernels; without Python.
 *
 * Calls. Every function returns a status, TREADLE_OK or one of TREADLE_ERROR_*, unless it says otherwise. A call that
 * fails has changed nothing, and treadle_last_error() says why. All functions may be called by any thread at any time,
 * also concurrently on the same handles. None installs a signal handler. NULL, freed handles and handles of another
 * kind are errors (TREADLE_ERROR_ARGUMENT, TREADLE_ERROR_HANDLE), never undefined behaviour; only the program's own
 * pointers cannot be checked.
 *
 * Handles are numbers in the shape of pointers. What a function creates, its counterpart frees; work queued with it
 * runs to completion all the same. A freed handle is never reused. Handles of devices live as long as the process. In a
 * child of fork() the handles of the parent stay valid on the CPU device.
 *
 * Structs. Those with a field `struct_size` grow in later versions: the program sets it to sizeof, zeroes the rest, and
 * the library reads and writes only so many bytes. Sizes below version 1's are TREADLE_ERROR_STRUCT_SIZE; bytes that
 * the library does not know must be 0 (TREADLE_ERROR_UNSUPPORTED). Reserved fields must be 0.
 *
 * Streams. NULL names the device's default stream, as in CUDA: work on it waits for other blocking streams, and they
 * for it. Copies and launches on it are as CUDA's: the program's own order is kept, whatever stream work is on. */
#ifndef TREADLE_TREADLE_H
#define TREADLE_TREADLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TREADLE_C_API __attribute__((visibility("default")))
#else
#define TREADLE_C_API
#endif

#define TREADLE_VERSION_MAJOR 1
#define TREADLE_VERSION_MINOR 0

/* ---- Status ---- */

typedef int32_t treadle_status;
enum {
  TREADLE_OK = 0,
  TREADLE_ERROR_ARGUMENT = 1,      /* NULL, out of range, or contradictory values */
  TREADLE_ERROR_HANDLE = 2,        /* freed, of another kind, or never given out */
  TREADLE_ERROR_STRUCT_SIZE = 3,   /* struct_size is below that of version 1 */
  TREADLE_ERROR_TYPE = 4,          /* an argument of a launch, or elements, of the wrong type */
  TREADLE_ERROR_UNSUPPORTED = 5,   /* not by this device, this machine or this version of the library */
  TREADLE_ERROR_BUFFER = 6,        /* an array that cannot be imported, or that the other form cannot express */
  TREADLE_ERROR_STATE = 7,         /* not now: devices are already open, for example */
  TREADLE_ERROR_OUT_OF_MEMORY = 8, /* of the device, or of the host */
  TREADLE_ERROR_NOT_READY = 9,     /* queued work has not run yet: no failure */
  TREADLE_ERROR_DEVICE = 10,       /* the device refused: treadle_last_driver_result() has the number */
  TREADLE_ERROR_DEVICE_LOST = 11,  /* an earlier error has ended the device's context */
  TREADLE_ERROR_NO_DEVICE = 12,    /* no such device, or no driver */
  TREADLE_ERROR_KERNEL = 13,       /* a check in a kernel that was compiled with debug has failed */
  TREADLE_ERROR_IMAGE = 14,        /* not an image, a damaged one, or one for another target or interface */
  TREADLE_ERROR_FACT = 15,         /* this launch violates an assumption of the image */
  TREADLE_ERROR_NOT_FOUND = 16,    /* no kernel, parameter or file of that name or number */
  TREADLE_ERROR_INTERNAL = 17      /* a bug in Treadle */
};

/* "TREADLE_ERROR_HANDLE", for any number; "unknown status" for others. Lives as long as the process. */
TREADLE_C_API const char *treadle_status_name(treadle_status status);
/* The error of the calling thread's last failing call: what was found, and what to do. "" before the first one.
 * Valid until that thread's next failing call. Texts end after 2047 bytes. */
TREADLE_C_API const char *treadle_last_error(void);
/* The CUDA driver's result, a CUresult, that made the calling thread's last failing call fail; 0: none. */
TREADLE_C_API int32_t treadle_last_driver_result(void);

/* major << 16 | minor of the library. A program built with an older minor version runs on it. */
TREADLE_C_API uint32_t treadle_version(void);
/* Identifies the build of Treadle. Lives as long as the process. */
TREADLE_C_API const char *treadle_build_id(void);
/* The interface number of the image files that the library reads, whichever build wrote them. */
TREADLE_C_API uint32_t treadle_image_interface(void);
/* 1 if the library has that feature, otherwise 0: "devices", "streams", "events", "memory", "arrays", "array_exchange",
 * "dlpack", "dlpack_versioned", "images", "ptx", "launch". NULL: 0. */
TREADLE_C_API int32_t treadle_has(const char *feature);

/* ---- Handles ---- */

typedef struct treadle_device_s *treadle_device;
typedef struct treadle_stream_s *treadle_stream;
typedef struct treadle_event_s *treadle_event;
typedef struct treadle_memory_s *treadle_memory;
typedef struct treadle_array_s *treadle_array;
typedef struct treadle_image_s *treadle_image;
typedef struct treadle_kernel_s *treadle_kernel;

/* ---- Devices ---- */

/* Selects the process's devices: "cuda", "cpu", or both, "cuda,cpu". Must precede any use of a device, otherwise
 * TREADLE_ERROR_STATE. Without this call TREADLE_DEVICE decides; if that is unset, GPUs if there are any, or the CPU.
 */
TREADLE_C_API treadle_status treadle_use_devices(const char *kinds);
/* How many devices of that kind the process has: "cuda", "cpu"; NULL: of all kinds. Opens the devices. */
TREADLE_C_API treadle_status treadle_device_count(const char *kind, int32_t *count);
/* The device with that number among those of its kind, counted from 0. TREADLE_ERROR_NO_DEVICE. */
TREADLE_C_API treadle_status treadle_device_open(const char *kind, int32_t ordinal, treadle_device *device);

typedef struct treadle_device_info {
  uint32_t struct_size;
  uint32_t compute_capability; /* major * 10 + minor: what kernels for this device may ask for */
  int32_t dlpack_type;         /* DLPack's number for the device: 1 CPU, 2 CUDA; 0: none */
  int32_t dlpack_id;
  uint64_t memory_bytes;
  uint32_t threads_per_block; /* limits of launches */
  uint32_t shared_bytes;      /* of a block */
  uint32_t multiprocessors;   /* on the CPU device, threads that run blocks */
  uint32_t reserved;
  char kind[16];  /* "cuda", "cpu" */
  char name[256]; /* cut off where it is longer; NUL-terminated */
} treadle_device_info;
TREADLE_C_API treadle_status treadle_device_get_info(treadle_device device, treadle_device_info *info);
/* By the number of CUdevice_attribute. */
TREADLE_C_API treadle_status treadle_device_attribute(treadle_device device, int32_t attribute, int64_t *value);
/* Returns when all work on the device has run; reports failures. */
TREADLE_C_API treadle_status treadle_device_synchronize(treadle_device device);

/* ---- Streams ---- */

enum { TREADLE_STREAM_BLOCKING = 0, TREADLE_STREAM_NONBLOCKING = 1 };
TREADLE_C_API treadle_status treadle_stream_create(treadle_device device, uint32_t flags, treadle_stream *stream);
/* The device's legacy default stream, and the default stream of the thread that uses the handle. Both must be freed. */
TREADLE_C_API treadle_status treadle_stream_legacy(treadle_device device, treadle_stream *stream);
TREADLE_C_API treadle_status treadle_stream_per_thread(treadle_device device, treadle_stream *stream);
/* A foreign stream by its native handle (cudaStream_t, CUstream): 0 the default stream, 1 the legacy default
 * stream, 2 the calling thread's. It must outlive the handle, which does not destroy it. */
TREADLE_C_API treadle_status treadle_stream_wrap(treadle_device device, uint64_t native, treadle_stream *stream);
/* Queued work runs to completion. */
TREADLE_C_API treadle_status treadle_stream_free(treadle_stream stream);
/* The native handle; 1 and 2 for the default streams. */
TREADLE_C_API treadle_status treadle_stream_native(treadle_stream stream, uint64_t *native);
/* Returns when the work queued so far has run; reports failures. */
TREADLE_C_API treadle_status treadle_stream_synchronize(treadle_stream stream);
/* TREADLE_OK if the work queued so far has run, otherwise TREADLE_ERROR_NOT_READY. */
TREADLE_C_API treadle_status treadle_stream_query(treadle_stream stream);
/* Work queued from now on runs after the work that the event has recorded, which may be none. */
TREADLE_C_API treadle_status treadle_stream_wait(treadle_stream stream, treadle_event event);
/* Calls the function in the stream's order, on a thread of the library's or the driver's. It must neither wait, nor
 * call functions of CUDA or of this header that wait or queue work, nor throw. */
TREADLE_C_API treadle_status treadle_stream_callback(treadle_stream stream, void (*function)(void *), void *context);

/* ---- Events ---- */

enum { TREADLE_EVENT_TIMING = 0, TREADLE_EVENT_NO_TIMING = 1 };
TREADLE_C_API treadle_status treadle_event_create(treadle_device device, uint32_t flags, treadle_event *event);
TREADLE_C_API treadle_status treadle_event_free(treadle_event event);
/* Recording again replaces the point; waits for the earlier one keep it. The stream is one of the event's device; NULL
 * is that device's default stream. */
TREADLE_C_API treadle_status treadle_event_record(treadle_event event, treadle_stream stream);
/* TREADLE_OK if the point has been passed, or none was recorded; otherwise TREADLE_ERROR_NOT_READY. */
TREADLE_C_API treadle_status treadle_event_query(treadle_event event);
TREADLE_C_API treadle_status treadle_event_synchronize(treadle_event event);
/* Between two events of one device, which were recorded with timing and are complete. */
TREADLE_C_API treadle_status treadle_event_elapsed(treadle_event start, treadle_event end, double *milliseconds);

/* ---- Memory ---- */

enum {
  TREADLE_MEMORY_DEVICE = 0, /* the device's own */
  TREADLE_MEMORY_PINNED = 1, /* the host's, page-locked */
  TREADLE_MEMORY_MAPPED = 2, /* the host's, accessed by kernels over the bus */
  TREADLE_MEMORY_MANAGED = 3 /* migrates to where it is used */
};
/* Uninitialised, aligned to 256 bytes; `bytes` may be 0. */
TREADLE_C_API treadle_status treadle_memory_allocate(treadle_device device, uint32_t kind, uint64_t bytes,
                                                     treadle_memory *memory);
/* Arrays over it keep it alive; so does queued work, after which it is reused. */
TREADLE_C_API treadle_status treadle_memory_free(treadle_memory memory);
typedef struct treadle_memory_info {
  uint32_t struct_size;
  uint32_t kind;
  uint64_t bytes;
  uint64_t address;      /* for kernels, and for the host where it is visible */
  uint32_t host_visible; /* 1: the host can access it once the work that uses it has run */
  uint32_t reserved;
  treadle_device device;
} treadle_memory_info;
TREADLE_C_API treadle_status treadle_memory_get_info(treadle_memory memory, treadle_memory_info *info);
/* In the stream's order; offsets and sizes in bytes. `write` copies what the host memory contains at the call and
 * returns without waiting for a named stream; `read` returns when it is done. `copy` and `fill` return at once if a
 * stream is named, and overlapping pieces are copied as if through a temporary buffer. */
TREADLE_C_API treadle_status treadle_memory_write(treadle_memory memory, uint64_t offset, const void *from,
                                                  uint64_t bytes, treadle_stream stream);
TREADLE_C_API treadle_status treadle_memory_read(treadle_memory memory, uint64_t offset, void *to, uint64_t bytes,
                                                 treadle_stream stream);
TREADLE_C_API treadle_status treadle_memory_copy(treadle_memory to, uint64_t to_offset, treadle_memory from,
                                                 uint64_t from_offset, uint64_t bytes, treadle_stream stream);
TREADLE_C_API treadle_status treadle_memory_fill(treadle_memory memory, uint64_t offset, uint64_t bytes, uint8_t value,
                                                 treadle_stream stream);

/* ---- Arrays ---- */

/* An array as one plain struct: the C side of the CUDA Array Interface, which any library can write and read. Device
 * and element type codes are DLPack's. What a form of an array cannot express is rejected (TREADLE_ERROR_BUFFER):
 *
 *   to                          refused
 *   DLPack before 1.0           read-only memory; elements of less than 8 bits; what DLPack 1.x refuses
 *   DLPack 1.x                  strides of no whole elements; records, texts, dates
 *   this struct                 nothing
 *   from
 *   DLPack                      another major version; lanes; unknown types; more than 8 dimensions; devices not open
 *   this struct                 another major version; masks; descr; unknown typestr and code; as above
 *   both                        addresses that the device does not know; elements that are not aligned to their size
 *
 * Streams: work on an imported array runs after what its producer has queued on `stream`, and before what is queued
 * there later. An exported array may be used at once by work on the stream in the struct: the library has made that
 * stream wait for all others that use the array; with TREADLE_STREAM_NONE nothing is pending. */
enum {
  TREADLE_ARRAY_READ_ONLY = 1,
  TREADLE_ARRAY_HAS_DESCR = 2,
  TREADLE_ARRAY_HAS_MASK = 4,
  TREADLE_ARRAY_HAS_EVENT = 8,
  TREADLE_ARRAY_COPIED = 16,
  TREADLE_ARRAY_PADDED = 32, /* elements of less than 8 bits occupy a byte each */
  TREADLE_ARRAY_HAS_STRIDES = 64
};
enum { TREADLE_STREAM_NONE = 0, TREADLE_STREAM_LEGACY = 1, TREADLE_STREAM_THREAD = 2, TREADLE_STREAM_HANDLE = 3 };
enum { TREADLE_CODE_DESCR = 255 };

typedef struct treadle_array_desc {
  uint32_t abi_major, abi_minor; /* 1, 0: another major is refused, a larger minor is not */
  uint32_t struct_size;
  uint32_t flags; /* TREADLE_ARRAY_* */
  uint64_t data;  /* address of element [0, ..., 0]; 0 where there are no elements */
  int32_t device_type, device_id;
  uint8_t code, bits; /* of an element, as DLDataType; code 255: see typestr and descr */
  uint16_t lanes;
  uint32_t itemsize; /* bytes of an element; 0 on import: what the type has */
  int32_t ndim;
  int32_t stream_kind;         /* TREADLE_STREAM_NONE, LEGACY, THREAD or HANDLE */
  uint64_t stream, event;      /* native handles; 0 when unused */
  const int64_t *shape;        /* NULL only when ndim is 0 */
  const int64_t *byte_strides; /* NULL on import: C order without gaps */
  const char *typestr;         /* as NumPy's, "<f4"; may be NULL on import */
  const char *descr;           /* NULL, or fields in the syntax of PEP 3118 */
  const struct treadle_array_desc *mask;
  void *owner;                  /* NULL: the memory is borrowed for the call, or as long as both sides have agreed */
  void (*retain)(void *owner);  /* any thread, any time; a consumer that keeps the array calls it first */
  void (*release)(void *owner); /* once for each retain */
} treadle_array_desc;

/* A new array on the device. Read from `desc`: code, bits, lanes (or typestr where code is 255), ndim, shape, and
 * byte_strides with TREADLE_ARRAY_HAS_STRIDES; the rest is ignored. `stream`: the one that uses it first. */
TREADLE_C_API treadle_status treadle_array_create(treadle_device device, uint32_t memory_kind,
                                                  const treadle_array_desc *desc, treadle_stream stream,
                                                  treadle_array *array);
/* The same over memory, `offset` bytes after its beginning: TREADLE_ERROR_ARGUMENT if it is out of bounds. */
TREADLE_C_API treadle_status treadle_array_over(treadle_memory memory, uint64_t offset, const treadle_array_desc *desc,
                                                treadle_array *array);
/* An array of another library. Retains `owner`, if any, until the array is freed and work on it has run. */
TREADLE_C_API treadle_status treadle_array_import(const treadle_array_desc *desc, treadle_array *array);
/* Describes the array. `consumer`: NULL, or the stream whose work will use it, which is then the one in the struct.
 * Shape, strides and typestr belong to the array and stay until it is freed; a consumer that keeps it calls `retain`.
 * Memory of the host is waited for first. */
TREADLE_C_API treadle_status treadle_array_export(treadle_array array, treadle_stream consumer,
                                                  treadle_array_desc *desc);
TREADLE_C_API treadle_status treadle_array_free(treadle_array array);
/* Host memory in C order without gaps, of exactly the array's bytes; the rest as for treadle_memory_write and _read. */
TREADLE_C_API treadle_status treadle_array_write(treadle_array array, const void *from, uint64_t bytes,
                                                 treadle_stream stream);
TREADLE_C_API treadle_status treadle_array_read(treadle_array array, void *to, uint64_t bytes, treadle_stream stream);
/* Arrays of equal shapes and element types, on one device or on two. */
TREADLE_C_API treadle_status treadle_array_copy(treadle_array to, treadle_array from, treadle_stream stream);

/* DLPack's structs by their own names: dlpack.h may be included before or after this header, or not at all. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;
/* For programs without dlpack.h: the same layouts. */
typedef struct treadle_dl_tensor {
  void *data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides; /* strides in elements */
  uint64_t byte_offset;
} treadle_dl_tensor;
typedef struct treadle_dl_managed {
  treadle_dl_tensor tensor;
  void *context;
  void (*deleter)(struct treadle_dl_managed *self);
} treadle_dl_managed;
typedef struct treadle_dl_versioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(struct treadle_dl_versioned *self);
  uint64_t flags; /* 1 read-only, 2 copied, 4 padded */
  treadle_dl_tensor tensor;
} treadle_dl_versioned;

/* Takes the tensor over on success: its deleter is called once the array is freed and work on it has run. After an
 * error it is still the caller's. `producer`: the stream that its earlier work is on; NULL: the legacy default one. */
TREADLE_C_API treadle_status treadle_array_from_dlpack(struct DLManagedTensorVersioned *tensor, treadle_stream producer,
                                                       treadle_array *array);
TREADLE_C_API treadle_status treadle_array_from_dlpack_legacy(struct DLManagedTensor *tensor, treadle_stream producer,
                                                              treadle_array *array);
/* A tensor that keeps the memory alive until its deleter is called. `consumer`: the stream whose work will use it,
 * which is made to wait for all work on the array; NULL: the legacy default stream. Memory of the host is waited for.
 */
TREADLE_C_API treadle_status treadle_array_to_dlpack(treadle_array array, treadle_stream consumer,
                                                     struct DLManagedTensorVersioned **tensor);
TREADLE_C_API treadle_status treadle_array_to_dlpack_legacy(treadle_array array, treadle_stream consumer,
                                                            struct DLManagedTensor **tensor);

/* ---- Images and kernels ---- */

enum { TREADLE_FORMAT_ANY = 0, TREADLE_FORMAT_IMAGE = 1, TREADLE_FORMAT_PTX = 2, TREADLE_FORMAT_CUBIN = 3 };
typedef struct treadle_image_source {
  uint32_t struct_size;
  uint32_t format;  /* TREADLE_FORMAT_*; ANY: told by its first bytes */
  const void *data; /* the bytes, which are copied; NULL: read from `path` */
  uint64_t bytes;   /* of `data`. PTX need not be NUL-terminated */
  const char *path;
} treadle_image_source;
/* Loads code for the device: the best images of an image file, PTX, or a binary for that GPU.
 * TREADLE_ERROR_IMAGE names what the device lacks, if none fits. */
TREADLE_C_API treadle_status treadle_image_load(treadle_device device, const treadle_image_source *source,
                                                treadle_image *image);
/* Kernels obtained from it keep its code alive. */
TREADLE_C_API treadle_status treadle_image_free(treadle_image image);
/* NULL: the one kernel that an image file has. TREADLE_ERROR_NOT_FOUND. If the file has several images of the
 * kernel, a launch uses the first whose facts hold. */
TREADLE_C_API treadle_status treadle_image_kernel(treadle_image image, const char *name, treadle_kernel *kernel);
/* Queued launches run to completion. */
TREADLE_C_API treadle_status treadle_kernel_free(treadle_kernel kernel);

enum { TREADLE_KERNEL_RAW = 1, TREADLE_KERNEL_COOPERATIVE = 2 };
typedef struct treadle_kernel_info {
  uint32_t struct_size;
  uint32_t flags;      /* RAW: of PTX or a binary, whose parameters are unknown */
  uint32_t parameters; /* how many arguments a launch takes: items of tuples count one by one */
  uint32_t parameter_bytes;
  uint32_t shared_bytes; /* static ones of a block */
  uint32_t local_bytes;  /* of a thread */
  uint32_t registers;    /* of a thread; 0: not known */
  uint32_t max_threads;  /* of a block; 0: as many as the device's limit */
  const char *name;      /* these texts belong to the kernel */
  const char *signature; /* "(array(float32, 1d, C), int64) -> none"; "" where RAW */
  const char *target;    /* "sm_90", "cpu" with its features */
  const char *facts;     /* its assumptions on launches, separated by commas; "": none */
} treadle_kernel_info;
TREADLE_C_API treadle_status treadle_kernel_get_info(treadle_kernel kernel, treadle_kernel_info *info);

enum {
  TREADLE_PARAMETER_NONE = 0,
  TREADLE_PARAMETER_NUMBER = 1,
  TREADLE_PARAMETER_ARRAY = 2,
  TREADLE_PARAMETER_OPTIONAL = 3, /* a number, or TREADLE_ARGUMENT_NONE */
  TREADLE_PARAMETER_UNKNOWN = 4   /* of a type that C programs cannot pass: dates, texts, single records */
};
enum { TREADLE_LAYOUT_ANY = 0, TREADLE_LAYOUT_C = 1, TREADLE_LAYOUT_F = 2 };
typedef struct treadle_parameter_info {
  uint32_t struct_size;
  uint32_t kind;      /* TREADLE_PARAMETER_* */
  uint8_t code, bits; /* of the number, or of an element, as DLDataType */
  uint16_t lanes;
  int32_t ndim;
  uint32_t layout;  /* required of an array */
  uint32_t writes;  /* 1: the kernel may write to the array */
  const char *type; /* "array(float32, 1d, C)"; belongs to the kernel, as name does */
  const char *name; /* "out", for an item of a tuple "pair[0]"; "" if the file lacks it */
} treadle_parameter_info;
TREADLE_C_API treadle_status treadle_kernel_parameter(treadle_kernel kernel, uint32_t index,
                                                      treadle_parameter_info *info);

/* ---- Launches ---- */

enum {
  TREADLE_ARGUMENT_NONE = 0,
  TREADLE_ARGUMENT_ARRAY = 1,   /* value.array */
  TREADLE_ARGUMENT_INT = 2,     /* value.i64: for integers, where it must fit */
  TREADLE_ARGUMENT_UINT = 3,    /* value.u64: the same */
  TREADLE_ARGUMENT_FLOAT = 4,   /* value.f64: for floating-point numbers, rounded to them */
  TREADLE_ARGUMENT_COMPLEX = 5, /* value.c128: real, imaginary */
  TREADLE_ARGUMENT_BOOL = 6,    /* value.u64: 0 or 1 */
  TREADLE_ARGUMENT_RAW = 7      /* value.raw and `bytes`: only for kernels of PTX and binaries */
};
typedef struct treadle_argument {
  uint32_t kind;
  uint32_t bytes; /* RAW: of the parameter; otherwise 0 */
  union {
    treadle_array array;
    int64_t i64;
    uint64_t u64;
    double f64;
    double c128[2];
    struct {
      const void *data;   /* `bytes` bytes, read before the launch returns */
      uint64_t alignment; /* of the parameter; 0: the largest power of two up to 16 that divides `bytes` */
    } raw;
  } value;
} treadle_argument;

typedef struct treadle_launch_config {
  uint32_t struct_size;
  uint32_t argument_size; /* sizeof(treadle_argument) */
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t cluster[3];   /* all 0: none */
  uint32_t shared_bytes; /* dynamic ones of a block */
  treadle_stream stream;
} treadle_launch_config;

/* Queues the kernel. All arguments are checked before anything happens: their number, types and dimensions, that arrays
 * are on the kernel's device and writable where it writes (TREADLE_ERROR_TYPE, _ARGUMENT), and the image's
 * assumptions on launches (TREADLE_ERROR_FACT names the violated one). Arrays may be freed as soon as this returns.
 * Where the device runs the kernel at once, a check that fails in it is reported here (TREADLE_ERROR_KERNEL), otherwise
 * by the next call that waits.
 *
 * A raw kernel's parameters are laid out as in a C struct: arrays are their addresses, of 8 bytes, other kinds than
 * RAW and ARRAY are TREADLE_ERROR_TYPE, and read-only arrays are rejected. Sizes cannot be checked. What kernels print
 * goes to stdout. */
TREADLE_C_API treadle_status treadle_launch(treadle_kernel kernel, const treadle_launch_config *config,
                                            const treadle_argument *arguments, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif /* TREADLE_TREADLE_H */
