// The least that a launch through the CUDA driver costs: a loop in C over the calls that Treadle makes for each.
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef struct {
  unsigned grid[3], block[3], sharedBytes;
  void *stream, *attributes;
  unsigned attributeCount;
} LaunchConfig;

static int (*ctxGetCurrent)(void **context);
static int (*launchKernelEx)(const LaunchConfig *config, void *function, void **parameters, void **extra);
static int (*ctxSynchronize)(void);
static void *kernel;
static volatile int failed;

static int openDriver(void **library) {
  int (*init)(unsigned), (*retain)(void **, int), (*setCurrent)(void *);
  void *context;
  int result;
  *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!*library)
    return -1;
  *(void **)&init = dlsym(*library, "cuInit");
  *(void **)&retain = dlsym(*library, "cuDevicePrimaryCtxRetain");
  *(void **)&setCurrent = dlsym(*library, "cuCtxSetCurrent");
  *(void **)&ctxGetCurrent = dlsym(*library, "cuCtxGetCurrent");
  *(void **)&launchKernelEx = dlsym(*library, "cuLaunchKernelEx");
  *(void **)&ctxSynchronize = dlsym(*library, "cuCtxSynchronize");
  if ((result = init(0)) || (result = retain(&context, 0)))
    return result;
  return setCurrent(context);
}

// 0, or the driver's result; -1: there is no driver. The entry takes `parameters` bytes of any kind.
int launch_loop_open(const char *ptx, const char *entry) {
  int (*load)(void **, const void *), (*find)(void **, void *, const char *);
  void *library, *module;
  int result = openDriver(&library);
  if (result)
    return result;
  *(void **)&load = dlsym(library, "cuModuleLoadData");
  *(void **)&find = dlsym(library, "cuModuleGetFunction");
  if ((result = load(&module, ptx)))
    return result;
  return find(&kernel, module, entry);
}

// Makes `count` launches of one warp with a block of so many bytes of parameters.
int launch_loop_run(unsigned count, size_t bytes) {
  static char block[4096];
  void *extra[] = {(void *)1, block, (void *)2, &bytes, NULL};
  for (unsigned i = 0; i < count; ++i) {
    void *context;
    LaunchConfig config = {{1, 1, 1}, {32, 1, 1}, 0, NULL, NULL, 0};
    failed |= ctxGetCurrent(&context);
    failed |= launchKernelEx(&config, kernel, NULL, bytes ? extra : NULL);
  }
  return failed;
}

int launch_loop_wait(void) { return ctxSynchronize(); }
