// Memory pools: what they count, whose kernels may use their memory.
#include "fake_driver_test.h"

namespace fakecuda::testing {

class Pools : public FakeDriver {
protected:
  static CUmemPoolProps onDevice(int device) {
    CUmemPoolProps properties = {};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    return properties;
  }
  static CUmemoryPool create(const CUmemPoolProps &properties) {
    CUmemoryPool pool = nullptr;
    EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_SUCCESS);
    return pool;
  }
  static CUmemoryPool current() {
    CUmemoryPool pool = nullptr;
    EXPECT_EQ(cuDeviceGetMemPool(&pool, 0), CUDA_SUCCESS);
    return pool;
  }
  static CUmemoryPool initial() {
    CUmemoryPool pool = nullptr;
    EXPECT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
    return pool;
  }
  static uint64_t of(CUmemoryPool pool, CUmemPool_attribute attribute) {
    uint64_t value = ~uint64_t{0};
    EXPECT_EQ(cuMemPoolGetAttribute(pool, attribute, &value), CUDA_SUCCESS);
    return value;
  }
  static CUdeviceptr take(CUmemoryPool pool, size_t bytes) {
    CUdeviceptr pointer = 0;
    EXPECT_EQ(cuMemAllocFromPoolAsync(&pointer, bytes, pool, nullptr), CUDA_SUCCESS);
    return pointer;
  }
};

TEST_F(Pools, TheDefaultPool) {
  EXPECT_EQ(current(), initial());
  EXPECT_EQ(fakeCudaLiveCount("pool"), 0u) << "nobody made it";
  EXPECT_EQ(cuMemPoolDestroy(initial()), CUDA_ERROR_INVALID_VALUE);
  expectBroken("wrong-kind");
  CUmemoryPool pool;
  EXPECT_EQ(cuDeviceGetMemPool(&pool, 1), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Pools, TheCurrentPoolOfADevice) {
  const CUmemoryPool own = create(onDevice(0));
  EXPECT_EQ(fakeCudaLiveCount("pool"), 1u);
  CU_OK(cuDeviceSetMemPool(0, own));
  EXPECT_EQ(current(), own);
  CUdeviceptr pointer;
  CU_OK(cuMemAllocAsync(&pointer, 100, nullptr));
  EXPECT_EQ(of(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 100u);
  CUmemoryPool told = nullptr;
  CU_OK(cuPointerGetAttribute(&told, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, pointer));
  EXPECT_EQ(told, own);
  CU_OK(cuMemPoolDestroy(own));
  EXPECT_EQ(current(), initial()) << "a destroyed pool is no one's current one";
  CU_OK(cuMemFreeAsync(pointer, nullptr));
  CU_OK(cuCtxSynchronize());
  EXPECT_EQ(cuMemPoolTrimTo(own, 0), CUDA_ERROR_INVALID_VALUE);
  expectBroken("use-after-destroy");
}

TEST_F(Pools, WhatTheyCount) {
  const CUmemoryPool pool = create(onDevice(0));
  uint64_t threshold = 150;
  CU_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  const CUdeviceptr one = take(pool, 100), two = take(pool, 200);
  EXPECT_EQ(of(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 300u);
  CU_OK(cuMemFreeAsync(two, nullptr));
  EXPECT_EQ(of(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 300u) << "the free has not run";
  fakeCudaStep(100);
  EXPECT_EQ(of(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 100u);
  EXPECT_EQ(of(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 300u);
  EXPECT_EQ(of(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 300u);
  CU_OK(cuCtxSynchronize());
  EXPECT_EQ(of(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 150u) << "waiting gives back what is beyond the threshold";
  CU_OK(cuMemPoolTrimTo(pool, 0));
  EXPECT_EQ(of(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 100u);
  uint64_t zero = 0;
  CU_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero));
  EXPECT_EQ(of(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 100u);
  CU_OK(cuMemFreeAsync(one, nullptr));
}

TEST_F(Pools, WhatCannotBeSet) {
  uint64_t value = 5;
  for (const CUmemPool_attribute attribute : {CU_MEMPOOL_ATTR_USED_MEM_HIGH, CU_MEMPOOL_ATTR_USED_MEM_CURRENT}) {
    EXPECT_EQ(cuMemPoolSetAttribute(current(), attribute, &value), CUDA_ERROR_INVALID_VALUE);
    expectBroken("invalid-argument");
  }
  int off = 0, is = 1;
  CU_OK(cuMemPoolSetAttribute(current(), CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &off));
  CU_OK(cuMemPoolGetAttribute(current(), CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &is));
  EXPECT_EQ(is, 0);
}

TEST_F(Pools, TheirLargestSize) {
  CUmemPoolProps properties = onDevice(0);
  properties.maxSize = 1000;
  const CUmemoryPool pool = create(properties);
  const CUdeviceptr most = take(pool, 900);
  CUdeviceptr pointer;
  EXPECT_EQ(cuMemAllocFromPoolAsync(&pointer, 101, pool, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
  CU_OK(cuMemFreeAsync(most, nullptr));
  CU_OK(cuCtxSynchronize());
  CU_OK(cuMemAllocFromPoolAsync(&pointer, 1000, pool, nullptr));
}

TEST_F(Pools, Properties) {
  CUmemoryPool pool;
  CUmemPoolProps properties = onDevice(0);
  properties.reserved[7] = 1;
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
  properties = onDevice(3);
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_DEVICE);
  properties = onDevice(0);
  properties.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_NOT_SUPPORTED);
}

class PoolsOfTwoDevices : public Pools {
protected:
  void SetUp() override {
    start([](FakeCudaConfig &config) { config.deviceCount = 2; });
  }
};

TEST_F(PoolsOfTwoDevices, ADeviceHasItsOwnPools) {
  const CUmemoryPool other = create(onDevice(1));
  EXPECT_EQ(cuDeviceSetMemPool(0, other), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
}

TEST_F(PoolsOfTwoDevices, AccessIsThePoolsMatter) {
  const CUmemoryPool pool = create(onDevice(0));
  const CUdeviceptr pointer = take(pool, 128);
  CU_OK(cuMemsetD32_v2(pointer, 1, 32));
  CU_OK(cuCtxSynchronize());
  const CUcontext first = context;
  retain(1);
  CUmodule module;
  CUfunction kernel;
  CU_OK(cuModuleLoadData(&module, kernelsPtx));
  CU_OK(cuModuleGetFunction(&kernel, module, "increment"));
  CUdeviceptr x = pointer;
  uint32_t count = 32;
  void *parameters[] = {&x, &count};
  const auto use = [&] {
    EXPECT_EQ(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr), CUDA_SUCCESS);
    return cuCtxSynchronize();
  };
  CUmemLocation second = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
  CUmemAccess_flags flags;
  CU_OK(cuMemPoolGetAccess(&flags, pool, &second));
  EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
  CUmemAccessDesc access = {second, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CU_OK(cuMemPoolSetAccess(pool, &access, 1));
  CU_OK(cuMemPoolGetAccess(&flags, pool, &second));
  EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CU_OK(use());
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  CU_OK(cuMemPoolSetAccess(pool, &access, 1));
  CU_OK(cuCtxEnablePeerAccess(first, 0));
  EXPECT_EQ(use(), CUDA_ERROR_ILLEGAL_ADDRESS) << "peer access does not open pools";
  expectBroken("peer-access");
}

} // namespace fakecuda::testing
