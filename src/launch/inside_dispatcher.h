// Dispatcher::Inside: the host's lock during one call of a dispatcher.
#pragma once

#include "launch/dispatcher.h"

namespace treadle {

/// The host's lock as held by one call of a dispatcher. While the call has released it, or may run the host's code,
/// other threads may `clear`, but objects that the call uses are not freed.
class Dispatcher::Inside final : public HostLock {
public:
  Inside(Dispatcher &dispatcher, HostLock &host) : dispatcher(dispatcher), host(host) {}
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;
  ~Inside() {
    if (isCounted)
      dispatcher.inside.fetch_sub(1);
  }

  void release() override {
    count();
    host.release();
  }
  void acquire() override { host.acquire(); }
  void onLongCall() override {
    count();
    host.onLongCall();
  }
  bool shouldContinue(Activity activity) noexcept override {
    count();
    return host.shouldContinue(activity);
  }
  void printed(std::string_view text) override {
    count();
    host.printed(text);
  }

private:
  void count() {
    if (!isCounted)
      dispatcher.inside.fetch_add(1);
    isCounted = true;
  }

  Dispatcher &dispatcher;
  HostLock &host;
  bool isCounted = false;
};

} // namespace treadle
