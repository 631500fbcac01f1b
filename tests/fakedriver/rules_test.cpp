// A violation of each rule about contexts, handles, arguments and kernels, which must be detected.
#include "fake_driver_test.h"

#include <thread>

namespace fakecuda::testing {

class Rules : public FakeDriver {};

TEST_F(Rules, NotInitialized) {
  FakeCudaConfig config;
  fakeCudaDefaults(&config);
  config.abortOnViolation = 0;
  fakeCudaReset(&config);
  int count;
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  expectBroken("not-initialized");
}

TEST_F(Rules, NoContext) {
  std::thread([] {
    CUdeviceptr pointer;
    EXPECT_EQ(cuMemAlloc_v2(&pointer, 4), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
  expectBroken("no-context");
}

TEST_F(Rules, ContextStack) {
  CU_OK(cuCtxPopCurrent_v2(nullptr));
  EXPECT_EQ(cuCtxPopCurrent_v2(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  expectBroken("context-stack");
}

TEST_F(Rules, ContextDestroyed) {
  CU_OK(cuDevicePrimaryCtxReset_v2(0));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  expectBroken("context-destroyed");
}

TEST_F(Rules, ContextDestroyedWhenMadeCurrent) {
  CUcontext own;
  CU_OK(cuCtxCreate_v2(&own, 0, 0));
  CU_OK(cuCtxDestroy_v2(own));
  EXPECT_NE(cuCtxSetCurrent(own), CUDA_SUCCESS);
  expectBroken("context-destroyed");
}

TEST_F(Rules, ContextMismatchOfAStream) {
  const CUstream other = stream();
  CUcontext own;
  CU_OK(cuCtxCreate_v2(&own, 0, 0));
  EXPECT_EQ(cuStreamSynchronize(other), CUDA_ERROR_INVALID_HANDLE);
  expectBroken("context-mismatch");
}

TEST_F(Rules, ContextMismatchOfAnEvent) {
  const CUevent other = event();
  CUcontext own;
  CU_OK(cuCtxCreate_v2(&own, 0, 0));
  EXPECT_EQ(cuEventRecord(other, nullptr), CUDA_ERROR_INVALID_HANDLE);
  expectBroken("context-mismatch");
}

TEST_F(Rules, ContextMismatchOfAFunction) {
  function("empty");
  CUcontext own;
  CU_OK(cuCtxCreate_v2(&own, 0, 0));
  EXPECT_EQ(launch("empty", nullptr), CUDA_ERROR_INVALID_HANDLE);
  expectBroken("context-mismatch");
}

TEST_F(Rules, InvalidArgument) {
  EXPECT_EQ(cuStreamCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
}

TEST_F(Rules, InvalidHandle) {
  EXPECT_EQ(cuStreamSynchronize(reinterpret_cast<CUstream>(0x1234)), CUDA_ERROR_INVALID_HANDLE);
  expectBroken("invalid-handle");
}

TEST_F(Rules, WrongKind) {
  EXPECT_EQ(cuStreamSynchronize(reinterpret_cast<CUstream>(event())), CUDA_ERROR_INVALID_HANDLE);
  expectBroken("wrong-kind");
}

TEST_F(Rules, UseAfterDestroyOfAStream) {
  const CUstream gone = stream();
  CU_OK(cuStreamDestroy_v2(gone));
  EXPECT_EQ(cuStreamQuery(gone), CUDA_ERROR_INVALID_HANDLE);
  expectBroken("use-after-destroy");
}

TEST_F(Rules, UseAfterDestroyOfAFunctionWhoseModuleIsUnloaded) {
  CUmodule module;
  CUfunction gone;
  CU_OK(cuModuleLoadData(&module, kernelsPtx));
  CU_OK(cuModuleGetFunction(&gone, module, "empty"));
  CU_OK(cuModuleUnload(module));
  EXPECT_EQ(cuLaunchKernel(gone, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
  expectBroken("use-after-destroy");
}

TEST_F(Rules, UseAfterDestroyOfWhatAResetEnded) {
  const CUevent gone = event();
  CU_OK(cuDevicePrimaryCtxReset_v2(0));
  EXPECT_EQ(retain(0), context) << "a primary context keeps its handle";
  EXPECT_EQ(cuEventQuery(gone), CUDA_ERROR_INVALID_HANDLE);
  expectBroken("use-after-destroy");
}

TEST_F(Rules, DoubleDestroy) {
  const CUevent gone = event();
  CU_OK(cuEventDestroy_v2(gone));
  EXPECT_EQ(cuEventDestroy_v2(gone), CUDA_ERROR_INVALID_HANDLE);
  expectBroken("double-destroy");
}

TEST_F(Rules, DoubleDestroyOfAPrimaryContext) {
  CU_OK(cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
  expectBroken("double-destroy");
}

TEST_F(Rules, ParameterBlockWithTooFewParameters) {
  CUdeviceptr x = alloc(4);
  void *parameters[3] = {&x, nullptr, nullptr};
  EXPECT_EQ(cuLaunchKernel(function("fill"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  expectBroken("parameter-block");
}

TEST_F(Rules, ParameterBlockThatIsMissing) {
  EXPECT_EQ(cuLaunchKernel(function("slow"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  expectBroken("parameter-block");
}

TEST_F(Rules, ParameterBlockThatCannotBeRead) {
  void *parameters[] = {reinterpret_cast<void *>(alloc(4))};
  EXPECT_EQ(cuLaunchKernel(function("slow"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  expectBroken("parameter-block");
}

TEST_F(Rules, ParameterBlockOfTheWrongSize) {
  for (size_t bytes : {size_t{12}, size_t{20}, size_t{24}}) {
    char block[32] = {};
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    EXPECT_EQ(cuLaunchKernel(function("fill"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
    expectBroken("parameter-block");
  }
}

TEST_F(Rules, ParameterBlockGivenTwice) {
  uint32_t queries = 0;
  size_t bytes = 4;
  void *parameters[] = {&queries};
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &queries, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  EXPECT_EQ(cuLaunchKernel(function("slow"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, extra),
            CUDA_ERROR_INVALID_VALUE);
  expectBroken("parameter-block");
}

TEST_F(Rules, KernelSignature) {
  CUmodule module;
  CUfunction wrong;
  CU_OK(cuModuleLoadData(&module,
                         ".version 8.0\n.target sm_80\n.entry fill(.param .u64 out, .param .f64 value) { ret; }"));
  CU_OK(cuModuleGetFunction(&wrong, module, "fill"));
  expectBroken("kernel-signature");
}

TEST_F(Rules, LaunchLimits) {
  struct {
    const char *kernel;
    unsigned gridX, gridY, blockX, blockZ, shared;
  } const wrong[] = {
      {"empty", 0, 1, 1, 1, 0},   {"empty", 1, 65536, 1, 1, 0}, {"empty", 1, 1, 1025, 1, 0}, {"empty", 1, 1, 1, 65, 0},
      {"empty", 1, 1, 32, 64, 0}, {"empty", 1, 1, 1, 1, 49153}, {"exact", 1, 1, 32, 1, 0},
  };
  for (const auto &shape : wrong) {
    EXPECT_EQ(cuLaunchKernel(function(shape.kernel), shape.gridX, shape.gridY, 1, shape.blockX, 1, shape.blockZ,
                             shape.shared, nullptr, nullptr, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    expectBroken("launch-limits");
  }
}

TEST_F(Rules, LaunchLimitsOfMaxntid) {
  char array[24] = {};
  float value = 0;
  void *parameters[] = {array, &value};
  EXPECT_EQ(cuLaunchKernel(function("marked"), 1, 1, 1, 65, 1, 1, 0, nullptr, parameters, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  expectBroken("launch-limits");
}

TEST_F(Rules, MoreSharedMemoryIsAskedForFirst) {
  const CUfunction kernel = function("empty");
  CU_OK(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 64 << 10));
  CU_OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 64 << 10, nullptr, nullptr, nullptr));
}

TEST_F(Rules, LaunchLimitsOfACooperativeLaunch) {
  EXPECT_EQ(cuLaunchCooperativeKernel(function("empty"), 1000, 1, 1, 1024, 1, 1, 0, nullptr, nullptr),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  expectBroken("launch-limits");
}

TEST_F(Rules, LaunchLimitsOfClusters) {
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {2, 1, 1};
  const CUlaunchConfig config = {4, 1, 1, 1, 1, 1, 0, nullptr, &attribute, 1};
  EXPECT_EQ(cuLaunchKernelEx(&config, function("empty"), nullptr, nullptr), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  expectBroken("launch-limits");
}

TEST_F(Rules, EventMisuse) {
  float milliseconds;
  const CUevent untimed = event(), timed = event(CU_EVENT_DEFAULT);
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, timed, timed), CUDA_ERROR_INVALID_HANDLE);
  expectBroken("event-misuse");
  CU_OK(cuEventRecord(untimed, nullptr));
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, untimed, untimed), CUDA_ERROR_INVALID_HANDLE);
  expectBroken("event-misuse");
}

TEST_F(Rules, CallAfterDeviceLostIsOptional) {
  CU_OK(launch("trap", nullptr));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  expectNothingBroken();
  ASSERT_TRUE(fakeCudaSetRule("call-after-device-lost", 1));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  expectBroken("call-after-device-lost");
}

TEST_F(Rules, ASwitchedOffRuleLeavesTheResult) {
  ASSERT_TRUE(fakeCudaSetRule("invalid-handle", 0));
  EXPECT_EQ(cuStreamSynchronize(reinterpret_cast<CUstream>(0x1234)), CUDA_ERROR_INVALID_HANDLE);
  expectNothingBroken();
  EXPECT_FALSE(fakeCudaSetRule("no-such-rule", 0));
}

TEST_F(Rules, HangOfAFlagThatNobodySets) {
  start([](FakeCudaConfig &config) { config.hangMs = 50; });
  const CUdeviceptr flag = allocFilled({0});
  CU_OK(launch("wait_flag", nullptr, flag, 1u));
  cuCtxSynchronize();
  expectBroken("hang");
}

} // namespace fakecuda::testing
