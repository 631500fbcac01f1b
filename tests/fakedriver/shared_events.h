// Events that processes share: two counters in a page that both map.
#pragma once

#include "driver.h"

#include <atomic>

namespace fakecuda {

/// Records of all processes, and those of them that have run. Each process must work without being called
/// (FAKE_CUDA_PATIENCE_MS), or the others wait in vain.
class SharedEvent {
public:
  SharedEvent();                                  ///< a new page
  explicit SharedEvent(const CUipcEventHandle &); ///< another process's; not usable if it is gone
  ~SharedEvent();
  SharedEvent(const SharedEvent &) = delete;
  SharedEvent &operator=(const SharedEvent &) = delete;

  bool isUsable() const { return counters; }
  CUipcEventHandle handle() const;
  uint64_t record() { return ++counters->recorded; }
  void finish(uint64_t record);
  uint64_t latest() const { return counters->recorded; }
  bool isDone(uint64_t record) const { return counters->done >= record; }

private:
  struct Counters {
    std::atomic<uint64_t> recorded, done;
  };
  void map();

  int file = -1;
  Counters *counters = nullptr;
};

/// Whether the handle was made by this process.
bool isOwnEvent(const CUipcEventHandle &handle);

/// Blocks until the record has run, wherever it was made.
CUresult awaitShared(Driver &driver, const SharedEvent &event, uint64_t record);

} // namespace fakecuda
