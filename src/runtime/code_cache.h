// CodeCache: on-disk results of inference and code generation, reused while their inputs are unchanged.
#pragma once

#include "border/compiler.h"
#include "border/recorded_names.h"
#include "support/files/disk_store.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// The inputs of inference except for the function itself.
struct ProgramRequest {
  Signature signature;
  RuleSet rules = RuleSet::Numba;
  bool isKernel = true;
  bool debug = false;
  std::string makers; ///< the ids of the libraries that infer and generate; empty: unknown, so that nothing is cached
};

/// The result of inference without the function.
struct KnownProgram {
  InferResult result;   ///< `function` is null
  std::string identity; ///< the key of its images
};

/// Entries of two kinds. A program is found by the key of the function's source and the request, and is valid if the
/// names that inference asked about still mean the same. An image is found by its program's identity and the other
/// inputs of its generation. Thread-safe, and shared between processes. Writes happen in the background.
class TREADLE_API CodeCache {
public:
  /// In the folder of the settings.
  CodeCache();
  CodeCache(DiskStore::Place programs, DiskStore::Place images);

  bool isUsed() const { return programs.isUsed(); }
  /// The key of programs; empty: they are not cached, as the function's source has no key, or the compiling libraries
  /// are unknown.
  static std::string keyOf(const ProgramRequest &request, RecordedNames &names);
  /// Replays the recorded questions with `names` while the answers agree. The caller holds the host's lock.
  std::optional<KnownProgram> findProgram(std::string_view key, RecordedNames &names);
  /// Empty, and nothing is stored, if the result depends on more than the answers, or contains process-local data.
  std::string putProgram(std::string_view key, RecordedNames &names, const InferResult &result);

  /// Null: a miss. `request.function` is ignored.
  std::shared_ptr<const Image> findImage(std::string_view identity, RecordedNames &names,
                                         const GenerateRequest &request);
  void putImage(std::string_view identity, RecordedNames &names, const GenerateRequest &request,
                std::shared_ptr<const Image> image);

  DiskStore programs, images;

private:
  std::string imageKey(std::string_view identity, const GenerateRequest &request);
  Digest libdevice();

  std::once_flag readingLibdevice;
  Digest libdeviceDigest{}; ///< constant after the first read
};

} // namespace treadle
