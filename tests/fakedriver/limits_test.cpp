// Limits of devices and functions: shared memory, blocks, registers, clusters.
#include "fake_driver_test.h"

namespace fakecuda::testing {

class LimitsOf : public FakeDriver {
protected:
  void startWith(int capability) {
    start([&](FakeCudaConfig &config) { config.computeCapability = capability; });
  }
  static int device(CUdevice_attribute attribute) {
    int value = -1;
    EXPECT_EQ(cuDeviceGetAttribute(&value, attribute, 0), CUDA_SUCCESS);
    return value;
  }
  static int of(CUfunction function, CUfunction_attribute attribute) {
    int value = -1;
    EXPECT_EQ(cuFuncGetAttribute(&value, attribute, function), CUDA_SUCCESS);
    return value;
  }
  CUfunction load(const std::string &entry, const char *name = "f") {
    const std::string text = ".version 7.8\n.target sm_75\n.address_size 64\n" + entry;
    CUmodule module;
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    return function;
  }
  static int blocksOf(CUfunction function, int blockSize, size_t shared = 0) {
    int blocks = -1;
    EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, blockSize, shared), CUDA_SUCCESS);
    return blocks;
  }
};

constexpr int kib = 1024;
const std::string plain = ".visible .entry f() { ret; }";
/// With 1000 static bytes of shared memory.
const std::string sharing = ".visible .entry f() { .shared .align 4 .b8 s[1000]; .reg .b32 %r<2>; ld.shared.u32 %r1, "
                            "[s]; ret; }";

TEST_F(LimitsOf, EachCapability) {
  struct {
    int capability, optIn, shared, threads, blocks;
  } const known[] = {{75, 64, 64, 1024, 16},    {80, 163, 164, 2048, 32},  {86, 99, 100, 1536, 16},
                     {87, 163, 164, 1536, 16},  {89, 99, 100, 1536, 24},   {90, 227, 228, 2048, 32},
                     {100, 227, 228, 2048, 32}, {103, 227, 228, 2048, 32}, {120, 99, 100, 1536, 24}};
  for (const auto &each : known) {
    SCOPED_TRACE(each.capability);
    startWith(each.capability);
    EXPECT_EQ(device(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), each.optIn * kib);
    EXPECT_EQ(device(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR), each.shared * kib);
    EXPECT_EQ(device(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR), each.threads);
    EXPECT_EQ(device(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR), each.blocks);
    EXPECT_EQ(device(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH), each.capability >= 90);

    const CUfunction function = load(sharing);
    const auto most = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    EXPECT_EQ(of(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 1000);
    EXPECT_EQ(of(function, most), 48 * kib - 1000);
    EXPECT_EQ(cuFuncSetAttribute(function, most, each.optIn * kib - 999), CUDA_ERROR_INVALID_VALUE);
    CU_OK(cuFuncSetAttribute(function, most, each.optIn * kib - 1000));
    EXPECT_EQ(of(function, most), each.optIn * kib - 1000);
  }
}

TEST_F(LimitsOf, Multiprocessors) {
  start([](FakeCudaConfig &config) { config.multiprocessors = 7; });
  EXPECT_EQ(device(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 7);
  const CUfunction kernel = function("empty");
  const auto resident = static_cast<unsigned>(blocksOf(kernel, 256) * 7);
  CU_OK(cuLaunchCooperativeKernel(kernel, resident, 1, 1, 256, 1, 1, 0, nullptr, nullptr));
  EXPECT_EQ(cuLaunchCooperativeKernel(kernel, resident + 1, 1, 1, 256, 1, 1, 0, nullptr, nullptr),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  expectBroken("launch-limits");
}

TEST_F(LimitsOf, SharedMemoryBeyondTheOptIn) {
  const CUfunction function = load(sharing);
  const auto launch = [&](unsigned shared) {
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, shared, nullptr, nullptr, nullptr);
  };
  EXPECT_EQ(launch(48 * kib - 999), CUDA_ERROR_INVALID_VALUE);
  expectBroken("launch-limits");
  CU_OK(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60 * kib));
  EXPECT_EQ(launch(60 * kib + 1), CUDA_ERROR_INVALID_VALUE);
  expectBroken("launch-limits");
}

TEST_F(LimitsOf, StaticSharedMemoryIsRefusedByTheAssembler) {
  CUmodule module;
  char log[200] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  const char *text =
      ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry f() { .shared .b8 s[49153]; ret; }";
  EXPECT_EQ(cuModuleLoadDataEx(&module, text, 2, options, values), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::string(log).find("too much shared data"), std::string::npos) << log;
}

TEST_F(LimitsOf, Registers) {
  EXPECT_EQ(of(load(plain), CU_FUNC_ATTRIBUTE_NUM_REGS), 16);
  const std::string large = "{ .reg .b64 %rd<2000>; mov.b64 %rd1, 1; ret; }";
  EXPECT_EQ(of(load(".visible .entry f() " + large), CU_FUNC_ATTRIBUTE_NUM_REGS), 64) << "1024 threads must fit";
  EXPECT_EQ(of(load(".visible .entry f() .maxntid 128 " + large), CU_FUNC_ATTRIBUTE_NUM_REGS), 255);
  EXPECT_EQ(of(load(".visible .entry f() .maxntid 512 " + large), CU_FUNC_ATTRIBUTE_NUM_REGS), 128);
  const CUfunction few = load(".visible .entry f() .maxntid 128 .maxnreg 40 " + large);
  EXPECT_EQ(of(few, CU_FUNC_ATTRIBUTE_NUM_REGS), 40);
  EXPECT_EQ(of(few, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 128);
  EXPECT_EQ(blocksOf(few, 128), 65536 / (40 * 128));
}

TEST_F(LimitsOf, LocalMemory) {
  EXPECT_EQ(of(load(plain), CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), 0);
  const CUfunction function = load(R"(
.func (.param .b32 r) callee() { .local .align 16 .b8 depot[20]; st.param.b32 [r], 0; ret; }
.func unused() { .local .b8 other[400]; ret; }
.visible .entry f() { .local .align 4 .b8 depot[100]; .param .b32 r; call (r), callee; ret; })");
  EXPECT_EQ(of(function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), 120);
}

TEST_F(LimitsOf, ResidentBlocks) {
  startWith(90);
  const CUfunction function = load(plain);
  EXPECT_EQ(blocksOf(function, 32), 32) << "blocks of a multiprocessor";
  EXPECT_EQ(blocksOf(function, 1), 32) << "a warp is whole";
  EXPECT_EQ(blocksOf(function, 1024), 2) << "threads of a multiprocessor";
  EXPECT_EQ(blocksOf(function, 33), 32);
  EXPECT_EQ(blocksOf(function, 32, 75 * kib), 3) << "each block costs one KiB more";
  EXPECT_EQ(blocksOf(function, 32, 76 * kib), 2);
  EXPECT_EQ(blocksOf(function, 32, 228 * kib), 0);
  EXPECT_EQ(blocksOf(function, 1025), 0);
}

size_t sharedOf(int threads) { return static_cast<size_t>(threads) * 1024; }

TEST_F(LimitsOf, OccupancyQuestions) {
  startWith(90);
  const CUfunction function = load(plain);
  CU_OK(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 * kib));
  int grid = 0, block = 0;
  CU_OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, nullptr, 0, 0));
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 8);
  CU_OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, nullptr, 0, 100));
  EXPECT_EQ(block, 64) << "32 blocks of 64 fill the multiprocessor, those of 100 do not";
  CU_OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, sharedOf, 0, 0));
  EXPECT_EQ(block, 224);
  size_t bytes = 0;
  CU_OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 2, 128));
  EXPECT_EQ(bytes, size_t{113 * kib});
  EXPECT_EQ(blocksOf(function, 128, bytes), 2);
  EXPECT_EQ(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 0, 128), CUDA_ERROR_INVALID_VALUE);
}

class Clusters : public LimitsOf {
protected:
  void SetUp() override { startWith(90); }
  CUresult launch(CUfunction function, unsigned grid, unsigned cluster) {
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {cluster, 1, 1};
    const CUlaunchConfig config = {grid, 1, 1, 32, 1, 1, 0, nullptr, &attribute, 1};
    return cuLaunchKernelEx(&config, function, nullptr, nullptr);
  }
  CUlaunchAttribute attribute = {};
};

TEST_F(Clusters, Sizes) {
  const CUfunction function = load(plain);
  CU_OK(launch(function, 16, 8));
  for (const auto [grid, cluster] : {std::pair{32u, 16u}, {12u, 8u}, {4u, 0u}}) {
    EXPECT_EQ(launch(function, grid, cluster), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    expectBroken("launch-limits");
  }
  CU_OK(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  CU_OK(launch(function, 32, 16));
  EXPECT_EQ(launch(function, 32, 32), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  expectBroken("launch-limits");
}

TEST_F(Clusters, SizesThatTheTextRequires) {
  const CUfunction function = load(".visible .entry f() .reqnctapercluster 4, 1, 1 { ret; }");
  EXPECT_EQ(of(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH), 4);
  EXPECT_EQ(of(function, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET), 1);
  CU_OK(launch(function, 16, 4));
  EXPECT_EQ(launch(function, 16, 2), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  expectBroken("launch-limits");
}

TEST_F(Clusters, ThatAreResident) {
  const CUfunction function = load(plain);
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {4, 1, 1};
  const CUlaunchConfig config = {16, 1, 1, 1024, 1, 1, 0, nullptr, &attribute, 1};
  int clusters = -1;
  CU_OK(cuOccupancyMaxActiveClusters(&clusters, function, &config));
  EXPECT_EQ(clusters, 2);
}

TEST_F(Clusters, OtherAttributesOfLaunches) {
  const CUfunction function = load(plain);
  attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  const CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, nullptr, &attribute, 1};
  attribute.value.priority = -5;
  CU_OK(cuLaunchKernelEx(&config, function, nullptr, nullptr));
  attribute.value.priority = -6;
  EXPECT_EQ(cuLaunchKernelEx(&config, function, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
  attribute.id = static_cast<CUlaunchAttributeID>(99);
  EXPECT_EQ(cuLaunchKernelEx(&config, function, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
  attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  const CUlaunchConfig large = {10000, 1, 1, 1, 1, 1, 0, nullptr, &attribute, 1};
  EXPECT_EQ(cuLaunchKernelEx(&large, function, nullptr, nullptr), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  expectBroken("launch-limits");
}

} // namespace fakecuda::testing
