// Shared by the stand-in's tests.
#include "fake_driver_test.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fakecuda::testing {

const char *const kernelsPtx = R"(
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .b8 table[64];
.visible .entry fill(.param .u64 out, .param .f32 value, .param .u32 n) { ret; }
.visible .entry copy(.param .u64 out, .param .u64 in, .param .u32 n) { ret; }
.visible .entry axpy(.param .u32 n, .param .f32 a, .param .u64 .ptr .global .align 4 x, .param .u64 y) { ret; }
.visible .entry add(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n) { ret; }
.visible .entry scale(.param .u64 x, .param .f32 factor, .param .u32 n) { ret; }
.visible .entry write_flag(.param .u64 flag, .param .u32 value) { ret; }
.visible .entry wait_flag(.param .u64 flag, .param .u32 value) { ret; }
.visible .entry increment(.param .u64 x, .param .u32 n) { ret; }
.visible .entry sum(.param .u64 out, .param .u64 in, .param .u32 n) { ret; }
.visible .entry iota(.param .u64 out, .param .u32 n) { ret; }
.visible .entry read_modify_write(.param .u64 x, .param .u32 n) { ret; }
.visible .entry slow(.param .u32 queries) { ret; }
.visible .entry empty() { ret; }
.visible .entry trap() { ret; }
// fake: fill 0+8 1 0+16
.visible .entry marked(.param .align 8 .b8 array[24], .param .f32 value) .maxntid 64, 1, 1
{ .shared .align 4 .b8 buffer[1024]; ret; }
.visible .entry exact() .reqntid 64, 1, 1 { ret; }
.visible .entry nobody(.param .u64 anything) { ret; }
)";

void FakeDriver::start(const std::function<void(FakeCudaConfig &)> &configure) {
  FakeCudaConfig config;
  fakeCudaDefaults(&config);
  config.abortOnViolation = 0;
  configure(config);
  fakeCudaReset(&config);
  module = nullptr;
  CU_OK(cuInit(0));
  context = retain(0);
}

CUcontext FakeDriver::retain(int device) {
  CUcontext made = nullptr;
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&made, device), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSetCurrent(made), CUDA_SUCCESS);
  return made;
}

void FakeDriver::TearDown() {
  expectNothingBroken();
  fakeCudaReset(nullptr);
}

CUdeviceptr FakeDriver::alloc(size_t bytes) {
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cuMemAlloc_v2(&pointer, bytes), CUDA_SUCCESS);
  return pointer;
}

CUdeviceptr FakeDriver::allocFilled(std::initializer_list<int> values) {
  const CUdeviceptr pointer = alloc(values.size() * sizeof(int));
  EXPECT_EQ(cuMemcpyHtoD_v2(pointer, values.begin(), values.size() * sizeof(int)), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  return pointer;
}

float *FakeDriver::pinned(size_t floats) {
  void *pointer = nullptr;
  EXPECT_EQ(cuMemHostAlloc(&pointer, floats * sizeof(float), 0), CUDA_SUCCESS);
  return static_cast<float *>(pointer);
}

CUstream FakeDriver::stream(unsigned flags) {
  CUstream made = nullptr;
  EXPECT_EQ(cuStreamCreate(&made, flags), CUDA_SUCCESS);
  return made;
}

CUevent FakeDriver::event(unsigned flags) {
  CUevent made = nullptr;
  EXPECT_EQ(cuEventCreate(&made, flags), CUDA_SUCCESS);
  return made;
}

CUfunction FakeDriver::function(const char *name) {
  CUfunction found = nullptr;
  if (!module) {
    EXPECT_EQ(cuModuleLoadData(&module, kernelsPtx), CUDA_SUCCESS);
  }
  EXPECT_EQ(cuModuleGetFunction(&found, module, name), CUDA_SUCCESS);
  return found;
}

std::vector<int> FakeDriver::read(CUdeviceptr from, size_t count) {
  std::vector<int> values(count);
  EXPECT_EQ(cuMemcpyDtoH_v2(values.data(), from, count * sizeof(int)), CUDA_SUCCESS);
  return values;
}

std::vector<float> FakeDriver::readFloats(CUdeviceptr from, size_t count) {
  std::vector<float> values(count);
  EXPECT_EQ(cuMemcpyDtoH_v2(values.data(), from, count * sizeof(float)), CUDA_SUCCESS);
  return values;
}

void FakeDriver::expectBroken(const std::string &rule) {
  FakeCudaViolation violation;
  EXPECT_GE(fakeCudaViolationCount(), 1u) << "nobody noticed: " << rule;
  for (size_t at = 0; fakeCudaViolationAt(at, &violation); ++at)
    EXPECT_EQ(violation.rule, rule) << violation.text;
  fakeCudaClearViolations();
}

void FakeDriver::expectNothingBroken() {
  FakeCudaViolation violation;
  for (size_t at = 0; fakeCudaViolationAt(at, &violation); ++at)
    ADD_FAILURE() << violation.rule << ": " << violation.text << " (in " << violation.call << ")";
}

std::vector<std::string> FakeDriver::ran() {
  std::vector<std::string> names;
  const char *name;
  for (size_t at = 0; fakeCudaRanAt(at, &name); ++at)
    names.push_back(name);
  return names;
}

int runForked(const std::function<void()> &function, std::string &errors) {
  int ends[2];
  if (pipe(ends) != 0)
    return -2;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    alarm(20);
    function();
    std::exit(0);
  }
  close(ends[1]);
  char buffer[4096];
  ssize_t count;
  while ((count = ::read(ends[0], buffer, sizeof buffer)) > 0)
    errors.append(buffer, static_cast<size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  return WTERMSIG(status) == SIGALRM ? -1 : 1000 + WTERMSIG(status);
}

int runInNewProcess(const std::function<void()> &function, std::string &errors) {
  constexpr const char *mark = "FAKE_CUDA_TEST_CHILD";
  if (std::getenv(mark)) {
    function();
    std::exit(0);
  }
  const ::testing::TestInfo *test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string filter = std::string("--gtest_filter=") + test->test_suite_name() + "." + test->name();
  return runForked(
      [&] {
        setenv(mark, "1", 1);
        // The alarm stays set across exec.
        static_cast<void>(!freopen("/dev/null", "w", stdout));
        execl("/proc/self/exe", "fakedriver_tests", filter.c_str(), nullptr);
        std::_Exit(127);
      },
      errors);
}

} // namespace fakecuda::testing
