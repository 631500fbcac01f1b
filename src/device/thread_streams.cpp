// Each thread stores its own streams.
#include "device/thread_streams.h"

#include <new>
#include <pthread.h>
#include <vector>

namespace treadle {

namespace {

struct ThreadStream {
  std::weak_ptr<const void> device;
  std::shared_ptr<Stream> stream;
};

/// Freed with a pthread key when the thread ends: a thread_local object with a destructor would need the library to
/// stay loaded.
std::vector<ThreadStream> &threadStreams() {
  using Streams = std::vector<ThreadStream>;
  static thread_local Streams *streams = nullptr;
  if (streams)
    return *streams;
  static const pthread_key_t key = [] {
    pthread_key_t made;
    if (pthread_key_create(&made, [](void *dying) { delete static_cast<Streams *>(dying); }) != 0)
      throw std::bad_alloc();
    return made;
  }();
  streams = new Streams;
  pthread_setspecific(key, streams);
  return *streams;
}

bool isOf(const ThreadStream &known, const std::shared_ptr<const void> &device) {
  return !known.device.owner_before(device) && !device.owner_before(known.device);
}

} // namespace

std::shared_ptr<Stream> threadStreamOf(const std::shared_ptr<const void> &device,
                                       const std::function<std::shared_ptr<Stream>()> &make) {
  std::vector<ThreadStream> &own = threadStreams();
  for (const ThreadStream &known : own)
    if (isOf(known, device))
      return known.stream;
  std::erase_if(own, [](const ThreadStream &known) { return known.device.expired(); });
  own.push_back({device, make()});
  return own.back().stream;
}

} // namespace treadle
