// What each native kernel computes, and where launches locate its arguments.
#include "fake_driver_test.h"

namespace fakecuda::testing {

class Kernels : public FakeDriver {};

TEST_F(Kernels, Fill) {
  const CUdeviceptr x = alloc(16);
  CU_OK(launch("fill", nullptr, x, 2.5f, 4u));
  EXPECT_EQ(readFloats(x, 4), (std::vector<float>{2.5f, 2.5f, 2.5f, 2.5f}));
}

TEST_F(Kernels, Copy) {
  const CUdeviceptr from = allocFilled({1, 2, 3}), to = alloc(12);
  CU_OK(launch("copy", nullptr, to, from, 3u));
  EXPECT_EQ(read(to, 3), (std::vector<int>{1, 2, 3}));
}

TEST_F(Kernels, Axpy) {
  const CUdeviceptr x = alloc(8), y = alloc(8);
  CU_OK(launch("fill", nullptr, x, 3.0f, 2u));
  CU_OK(launch("fill", nullptr, y, 1.0f, 2u));
  CU_OK(launch("axpy", nullptr, 2u, 2.0f, x, y));
  EXPECT_EQ(readFloats(y, 2), (std::vector<float>{7, 7}));
}

TEST_F(Kernels, Add) {
  const CUdeviceptr a = alloc(8), b = alloc(8), out = alloc(8);
  CU_OK(launch("fill", nullptr, a, 3.0f, 2u));
  CU_OK(launch("fill", nullptr, b, 4.0f, 2u));
  CU_OK(launch("add", nullptr, out, a, b, 2u));
  EXPECT_EQ(readFloats(out, 2), (std::vector<float>{7, 7}));
}

TEST_F(Kernels, Scale) {
  const CUdeviceptr x = alloc(8);
  CU_OK(launch("fill", nullptr, x, 3.0f, 2u));
  CU_OK(launch("scale", nullptr, x, 0.5f, 2u));
  EXPECT_EQ(readFloats(x, 2), (std::vector<float>{1.5f, 1.5f}));
}

TEST_F(Kernels, WriteFlag) {
  const CUdeviceptr flag = alloc(4);
  CU_OK(launch("write_flag", nullptr, flag, 17u));
  EXPECT_EQ(read(flag, 1), std::vector<int>{17});
}

TEST_F(Kernels, IncrementAndReadModifyWriteDoNotCommute) {
  const CUdeviceptr x = allocFilled({5, 6});
  CU_OK(launch("increment", nullptr, x, 2u));
  CU_OK(launch("read_modify_write", nullptr, x, 2u));
  EXPECT_EQ(read(x, 2), (std::vector<int>{13, 15}));
}

TEST_F(Kernels, Sum) {
  const CUdeviceptr x = alloc(16), out = alloc(4);
  CU_OK(launch("fill", nullptr, x, 1.5f, 4u));
  CU_OK(launch("sum", nullptr, out, x, 4u));
  EXPECT_EQ(readFloats(out, 1), std::vector<float>{6});
}

TEST_F(Kernels, Iota) {
  const CUdeviceptr x = alloc(12);
  CU_OK(launch("iota", nullptr, x, 3u));
  EXPECT_EQ(read(x, 3), (std::vector<int>{0, 1, 2}));
}

TEST_F(Kernels, WaitFlagRunsOnceAnotherStreamSetsIt) {
  const CUdeviceptr flag = allocFilled({0});
  const CUstream waiting = stream(CU_STREAM_NON_BLOCKING), setting = stream(CU_STREAM_NON_BLOCKING);
  CU_OK(launch("wait_flag", waiting, flag, 1u));
  CU_OK(launch("write_flag", setting, flag, 1u));
  CU_OK(cuStreamSynchronize(waiting));
  EXPECT_EQ(ran(), (std::vector<std::string>{"HtoD", "write_flag", "wait_flag"}));
}

TEST_F(Kernels, SlowOutlastsQueries) {
  CU_OK(launch("slow", nullptr, 3u));
  for (int query = 0; query < 5; ++query)
    EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuStreamQuery(nullptr), CUDA_SUCCESS);
}

TEST_F(Kernels, TrapLosesTheContext) {
  CU_OK(launch("trap", nullptr));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  CUdeviceptr pointer;
  EXPECT_EQ(cuMemAlloc_v2(&pointer, 4), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_STREQ(fakeCudaLostBy(), "trap on the legacy default stream");
  CU_OK(cuDevicePrimaryCtxReset_v2(0));
  CUcontext again;
  CU_OK(cuDevicePrimaryCtxRetain(&again, 0));
  CU_OK(cuMemAlloc_v2(&pointer, 4));
}

TEST_F(Kernels, ThreadsBeyondTheGridDoNothing) {
  const CUdeviceptr x = allocFilled({9, 9, 9});
  uint32_t count = 3;
  CUdeviceptr pointer = x;
  void *parameters[] = {&pointer, &count};
  CU_OK(cuLaunchKernel(function("iota"), 2, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(read(x, 3), (std::vector<int>{0, 1, 9}));
}

TEST_F(Kernels, MarkedEntriesNameWhereTheirArgumentsLie) {
  struct {
    uint64_t owner, data;
    uint32_t size, pad;
  } array = {0, alloc(8), 2, 0};
  float value = 4;
  void *parameters[] = {&array, &value};
  CU_OK(cuLaunchKernel(function("marked"), 1, 1, 1, 2, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(readFloats(array.data, 2), (std::vector<float>{4, 4}));
}

TEST_F(Kernels, ABufferServesAsParameters) {
  const CUdeviceptr x = alloc(8);
  struct {
    uint64_t out;
    float value;
    uint32_t n;
  } block = {x, 8, 2};
  size_t bytes = sizeof block;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  CU_OK(cuLaunchKernel(function("fill"), 1, 1, 1, 2, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_EQ(readFloats(x, 2), (std::vector<float>{8, 8}));
}

TEST_F(Kernels, ParametersAreReadAtTheCall) {
  const CUdeviceptr x = alloc(4);
  float value = 1;
  uint32_t count = 1;
  CUdeviceptr pointer = x;
  void *parameters[] = {&pointer, &value, &count};
  CU_OK(cuLaunchKernel(function("fill"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  value = 2;
  EXPECT_EQ(readFloats(x, 1), std::vector<float>{1});
}

TEST_F(Kernels, LibrariesGiveKernels) {
  CUlibrary library = nullptr;
  CU_OK(cuLibraryLoadData(&library, kernelsPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUkernel kernel = nullptr;
  EXPECT_EQ(cuLibraryGetKernel(&kernel, library, "missing"), CUDA_ERROR_NOT_FOUND);
  CU_OK(cuLibraryGetKernel(&kernel, library, "fill"));
  CUfunction found = nullptr;
  CU_OK(cuKernelGetFunction(&found, kernel));
  int bytes = -1;
  CU_OK(cuKernelGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, 0));
  EXPECT_EQ(bytes, 0);
  CUmodule owner = nullptr, same = nullptr;
  CU_OK(cuFuncGetModule(&owner, found));
  CU_OK(cuLibraryGetModule(&same, library));
  EXPECT_EQ(owner, same);
  CUdeviceptr pointer = alloc(4);
  float value = 3;
  unsigned count = 1;
  void *parameters[] = {&pointer, &value, &count};
  CU_OK(cuLaunchKernel(found, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(readFloats(pointer, 1), std::vector<float>{3});
  CU_OK(cuLibraryUnload(library));
  EXPECT_EQ(cuKernelGetFunction(&found, kernel), CUDA_ERROR_INVALID_HANDLE);
  expectBroken("use-after-destroy");
}

TEST_F(Kernels, FunctionsKnowTheirAttributes) {
  int value;
  CU_OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function("marked")));
  EXPECT_EQ(value, 1024);
  CU_OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function("marked")));
  EXPECT_EQ(value, 64);
  CU_OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, function("fill")));
  EXPECT_EQ(value, 80);
}

} // namespace fakecuda::testing
