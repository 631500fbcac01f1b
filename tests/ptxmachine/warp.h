// Warp: 32 lanes, each with a program counter of its own: lanes that stand at one place of one frame run together.
#pragma once

#include "device_memory.h"
#include "fault.h"
#include "program.h"
#include "shadow.h"
#include "special_registers.h"
#include "step.h"

namespace ptxmachine {

class Block;
class Launch;

/// Lanes that run together.
struct Group {
  enum class State : uint8_t { Ready, AtBarrier, AtWarpFunction } state = State::Ready;
  LaneMask mask = 0;
  uint32_t pc = 0;
  std::shared_ptr<Frame> frame;
  const Instruction *waitsAt = nullptr; ///< its program counter is past it
  LaneMask members = 0;                 ///< of the warp function that it waits for
  unsigned barrier = 0;
  bool hasArrived = false; ///< at its barrier; not yet if that is aligned and other lanes of the warp are missing
};

/// One access of a lane to memory.
struct MemoryAccess {
  size_t bytes = 0;
  AccessKind kind = AccessKind::Read;
  bool isStrong = false, isReadOnly = false;
  size_t certain = 0; ///< the first bytes, which must be in bounds; 0: all
};

/// Where the bytes are, and their marks.
struct Target {
  std::byte *data = nullptr;
  WrittenBytes *written = nullptr;
  LaneBytes *lanes = nullptr; ///< of local and param memory
  size_t offset = 0;
  Shadow *shadow = nullptr;
  Region *region = nullptr;
  bool isUniform = false; ///< parameters of the kernel
  Block *block = nullptr; ///< whose shared memory it is
};

/// A copy of a lane that has not arrived, and which of the lane's groups it belongs to.
struct AsyncCopy {
  unsigned lane;
  uint32_t group;
  Target to;
  size_t size;
  bool isDefined;
  std::byte bytes[16];
};

class Warp {
public:
  Warp(Block &block, unsigned index, unsigned threads);

  Block &block;
  const unsigned index; ///< in its block
  LaneMask alive;
  std::vector<Group> groups;
  WarpClock clock;
  std::vector<AsyncCopy> copies;
  uint32_t commits[warpSize] = {};       ///< groups of copies that each lane has ended
  LaneMask clusterArrived = 0;           ///< lanes that have arrived at the cluster's barrier and not left it
  uint64_t clusterPhases[warpSize] = {}; ///< in which they have
  LaneMask pendingPositives = 0;         ///< of lanes that wait for the rest of their warp at an aligned bar.red

  Launch &launch() const;
  bool isDone() const { return !alive; }
  bool canRun() const;
  /// Runs up to `steps` instructions of one group after the other; returns how many lanes it ran them for.
  uint64_t run(unsigned steps);

  // What the functions of rows do with control; the current group is the one that runs.
  void branch(LaneMask taken, uint32_t target);
  void call(Step &s, const Instruction &i);
  void leave(Step &s); ///< ret
  void exit(LaneMask lanes);
  /// Parks the step's lanes before a barrier.
  void waitAtBarrier(Step &s, const Instruction &i, unsigned barrier);
  /// Lets the step's lanes wait for the others of `members`; true if they are all there, in which case `arrived` are
  /// the groups.
  bool meet(Step &s, const Instruction &i, LaneMask members, std::vector<Group *> &arrived);
  void setReady(Group &group) { group.state = Group::State::Ready, group.waitsAt = nullptr, group.hasArrived = false; }
  Step stepOf(Group &group, LaneMask mask);

  /// The bytes that a lane names; checks bounds, alignment and life, and notes the access. Throws Fault.
  Target locate(Step &s, const Instruction &i, unsigned lane, uint64_t address, const MemoryAccess &access);
  /// Notes an access of some lanes to the same bytes for races. Throws Fault.
  void note(const Instruction &i, LaneMask lanes, const Target &target, const MemoryAccess &access);
  uint64_t addressOf(Step &s, const Instruction &i, unsigned lane) const;

  /// `file:line`, block and thread, for messages.
  std::string place(const Instruction &i, int lane) const;
  std::string placeOf(const Epoch &past) const;
  std::string threadText(unsigned lane) const;
  const Instruction *running() const { return at; }
  uint32_t nextPlace() const { return groups[current].pc; }
  /// Where its lanes stand, for deadlocks.
  std::string describe() const;

private:
  friend class Block;
  void fillSpecials(unsigned threads);
  void refreshClocks();
  bool select();
  void mergeInto(size_t index);
  size_t take(LaneMask mask); ///< the index of a group of these lanes of the current group
  LaneMask laneThatMisses(const Epoch &past, LaneMask lanes) const;
  LaneMask guardOf(const Instruction &i, const Group &group) const;
  Target locateShared(unsigned lane, uint64_t offset, uint32_t tag, const MemoryAccess &access);
  Block &sharedOf(const Instruction &i, unsigned lane, uint64_t address);
  Target locateLocal(Step &s, unsigned lane, uint64_t offset, const MemoryAccess &access);
  Target locateParam(Step &s, const Instruction &i, unsigned lane, uint64_t offset, const MemoryAccess &access);
  Target locateDevice(unsigned lane, uint64_t address, uint32_t tag, const MemoryAccess &access);

  size_t current = 0;
  const Instruction *at = nullptr;
  unsigned turns = 0; ///< how often the preferred group was selected in a row
  Lanes specials[static_cast<size_t>(Special::Count)];
  Region *lastRegion = nullptr;
  Shadow *lastShadow = nullptr;
};

} // namespace ptxmachine
