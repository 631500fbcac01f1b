// A block: one fiber for each thread, which gives way where a thread of a GPU would wait.
#pragma once

struct Dim {
  unsigned x = 1, y = 1, z = 1;
};
inline Dim threadIdx, blockIdx, blockDim, gridDim;
constexpr int warpSize = 32;

namespace host {

constexpr size_t stackBytes = 128 << 10;

/// What the lanes of one mask bring to a warp function; the lower bit of `phase` says which half is being filled.
struct Exchange {
  unsigned phase = 0;
  uint32_t arrived = 0, members[2] = {};
  uint64_t values[2][32] = {};
};

struct WarpState {
  uint32_t alive = 0;
  std::map<uint32_t, Exchange> exchanges; ///< by mask
};

struct Barrier {
  unsigned phase = 0, arrived = 0, positives = 0;
  unsigned counts[2] = {}, totals[2] = {}; ///< of a completed phase: positive predicates, and threads
};

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack{new char[stackBytes]};
  Dim thread;
  unsigned number = 0;
  bool isDone = false;
};

/// The block that runs; the host has one at a time, so shared variables are static ones.
struct Block {
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<WarpState> warps;
  std::map<unsigned, Barrier> barriers;
  std::vector<char> shared;
  unsigned alive = 0;
  Fiber *current = nullptr;
  ucontext_t scheduler;
  const std::function<void()> *body = nullptr;
};
inline Block block;

inline void *dynamicShared() { return block.shared.data(); }
inline unsigned lane() { return block.current->number % 32; }
inline WarpState &warp() { return block.warps[block.current->number / 32]; }

/// Lets the other threads of the block go on.
inline void yield() { swapcontext(&block.current->context, &block.scheduler); }

inline void runFiber() {
  (*block.body)();
  Fiber &self = *block.current;
  self.isDone = true;
  block.alive--;
  warp().alive &= ~(uint32_t{1} << lane());
}

inline void startFiber(unsigned number) {
  if (block.fibers.size() == number)
    block.fibers.push_back(std::make_unique<Fiber>());
  Fiber &fiber = *block.fibers[number];
  fiber.number = number;
  fiber.isDone = false;
  fiber.thread = {number % blockDim.x, number / blockDim.x % blockDim.y, number / blockDim.x / blockDim.y};
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = stackBytes;
  fiber.context.uc_link = &block.scheduler;
  makecontext(&fiber.context, runFiber, 0);
}

inline void runBlock() {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  block.alive = threads;
  block.barriers.clear();
  block.warps.assign((threads + 31) / 32, {});
  for (unsigned number = 0; number < threads; ++number) {
    startFiber(number);
    block.warps[number / 32].alive |= uint32_t{1} << number % 32;
  }
  while (block.alive)
    for (unsigned number = 0; number < threads; ++number) {
      Fiber &fiber = *block.fibers[number];
      if (fiber.isDone)
        continue;
      block.current = &fiber;
      threadIdx = fiber.thread;
      swapcontext(&block.scheduler, &fiber.context);
    }
}

/// `shape`: the grid's three sizes, the block's, and the bytes of dynamic shared memory.
inline void runGrid(const unsigned *shape, const std::function<void()> &body) {
  gridDim = {shape[0], shape[1], shape[2]};
  blockDim = {shape[3], shape[4], shape[5]};
  block.shared.assign(shape[6] + 16, 0);
  block.body = &body;
  for (unsigned z = 0; z < gridDim.z; ++z)
    for (unsigned y = 0; y < gridDim.y; ++y)
      for (unsigned x = 0; x < gridDim.x; ++x) {
        blockIdx = {x, y, z};
        runBlock();
      }
}

template <class T> T takeParameter(const unsigned char *parameters, size_t &at) {
  at = (at + alignof(T) - 1) / alignof(T) * alignof(T);
  T value;
  std::memcpy(&value, parameters + at, sizeof value);
  at += sizeof value;
  return value;
}

template <class... Parameters>
void launch(void (*kernel)(Parameters...), const unsigned *shape, const unsigned char *parameters) {
  size_t at = 0;
  const std::tuple<Parameters...> values{takeParameter<Parameters>(parameters, at)...};
  runGrid(shape, [&] { std::apply(kernel, values); });
  (void)at, (void)parameters;
}

/// Waits for `count` threads, or for all that are left; gives how many predicates were positive.
inline Barrier &waitAtBarrier(unsigned id, unsigned count, bool positive, unsigned &half) {
  Barrier &barrier = block.barriers[id];
  const unsigned phase = barrier.phase;
  half = phase & 1;
  barrier.arrived++;
  barrier.positives += positive;
  while (barrier.phase == phase) {
    if (barrier.arrived < (count ? count : block.alive)) {
      yield();
      continue;
    }
    barrier.counts[half] = barrier.positives;
    barrier.totals[half] = barrier.arrived;
    barrier.arrived = barrier.positives = 0;
    barrier.phase++;
  }
  return barrier;
}

} // namespace host

inline void __syncthreads() {
  unsigned half;
  host::waitAtBarrier(0, 0, false, half);
}
inline int __syncthreads_count(int predicate) {
  unsigned half;
  host::Barrier &barrier = host::waitAtBarrier(0, 0, predicate, half);
  return static_cast<int>(barrier.counts[half]);
}
inline int __syncthreads_and(int predicate) {
  unsigned half;
  host::Barrier &barrier = host::waitAtBarrier(0, 0, predicate, half);
  return barrier.counts[half] == barrier.totals[half];
}
inline int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
/// `bar.sync id, count`, and `bar.arrive id, count`.
inline void namedBarrier(unsigned id, unsigned count) {
  unsigned half;
  host::waitAtBarrier(id, count, false, half);
}
inline void arriveAtBarrier(unsigned id, unsigned count) {
  host::Barrier &barrier = host::block.barriers[id];
  if (++barrier.arrived < count)
    return;
  barrier.arrived = barrier.positives = 0;
  barrier.phase++;
}

inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) { host::yield(); }
