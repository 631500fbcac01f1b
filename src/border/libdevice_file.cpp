// The folders of CUDA's toolkit and of NVIDIA's Python packages.
#include "border/libdevice_file.h"

#include "support/files/owned_file.h"
#include "support/settings.h"

#include <dlfcn.h>
#include <filesystem>
#include <vector>

namespace treadle {

namespace {

/// The folder of Python packages that contains ours, or empty.
std::string packagesFolder() {
  Dl_info self;
  if (!dladdr(reinterpret_cast<void *>(&packagesFolder), &self) || !self.dli_fname)
    return {};
  return std::filesystem::path(self.dli_fname).parent_path().parent_path().string();
}

} // namespace

std::string libdevicePath() {
  if (std::string named = settingText(Setting::Libdevice); !named.empty())
    return named;
  std::vector<std::string> folders = {"/usr/local/cuda/nvvm/libdevice", "/opt/cuda/nvvm/libdevice",
                                      "/usr/lib/nvidia-cuda-toolkit/libdevice"};
  if (const std::string packages = packagesFolder(); !packages.empty())
    for (const char *wheel : {"cu13", "cuda_nvcc", "cuda_nvvm"})
      folders.push_back(packages + "/nvidia/" + wheel + "/nvvm/libdevice");
  std::error_code ignored;
  for (const std::string &folder : folders)
    if (std::string path = folder + "/" + libdeviceName; std::filesystem::exists(path, ignored))
      return path;
  return {};
}

std::string libdeviceBytes(const std::string &path) {
  std::string bytes;
  return readFile(path, bytes).empty() ? bytes : std::string();
}

} // namespace treadle
