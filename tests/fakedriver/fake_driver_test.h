// Shared by the stand-in's tests: a driver that records instead of aborting, kernels, shorthands for calls.
#pragma once

#include "fake_driver.h"

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace fakecuda::testing {

/// One entry per native kernel.
extern const char *const kernelsPtx;

#define CU_OK(call) ASSERT_EQ((call), CUDA_SUCCESS)

class FakeDriver : public ::testing::Test {
protected:
  void SetUp() override {
    start([](FakeCudaConfig &) {});
  }
  /// Fails on any violation that the test does not expect.
  void TearDown() override;

  /// Resets the driver and makes device 0's primary context current.
  void start(const std::function<void(FakeCudaConfig &)> &configure);
  CUcontext retain(int device);
  CUdeviceptr alloc(size_t bytes);
  CUdeviceptr allocFilled(std::initializer_list<int> values);
  float *pinned(size_t floats);
  CUstream stream(unsigned flags = CU_STREAM_DEFAULT);
  CUevent event(unsigned flags = CU_EVENT_DISABLE_TIMING);
  CUfunction function(const char *name);
  /// On one block of 32 threads. Each argument has exactly the bytes of its parameter.
  template <class... Arguments> CUresult launch(const char *name, CUstream on, Arguments... arguments) {
    void *pointers[] = {&arguments..., nullptr};
    return cuLaunchKernel(function(name), 1, 1, 1, 32, 1, 1, 0, on, pointers, nullptr);
  }
  std::vector<int> read(CUdeviceptr from, size_t count);
  std::vector<float> readFloats(CUdeviceptr from, size_t count);

  /// Expects one violation of this rule and no other; clears it.
  void expectBroken(const std::string &rule);
  void expectNothingBroken();
  /// What has run so far.
  static std::vector<std::string> ran();

  CUcontext context = nullptr;

private:
  CUmodule module = nullptr;
};

/// Runs the function in a new process of this program, in which the calling test starts again and reaches this call;
/// limited to 20 s. Returns its exit code, -1 on timeout, 1000 plus the signal if one ended it. `errors` receives its
/// stderr.
int runInNewProcess(const std::function<void()> &function, std::string &errors);
/// The same in a fork, which inherits the state of this process.
int runForked(const std::function<void()> &function, std::string &errors);

} // namespace fakecuda::testing
