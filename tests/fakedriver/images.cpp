// What modules are loaded from.
#include "images.h"

#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

namespace fakecuda {

uint64_t hashBytes(const std::byte *bytes, size_t size);

namespace {

constexpr unsigned char elfMagic[8] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33};
constexpr uint32_t fatbinMagic = 0xBA55ED50, fatbinWrapperMagic = 0x466243B1;

struct CubinHeader {
  unsigned char magic[8];
  char name[8];
  uint32_t capability, count;
  uint64_t bytes; ///< of all, this header included
  uint64_t hash;  ///< of what follows the header
};
constexpr char cubinName[8] = {'f', 'a', 'k', 'e', 'c', 'u', 'd', 'a'};
constexpr uint64_t largestCubin = uint64_t{1} << 30;

CUresult readCubin(const FakeCudaConfig &config, const void *image, std::vector<std::string> &texts,
                   std::string &problem) {
  CubinHeader header;
  problem = "the cubin is not one that the stand-in's linker made";
  if (!readSafely(image, &header, sizeof header) || std::memcmp(header.name, cubinName, sizeof cubinName) != 0)
    return CUDA_ERROR_INVALID_IMAGE;
  problem = "the cubin is cut off or changed";
  if (header.bytes < sizeof header || header.bytes > largestCubin)
    return CUDA_ERROR_INVALID_IMAGE;
  std::vector<std::byte> rest(header.bytes - sizeof header);
  if (!readSafely(static_cast<const std::byte *>(image) + sizeof header, rest.data(), rest.size()) ||
      hashBytes(rest.data(), rest.size()) != header.hash)
    return CUDA_ERROR_INVALID_IMAGE;
  for (size_t at = 0, left = header.count; left; --left) {
    uint64_t length;
    std::memcpy(&length, rest.data() + at, sizeof length);
    at += sizeof length;
    texts.emplace_back(reinterpret_cast<const char *>(rest.data() + at), length);
    at += length;
  }
  const auto capability = static_cast<int>(header.capability);
  problem = "the cubin is for capability " + std::to_string(capability) + ", the device has " +
            std::to_string(config.computeCapability);
  const bool runs = capability / 10 == config.computeCapability / 10 && capability <= config.computeCapability;
  return runs ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/// The newest PTX version that this driver version accepts: 12.x reads 8.x, and so on, since 12.0 came with 8.0.
int newestPtx(int driverVersion) { return (driverVersion / 1000 - 4) * 10 + driverVersion % 1000 / 10; }

} // namespace

bool readSafely(const void *from, void *to, size_t bytes) {
  iovec local{to, bytes}, remote{const_cast<void *>(from), bytes};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

std::vector<std::byte> makeCubin(int capability, const std::vector<std::string> &texts) {
  std::vector<std::byte> result(sizeof(CubinHeader));
  const auto append = [&](const void *from, size_t bytes) {
    const auto *first = static_cast<const std::byte *>(from);
    result.insert(result.end(), first, first + bytes);
  };
  for (const std::string &text : texts) {
    const uint64_t length = text.size();
    append(&length, sizeof length);
    append(text.data(), text.size());
  }
  CubinHeader header = {};
  std::memcpy(header.magic, elfMagic, sizeof elfMagic);
  std::memcpy(header.name, cubinName, sizeof cubinName);
  header.capability = static_cast<uint32_t>(capability);
  header.count = static_cast<uint32_t>(texts.size());
  header.bytes = result.size();
  header.hash = hashBytes(result.data() + sizeof header, result.size() - sizeof header);
  std::memcpy(result.data(), &header, sizeof header);
  return result;
}

CUresult readImage(const FakeCudaConfig &config, const void *image, std::vector<std::string> &texts,
                   std::string &problem) {
  uint32_t magic = 0;
  if (readSafely(image, &magic, sizeof magic)) {
    if (std::memcmp(&magic, elfMagic, sizeof magic) == 0)
      return readCubin(config, image, texts, problem);
    if (magic == fatbinMagic || magic == fatbinWrapperMagic) {
      problem = "fat binaries cannot be loaded here";
      return CUDA_ERROR_INVALID_IMAGE;
    }
  }
  texts.emplace_back(static_cast<const char *>(image));
  return CUDA_SUCCESS;
}

CUresult readTexts(const FakeCudaConfig &config, const std::vector<std::string> &texts, PtxModule &module,
                   std::string &problem) {
  auto read = readPtx(texts, problem);
  if (!read)
    return CUDA_ERROR_INVALID_PTX;
  module = std::move(*read);
  problem =
      "ptxas fatal: target sm_" + std::to_string(module.target) + " or PTX version " + std::to_string(module.version);
  if (module.version > newestPtx(config.driverVersion))
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  return module.target > config.computeCapability ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_SUCCESS;
}

void describeEntries(const PtxModule &module, JitOptions &log) {
  if (!log.isVerbose())
    return;
  for (const PtxEntry &entry : module.entries)
    log.addInfo("ptxas info    : Function properties for " + entry.name + ": used " + std::to_string(entry.registers) +
                " registers, " + std::to_string(entry.localBytes) + " bytes stack frame, " +
                std::to_string(entry.sharedBytes) + " bytes smem");
}

} // namespace fakecuda
