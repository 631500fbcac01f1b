// Events that processes share.
#include "shared_events.h"

#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace fakecuda {

namespace {

/// The content of a CUipcEventHandle.
struct Payload {
  uint64_t magic;
  int process;
  int file;
};
constexpr uint64_t payloadMagic = 0x4642435645434d46ull;

Payload payloadOf(const CUipcEventHandle &handle) {
  Payload payload;
  std::memcpy(&payload, &handle, sizeof payload);
  return payload;
}

} // namespace

SharedEvent::SharedEvent() : file(memfd_create("fakecuda-event", MFD_CLOEXEC)) {
  if (file >= 0 && ftruncate(file, sizeof(Counters)) == 0)
    map();
}

SharedEvent::SharedEvent(const CUipcEventHandle &handle) {
  const Payload payload = payloadOf(handle);
  if (payload.magic != payloadMagic)
    return;
  const std::string path = "/proc/" + std::to_string(payload.process) + "/fd/" + std::to_string(payload.file);
  file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file >= 0)
    map();
}

SharedEvent::~SharedEvent() {
  if (counters)
    munmap(counters, sizeof(Counters));
  if (file >= 0)
    close(file);
}

void SharedEvent::map() {
  void *mapped = mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED)
    counters = static_cast<Counters *>(mapped);
}

CUipcEventHandle SharedEvent::handle() const {
  const Payload payload{payloadMagic, getpid(), file};
  CUipcEventHandle result = {};
  static_assert(sizeof payload <= sizeof result);
  std::memcpy(&result, &payload, sizeof payload);
  return result;
}

void SharedEvent::finish(uint64_t record) {
  uint64_t known = counters->done;
  while (known < record && !counters->done.compare_exchange_weak(known, record))
    ;
}

bool isOwnEvent(const CUipcEventHandle &handle) {
  const Payload payload = payloadOf(handle);
  return payload.magic == payloadMagic && payload.process == getpid();
}

CUresult awaitShared(Driver &driver, const SharedEvent &event, uint64_t record) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(driver.config.hangMs);
  while (!event.isDone(record)) {
    if (std::chrono::steady_clock::now() > end)
      return driver.violate(Rule::Hang, "another process does not run the work before its event",
                            CUDA_ERROR_LAUNCH_TIMEOUT);
    driver.mutex.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    driver.mutex.lock();
  }
  return CUDA_SUCCESS;
}

} // namespace fakecuda
