// CodeCache: what earlier processes have inferred and generated, so that nothing is done again that has not changed.
#pragma once

#include "border/compiler.h"
#include "border/recorded_names.h"
#include "support/disk_store.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// What inference is asked, but for the function itself.
struct ProgramRequest {
  Signature signature;
  RuleSet rules = RuleSet::Numba;
  bool isKernel = true;
  bool debug = false;
};

/// What was inferred, without the function.
struct KnownProgram {
  InferResult result;   ///< `function` is null
  std::string identity; ///< what its images are found by
};

/// Entries of two kinds. A program is found by the function's own source and the request, and holds if the names that
/// inference asked about still mean the same. An image is found by its program's identity and all that it was generated
/// for. Any number of threads and processes may use one.
class TREADLE_API CodeCache {
public:
  /// Where the settings have it.
  CodeCache();
  CodeCache(DiskStore::Place programs, DiskStore::Place images);

  bool isUsed() const { return programs.isUsed(); }
  /// What programs are kept under; empty: they are not kept, as the function's source has no key.
  static std::string keyOf(const ProgramRequest &request, RecordedNames &names);
  /// Asks `names` what the inference asked, as far as the answers agree. The caller holds the host's lock.
  std::optional<KnownProgram> findProgram(std::string_view key, RecordedNames &names);
  /// Empty, and nothing is kept, for what depends on more than the answers, or contains what only this process knows.
  std::string putProgram(std::string_view key, RecordedNames &names, const InferResult &result);

  /// Null: there is none. `request.function` is not looked at.
  std::shared_ptr<const Image> findImage(std::string_view identity, RecordedNames &names,
                                         const GenerateRequest &request);
  void putImage(std::string_view identity, RecordedNames &names, const GenerateRequest &request, const Image &image);

  DiskStore programs, images;

private:
  std::string imageKey(std::string_view identity, const GenerateRequest &request);
  Digest libdevice();

  std::once_flag readingLibdevice;
  Digest libdeviceDigest{}; ///< constant once read
};

} // namespace treadle
