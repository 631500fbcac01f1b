// Rows of memory that a function takes from its stack while it runs. Addresses are those of local memory.
#include "fault.h"
#include "launch.h"
#include "row.h"

namespace ptxmachine {

namespace {

constexpr size_t gapBytes = 16;

/// Where the next piece of a lane may begin, in its frame.
size_t topOf(const Frame &frame, unsigned lane) {
  size_t top = frame.code.localBytes;
  for (const StackPiece &piece : frame.pieces)
    if (piece.lane == lane)
      top = piece.offset + piece.bytes;
  return top;
}

/// The second source is the alignment.
void allocate(Step &s, const Instruction &i) {
  s.require(i.sources[0], "the size of an alloca");
  forLanes(s.mask, [&](unsigned lane) {
    const size_t bytes = s.source(i, 0).at[lane], unit = i.sourceCount > 1 ? s.source(i, 1).at[lane] : 8;
    const size_t offset = (topOf(s.frame, lane) + gapBytes + unit - 1) / unit * unit;
    const size_t end = s.frame.code.localBytes + s.frame.code.stackBytes;
    if (bytes > end || offset + bytes > end)
      throw Fault(FaultKind::OutOfBounds, "an alloca of " + std::to_string(bytes) + " bytes, more than the stack has",
                  static_cast<int>(lane));
    s.frame.local.mark(lane, offset, bytes, false);
    s.frame.pieces.push_back({lane, offset, bytes});
    s.result(i).at[lane] = s.frame.localBase + offset;
  });
  s.define(i, 0, allLanes);
}

void save(Step &s, const Instruction &i) {
  forLanes(s.mask, [&](unsigned lane) { s.result(i).at[lane] = s.frame.localBase + topOf(s.frame, lane); });
  s.define(i, 0, allLanes);
}

void restore(Step &s, const Instruction &i) {
  s.require(i.sources[0], "the place of a stackrestore");
  forLanes(s.mask, [&](unsigned lane) {
    const uint64_t top = s.source(i, 0).at[lane] - s.frame.localBase;
    std::erase_if(s.frame.pieces, [&](const StackPiece &piece) { return piece.lane == lane && piece.offset >= top; });
  });
}

template <Execute function> Execute always(const Spelling &) { return function; }

constexpr Row rows[] = {
    {"alloca.(u32|u64)", "rv?v", always<allocate>},
    {"stacksave.(u32|u64)", "r", always<save>},
    {"stackrestore.(u32|u64)", "v", always<restore>},
};

} // namespace

std::span<const Row> stackRows() { return rows; }

} // namespace ptxmachine
