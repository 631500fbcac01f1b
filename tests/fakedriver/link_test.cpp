// Linking: texts and cubins, which devices load them, logs.
#include "fake_driver_test.h"

#include <csignal>
#include <cstdio>
#include <cstring>

namespace fakecuda::testing {

namespace {

const std::string header = ".version 8.0\n.target sm_80\n.address_size 64\n";
const std::string caller = header + R"(
.extern .func (.param .b32 r) get();
.extern .global .align 4 .u32 factor;
.visible .entry main(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %rd<2>; .param .b32 result;
  call (result), get; ld.param.b32 %r1, [result]; ld.global.u32 %r2, [factor]; mul.lo.u32 %r3, %r1, %r2;
  ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r3; ret;
})";
const std::string callee = header + R"(
.visible .global .align 4 .u32 factor = 6;
.visible .func (.param .b32 r) get() { st.param.b32 [r], 7; ret; })";

} // namespace

class Linking : public FakeDriver {
protected:
  void SetUp() override { startWith(89); }
  void startWith(int capability) {
    start([&](FakeCudaConfig &config) { config.computeCapability = capability; });
  }
  CUlinkState open() {
    CUlinkState state = nullptr;
    values[1] = values[3] = reinterpret_cast<void *>(sizeof errors);
    EXPECT_EQ(cuLinkCreate_v2(5, options, values, &state), CUDA_SUCCESS);
    return state;
  }
  static CUresult add(CUlinkState state, const std::string &text, CUjitInputType type = CU_JIT_INPUT_PTX) {
    return cuLinkAddData_v2(state, type, const_cast<char *>(text.data()), text.size() + 1, "input", 0, nullptr,
                            nullptr);
  }
  /// The cubin of these texts.
  std::string link(const std::vector<std::string> &texts) {
    const CUlinkState state = open();
    for (const std::string &text : texts)
      EXPECT_EQ(add(state, text), CUDA_SUCCESS) << errors;
    void *image = nullptr;
    size_t bytes = 0;
    EXPECT_EQ(cuLinkComplete(state, &image, &bytes), CUDA_SUCCESS) << errors;
    const std::string result(static_cast<const char *>(image), bytes);
    EXPECT_EQ(cuLinkDestroy(state), CUDA_SUCCESS);
    return result;
  }
  int runMain(const std::string &image) {
    CUmodule module;
    CUfunction function;
    CUdeviceptr out = alloc(4);
    void *parameters[] = {&out};
    EXPECT_EQ(cuModuleLoadData(&module, image.data()), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&function, module, "main"), CUDA_SUCCESS);
    EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr), CUDA_SUCCESS);
    return read(out, 1)[0];
  }

  char errors[400] = {}, infos[400] = {};
  CUjit_option options[5] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
                             CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_LOG_VERBOSE};
  void *values[5] = {errors, nullptr, infos, nullptr, reinterpret_cast<void *>(1)};
};

TEST_F(Linking, TextsResolveEachOther) {
  const std::string cubin = link({caller, callee});
  EXPECT_EQ(cubin.substr(0, 4), "\x7f"
                                "ELF");
  EXPECT_EQ(runMain(cubin), 42);
  EXPECT_NE(std::string(infos).find("main: used"), std::string::npos) << infos;
  EXPECT_EQ(reinterpret_cast<size_t>(values[3]), std::strlen(infos) + 1);
  EXPECT_EQ(values[1], nullptr) << "no errors, no bytes";
}

TEST_F(Linking, CubinsAreLinkedToo) {
  const CUlinkState state = open();
  CU_OK(add(state, link({callee}), CU_JIT_INPUT_CUBIN));
  CU_OK(add(state, caller));
  void *image;
  CU_OK(cuLinkComplete(state, &image, nullptr));
  EXPECT_EQ(runMain(std::string(static_cast<const char *>(image), 4096)), 42);
  CU_OK(cuLinkDestroy(state));
}

TEST_F(Linking, ALibraryIsLoadedFromACubin) {
  CUlibrary library;
  CUkernel kernel;
  CU_OK(cuLibraryLoadData(&library, link({caller, callee}).data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CU_OK(cuLibraryGetKernel(&kernel, library, "main"));
  CUdeviceptr factor;
  size_t bytes;
  CU_OK(cuLibraryGetGlobal(&factor, &bytes, library, "factor"));
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(read(factor, 1)[0], 6);
  EXPECT_EQ(cuLibraryGetGlobal(&factor, &bytes, library, "nothing"), CUDA_ERROR_NOT_FOUND);
}

TEST_F(Linking, OnlyItsOwnCapabilityLoadsACubin) {
  startWith(86);
  const std::string cubin = link({caller, callee});
  for (const auto [capability, result] : {std::pair{80, CUDA_ERROR_NO_BINARY_FOR_GPU},
                                          {86, CUDA_SUCCESS},
                                          {89, CUDA_SUCCESS},
                                          {90, CUDA_ERROR_NO_BINARY_FOR_GPU},
                                          {75, CUDA_ERROR_NO_BINARY_FOR_GPU}}) {
    startWith(capability);
    CUmodule module;
    EXPECT_EQ(cuModuleLoadData(&module, cubin.data()), result) << capability;
  }
}

TEST_F(Linking, ACubinThatIsCutOffOrChangedIsRefused) {
  std::string cubin = link({callee});
  CUmodule module;
  cubin[cubin.size() - 3] ^= 1;
  EXPECT_EQ(cuModuleLoadData(&module, cubin.data()), CUDA_ERROR_INVALID_IMAGE);
  cubin[cubin.size() - 3] ^= 1;
  CU_OK(cuModuleLoadData(&module, cubin.data()));
  std::string cut = cubin.substr(0, cubin.size() / 2) + std::string(cubin.size(), '\0');
  EXPECT_EQ(cuModuleLoadData(&module, cut.data()), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(cuModuleLoadData(&module, "\x7f"
                                      "ELF and nothing else, but long enough for a header of the stand-in"),
            CUDA_ERROR_INVALID_IMAGE);
}

TEST_F(Linking, FatBinariesAreRefused) {
  const uint32_t fatbin[16] = {0xBA55ED50}, wrapper[16] = {0x466243B1};
  CUmodule module;
  EXPECT_EQ(cuModuleLoadData(&module, fatbin), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(cuModuleLoadFatBinary(&module, wrapper), CUDA_ERROR_INVALID_IMAGE);
  const CUlinkState state = open();
  EXPECT_EQ(add(state, "anything", CU_JIT_INPUT_FATBINARY), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_NE(std::string(errors).find("only PTX and cubins"), std::string::npos) << errors;
  CU_OK(cuLinkDestroy(state));
}

TEST_F(Linking, WhatNobodyDefines) {
  CUmodule module;
  EXPECT_EQ(cuModuleLoadData(&module, caller.c_str()), CUDA_ERROR_INVALID_PTX);
  const CUlinkState state = open();
  CU_OK(add(state, caller));
  void *image;
  EXPECT_EQ(cuLinkComplete(state, &image, nullptr), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::string(errors).find("'get'"), std::string::npos) << errors;
  EXPECT_EQ(reinterpret_cast<size_t>(values[1]), std::strlen(errors) + 1);
  CU_OK(cuLinkDestroy(state));
}

TEST_F(Linking, WrongInputsAreTheErrorOfTheirCall) {
  const CUlinkState state = open();
  EXPECT_EQ(add(state, header + "nonsense"), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::string(errors).find("input: line 4"), std::string::npos) << errors;
  EXPECT_EQ(add(state, ".version 8.0\n.target sm_90\n.visible .entry f() { ret; }"), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(add(state, ".version 9.9\n.target sm_80\n.visible .entry f() { ret; }"),
            CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(cuLinkAddFile_v2(state, CU_JIT_INPUT_PTX, "/nowhere.ptx", 0, nullptr, nullptr), CUDA_ERROR_FILE_NOT_FOUND);
  void *image;
  EXPECT_EQ(cuLinkComplete(state, &image, nullptr), CUDA_ERROR_INVALID_IMAGE) << "nothing was added";
  CU_OK(cuLinkDestroy(state));
}

TEST_F(Linking, FilesAreInputsAndImages) {
  const std::string name = ::testing::TempDir() + "fakedriver_link_test.ptx";
  std::FILE *file = std::fopen(name.c_str(), "w");
  ASSERT_TRUE(file);
  std::fputs(callee.c_str(), file);
  std::fclose(file);
  const CUlinkState state = open();
  CU_OK(add(state, caller));
  CU_OK(cuLinkAddFile_v2(state, CU_JIT_INPUT_PTX, name.c_str(), 0, nullptr, nullptr));
  void *image;
  CU_OK(cuLinkComplete(state, &image, nullptr));
  CU_OK(cuLinkDestroy(state));
  CUmodule module;
  CU_OK(cuModuleLoad(&module, name.c_str()));
  std::remove(name.c_str());
  EXPECT_EQ(cuModuleLoad(&module, name.c_str()), CUDA_ERROR_FILE_NOT_FOUND);
}

TEST_F(Linking, ALogIsCutOffAtItsEnd) {
  char log[12];
  CUjit_option logOptions[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *logValues[] = {log, reinterpret_cast<void *>(sizeof log)};
  CUmodule module;
  EXPECT_EQ(cuModuleLoadDataEx(&module, "no PTX", 2, logOptions, logValues), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(std::string(log), "line 1: the");
  EXPECT_EQ(logValues[1], reinterpret_cast<void *>(sizeof log));
}

TEST_F(Linking, OptionsThatNobodyKnows) {
  CUlinkState state;
  CUjit_option unknown = static_cast<CUjit_option>(999);
  void *value = nullptr;
  EXPECT_EQ(cuLinkCreate_v2(1, &unknown, &value, &state), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
  unknown = CU_JIT_OPTIMIZATION_LEVEL;
  value = reinterpret_cast<void *>(9);
  EXPECT_EQ(cuLinkCreate_v2(1, &unknown, &value, &state), CUDA_ERROR_INVALID_VALUE);
  expectBroken("invalid-argument");
}

TEST_F(Linking, ACompleteLinkTakesNoMore) {
  const CUlinkState state = open();
  CU_OK(add(state, callee));
  void *image;
  CU_OK(cuLinkComplete(state, &image, nullptr));
  EXPECT_NE(add(state, caller), CUDA_SUCCESS);
  expectBroken("invalid-argument");
  CU_OK(cuLinkDestroy(state));
  EXPECT_EQ(cuLinkDestroy(state), CUDA_ERROR_INVALID_HANDLE);
  expectBroken("double-destroy");
}

TEST_F(Linking, TheCubinGoesWithItsLink) {
  const auto read = [&] {
    const CUlinkState state = open();
    void *image;
    if (add(state, callee) != CUDA_SUCCESS || cuLinkComplete(state, &image, nullptr) != CUDA_SUCCESS)
      std::_Exit(1);
    const volatile char *bytes = static_cast<const char *>(image);
    if (bytes[1] != 'E' || cuLinkDestroy(state) != CUDA_SUCCESS)
      std::_Exit(2);
    std::_Exit(bytes[1] == 'E' ? 3 : 4);
  };
  std::string ignored;
  EXPECT_EQ(runInNewProcess(read, ignored), 1000 + SIGSEGV);
}

TEST_F(Linking, LinksAreLive) {
  const CUlinkState state = open();
  EXPECT_EQ(fakeCudaLiveCount("link"), 1u);
  CU_OK(cuLinkDestroy(state));
  EXPECT_EQ(fakeCudaLiveCount("link"), 0u);
}

} // namespace fakecuda::testing
