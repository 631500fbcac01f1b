// The slots of threads, and how a closing thread scans them.
#include "support/asymmetric_gate.h"

#include "support/fork_gate.h"

#include <chrono>
#include <linux/membarrier.h>
#include <new>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace treadle {

constinit thread_local AsymmetricGate::Slot *AsymmetricGate::mine = nullptr;

namespace {

long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

/// Process-wide, as threads are. Never destroyed.
struct GateSlots {
  ForkMutex mutex;
  AsymmetricGate::Slot *first = nullptr; ///< guarded by mutex
  pthread_key_t key{};
  const bool haveFence; ///< whether membarrier(2) is available, once registered

  static GateSlots &instance() {
    static GateSlots *const all = new GateSlots;
    return *all;
  }

  AsymmetricGate::Slot &take() {
    const std::lock_guard lock(mutex);
    AsymmetricGate::Slot *slot = first;
    while (slot && slot->isTaken)
      slot = slot->next;
    if (!slot) {
      slot = new AsymmetricGate::Slot;
      slot->next = first;
      first = slot;
    }
    slot->isTaken = true;
    return *slot;
  }
  void giveBack(AsymmetricGate::Slot &slot) {
    const std::lock_guard lock(mutex);
    slot.isTaken = false;
  }

private:
  GateSlots()
      : haveFence(membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0),
        atForks(this,
                {.inChild = [](void *self) { AsymmetricGate::leaveOthers(static_cast<GateSlots *>(self)->first); }}) {
    pthread_key_create(&key, AsymmetricGate::endOfThread);
  }
  const AtForks atForks;
};

} // namespace

bool fenceAllThreads() { return GateSlots::instance().haveFence && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0; }

/// By a pthread key: a thread_local object with a destructor would need the library to stay loaded. Where another key's
/// destructor enters again, the thread takes a new slot, and the system calls this again.
AsymmetricGate::Slot &AsymmetricGate::takeSlot() {
  GateSlots &slots = GateSlots::instance();
  mine = &slots.take();
  pthread_setspecific(slots.key, mine);
  return *mine;
}

void AsymmetricGate::endOfThread(void *slot) {
  mine = nullptr;
  GateSlots::instance().giveBack(*static_cast<Slot *>(slot));
}

/// The threads that owned them do not exist in the child and will never leave.
void AsymmetricGate::leaveOthers(Slot *first) {
  for (Slot *slot = first; slot; slot = slot->next)
    if (slot != mine) {
      slot->depth.store(0);
      slot->isTaken = false;
    }
}

void AsymmetricGate::beginChild() {
  new (&closing) std::mutex;
  new (&changing) std::mutex;
  new (&opened) std::condition_variable;
  closer = {};
  isClosed.store(false);
}

AsymmetricGate::AsymmetricGate() : needsFence(!GateSlots::instance().haveFence) {}

void AsymmetricGate::enterLater(Slot &slot) {
  for (;;) {
    std::unique_lock lock(changing);
    if (mayEnter())
      return;
    slot.depth.store(0, std::memory_order_release);
    opened.wait(lock, [this] { return mayEnter(); });
    slot.depth.store(1);
  }
}

AsymmetricGate::Closed::Closed(AsymmetricGate &gate) : gate(gate), alone(gate.closing) {
  {
    const std::lock_guard lock(gate.changing);
    gate.closer = std::this_thread::get_id();
    gate.isClosed.store(true);
  }
  if (gate.needsFence)
    std::atomic_thread_fence(std::memory_order_seq_cst);
  else
    fenceAllThreads();
  // A slot that is added from now on belongs to a thread that sees the gate closed.
  Slot *slot;
  {
    GateSlots &slots = GateSlots::instance();
    const std::lock_guard lock(slots.mutex);
    slot = slots.first;
  }
  for (; slot; slot = slot->next)
    while (slot != mine && slot->depth.load(std::memory_order_acquire) != 0)
      std::this_thread::sleep_for(std::chrono::microseconds(20));
}

AsymmetricGate::Closed::~Closed() {
  {
    const std::lock_guard lock(gate.changing);
    gate.isClosed.store(false);
    gate.closer = {};
  }
  gate.opened.notify_all();
}

} // namespace treadle
