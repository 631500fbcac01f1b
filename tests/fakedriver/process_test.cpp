// Forks, exits, host functions, aborting, counting: tests that need their own process, with a limit of 20 s each.
#include "counting.h"
#include "fake_driver_test.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fakecuda::testing {

/// Each test initialises its driver in the child.
class Processes : public ::testing::Test {
protected:
  static void startDriver(int abortOnViolation) {
    FakeCudaConfig config;
    fakeCudaDefaults(&config);
    config.abortOnViolation = abortOnViolation;
    fakeCudaReset(&config);
    CUcontext context;
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
  }
  static std::string onlyViolation() {
    FakeCudaViolation violation;
    return fakeCudaViolationCount() == 1 && fakeCudaViolationAt(0, &violation) ? violation.rule : "none, or several";
  }
};

TEST_F(Processes, ABrokenRuleAbortsWithItsText) {
  std::string errors;
  const int code = runInNewProcess(
      [] {
        startDriver(1);
        cuMemFree_v2(0x1000);
      },
      errors);
  EXPECT_EQ(code, 1000 + SIGABRT);
  EXPECT_EQ(errors, "fakecuda: invalid-free: 0x1000 is no allocation (in cuMemFree #3)\n");
}

TEST_F(Processes, AfterFork) {
  std::string errors;
  const int code = runInNewProcess(
      [] {
        startDriver(0);
        const pid_t child = fork();
        if (child == 0) {
          CUdeviceptr pointer;
          const bool refused = cuMemAlloc_v2(&pointer, 4) == CUDA_ERROR_NOT_INITIALIZED;
          std::_Exit(refused && onlyViolation() == "after-fork" ? 5 : 6);
        }
        int status = 0;
        waitpid(child, &status, 0);
        CUdeviceptr pointer;
        if (cuMemAlloc_v2(&pointer, 4) != CUDA_SUCCESS)
          std::_Exit(7);
        std::_Exit(WEXITSTATUS(status));
      },
      errors);
  EXPECT_EQ(code, 5) << errors;
}

TEST_F(Processes, AfterExit) {
  std::string errors;
  const int code = runInNewProcess(
      [] {
        std::atexit([] {
          CUdeviceptr pointer;
          const bool refused = cuMemAlloc_v2(&pointer, 4) == CUDA_ERROR_DEINITIALIZED;
          std::_Exit(refused && onlyViolation() == "after-exit" ? 5 : 6);
        });
        startDriver(0);
        std::exit(0);
      },
      errors);
  EXPECT_EQ(code, 5) << errors;
}

TEST_F(Processes, ExitWithWorkPendingIsQuiet) {
  std::string errors;
  const int code = runInNewProcess(
      [] {
        startDriver(1);
        CUstream stream;
        CUdeviceptr pointer;
        cuMemAlloc_v2(&pointer, 4);
        cuStreamCreate(&stream, 0);
        cuMemsetD8Async(pointer, 0, 4, stream);
        cuLaunchHostFunc(stream, [](void *) {}, nullptr);
        std::exit(3);
      },
      errors);
  EXPECT_EQ(code, 3);
  EXPECT_EQ(errors, "");
}

TEST_F(Processes, InCallback) {
  std::string errors;
  const int code = runInNewProcess(
      [] {
        startDriver(0);
        static CUresult inside = CUDA_SUCCESS;
        cuLaunchHostFunc(nullptr, [](void *) { inside = cuCtxSynchronize(); }, nullptr);
        cuCtxSynchronize();
        std::_Exit(inside == CUDA_ERROR_NOT_PERMITTED && onlyViolation() == "in-callback" ? 5 : 6);
      },
      errors);
  EXPECT_EQ(code, 5) << errors;
}

TEST_F(Processes, InCallbackOfAStream) {
  std::string errors;
  const int code = runInNewProcess(
      [] {
        startDriver(0);
        cuStreamAddCallback(nullptr, [](CUstream stream, CUresult, void *) { cuStreamQuery(stream); }, nullptr, 0);
        cuCtxSynchronize();
        std::_Exit(onlyViolation() == "in-callback" ? 5 : 6);
      },
      errors);
  EXPECT_EQ(code, 5) << errors;
}

TEST_F(Processes, HostFunctionsRunOnAnotherThreadWithoutTheDriversLock) {
  std::string errors;
  const int code = runInNewProcess(
      [] {
        startDriver(1);
        static std::atomic<int> step = 0;
        static std::atomic<bool> sameThread = false;
        static const std::thread::id main = std::this_thread::get_id();
        cuLaunchHostFunc(
            nullptr,
            [](void *) {
              sameThread = std::this_thread::get_id() == main;
              step = 1;
              while (step < 2)
                std::this_thread::yield();
            },
            nullptr);
        // Another thread calls the driver while the host function runs.
        std::thread other([] {
          while (step < 1)
            std::this_thread::yield();
          int count;
          cuDeviceGetCount(&count);
          step = 2;
        });
        cuCtxSynchronize();
        other.join();
        std::_Exit(sameThread ? 6 : 5);
      },
      errors);
  EXPECT_EQ(code, 5) << errors;
}

TEST_F(Processes, CallbacksLearnOfALostContext) {
  std::string errors;
  const int code = runInNewProcess(
      [] {
        startDriver(0);
        static CUresult told = CUDA_SUCCESS;
        const FakeCudaFault fault = {"cuMemsetD8", 1, CUDA_ERROR_ILLEGAL_ADDRESS, FAKE_CUDA_FAULT_ASYNC};
        CUdeviceptr pointer;
        cuMemAlloc_v2(&pointer, 4);
        fakeCudaInjectFault(&fault);
        cuMemsetD8_v2(pointer, 0, 4);
        cuStreamAddCallback(nullptr, [](CUstream, CUresult status, void *) { told = status; }, nullptr, 0);
        cuCtxSynchronize();
        std::_Exit(told == CUDA_ERROR_ILLEGAL_ADDRESS ? 5 : 6);
      },
      errors);
  EXPECT_EQ(code, 5) << errors;
}

/// The folder of this program, with a slash.
std::string ownFolder() {
  char path[4096] = {};
  static_cast<void>(!readlink("/proc/self/exe", path, sizeof path - 1));
  const std::string text = path;
  return text.substr(0, text.rfind('/') + 1);
}

/// Runs in a process with the counting library preloaded; elsewhere it does nothing.
TEST(Counting, InThePreloadedProcess) {
  const auto begin = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "fakeCudaCountingBegin"));
  const auto end = reinterpret_cast<void (*)(FakeCudaCounts *)>(dlsym(RTLD_DEFAULT, "fakeCudaCountingEnd"));
  if (!begin)
    return;
  FakeCudaCounts counts;
  fakeCudaReset(nullptr);
  begin();
  for (int at = 0; at < 10; ++at) {
    cuInit(0);
    int count;
    cuDeviceGetCount(&count);
  }
  end(&counts);
  EXPECT_EQ(counts.allocations, 0u) << "the stand-in's own are left out";
  EXPECT_EQ(counts.locks, 0u);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  begin();
  void *volatile pointer = std::malloc(3);
  std::free(pointer);
  std::free(std::calloc(1, 100));
  const auto made = std::make_unique<std::string>(100, 'x');
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  end(&counts);
  EXPECT_GE(counts.allocations, 3u);
  EXPECT_EQ(counts.frees, counts.allocations - 2) << "two are alive";
  EXPECT_EQ(counts.locks, 1u);
}

TEST(Counting, CountsTheCallersAllocationsAndLocks) {
  const std::string folder = ownFolder();
  const std::string command = "LD_PRELOAD=" + folder + "libfakedriver_counting.so timeout 20 " + folder +
                              "fakedriver_tests --gtest_filter=Counting.InThePreloadedProcess >/dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

} // namespace fakecuda::testing
