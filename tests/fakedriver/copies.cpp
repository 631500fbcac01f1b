// What copies and memsets check, when they run, and their effects.
#include "copies.h"

#include "images.h"

#include "ptxmachine/device_memory.h"

#include <cstring>

namespace fakecuda {

uint64_t hashBytes(const std::byte *bytes, size_t size);

namespace {

/// If there are more rows, one access covers them all.
constexpr size_t maxRows = 1024;

struct Side {
  CopySide wanted;
  std::shared_ptr<Allocation> allocation; ///< null: pageable
  std::byte *bytes = nullptr;             ///< where the copy itself accesses them
  size_t span = 0;                        ///< from the first byte to the last
};

/// Memory that was registered is pageable again, and where pinned memory was freed there may be memory of the process.
bool isPageable(Driver &d, uint64_t address) {
  const std::shared_ptr<Allocation> dead = d.memory.findDead(address);
  if (!dead || dead->kind == MemoryKind::Registered)
    return true;
  std::byte probe;
  return dead->kind == MemoryKind::Pinned && readSafely(reinterpret_cast<const void *>(address), &probe, sizeof probe);
}

/// `bytes` is null after a violation.
Side findSide(Driver &d, const CopyRequest &request, const CopySide &wanted, AccessKind kind) {
  Side side{wanted, d.memory.find(wanted.address)};
  if (!side.wanted.pitch)
    side.wanted.pitch = request.width;
  if (!side.wanted.slice)
    side.wanted.slice = request.height * side.wanted.pitch;
  side.span = (request.depth - 1) * side.wanted.slice + (request.height - 1) * side.wanted.pitch + request.width;
  const bool isDevice = side.allocation && !isHostMemory(side.allocation->kind);
  if (isDevice && !wanted.mayBeDevice) {
    d.violate(Rule::NotHostMemory, hex(wanted.address) + " is device memory, but the call takes host memory there",
              CUDA_ERROR_INVALID_VALUE);
    return side;
  }
  bool isAddressOfDevice = false;
  for (int device = 0; device < d.deviceCount(); ++device)
    isAddressOfDevice |= d.deviceMemory(device).contains(wanted.address);
  if (!side.allocation && wanted.mayBePageable && !isAddressOfDevice && isPageable(d, wanted.address))
    side.bytes = reinterpret_cast<std::byte *>(wanted.address);
  else
    side.bytes = d.resolve({wanted.address, side.span, kind}, request.name, Rule::OutOfBounds);
  return side;
}

template <class Body> void forRows(const CopyRequest &request, Body body) {
  for (size_t slice = 0; slice < request.depth; ++slice)
    for (size_t row = 0; row < request.height; ++row)
      body(slice, row);
}

size_t offsetOf(const CopySide &side, size_t slice, size_t row) { return slice * side.slice + row * side.pitch; }

void addAccesses(Work &work, const CopyRequest &request, const Side &side, AccessKind kind) {
  if (!side.allocation)
    return;
  const bool isOneRange = side.wanted.pitch == request.width && side.wanted.slice == request.height * request.width;
  if (isOneRange || request.height * request.depth > maxRows) {
    work.accesses.push_back({side.wanted.address, side.span, kind});
    return;
  }
  forRows(request, [&](size_t slice, size_t row) {
    work.accesses.push_back({side.wanted.address + offsetOf(side.wanted, slice, row), request.width, kind});
  });
}

void addWatch(Driver &d, Work &work, const Side &side) {
  if (!side.allocation || !isHostMemory(side.allocation->kind))
    return;
  work.watches.push_back({side.allocation, side.wanted.address, side.span, hashBytes(side.bytes, side.span),
                          side.allocation->workWrites, d.hostFunctions});
}

/// Bytes that nothing wrote: they may be copied on, but what a program reads of them is chance.
void checkDefined(Driver &d, const CopyRequest &request, const Side &from) {
  size_t missing = 0, first = 0;
  const ptxmachine::WrittenBytes &written = regionOf(d, *from.allocation)->written;
  const size_t base = from.wanted.address - from.allocation->address;
  forRows(request, [&](size_t slice, size_t row) {
    const size_t begin = base + offsetOf(from.wanted, slice, row);
    for (size_t at = begin; at < begin + request.width; ++at)
      if (!written.all(at, 1) && !missing++)
        first = at;
  });
  if (missing)
    d.violate(Rule::UndefinedCopy,
              std::string(request.name) + " brings " + std::to_string(missing) +
                  " bytes to the host that were never written, the first at byte " + std::to_string(first) +
                  " of the memory made by " + from.allocation->madeBy,
              CUDA_SUCCESS);
}

/// The target knows as much about each byte as the source.
void copyWritten(Driver &d, const CopyRequest &request, const Side &to, const Side &from) {
  const ptxmachine::WrittenBytes source = regionOf(d, *from.allocation)->written;
  ptxmachine::WrittenBytes &target = regionOf(d, *to.allocation)->written;
  const size_t toBase = to.wanted.address - to.allocation->address;
  const size_t fromBase = from.wanted.address - from.allocation->address;
  forRows(request, [&](size_t slice, size_t row) {
    const size_t begin = fromBase + offsetOf(from.wanted, slice, row);
    const size_t there = toBase + offsetOf(to.wanted, slice, row);
    if (source.all(begin, request.width))
      return target.set(there, request.width, true);
    for (size_t at = 0; at < request.width; ++at)
      target.set(there + at, 1, source.all(begin + at, 1));
  });
}

/// Addresses are resolved again: memory may have been freed since, which is then a violation and not a crash.
std::function<CUresult(Driver &)> runner(const CopyRequest &request, const Side &to, const Side &from,
                                         const std::shared_ptr<std::vector<std::byte>> &captured) {
  const std::byte *source = captured ? captured->data() : from.bytes;
  return [=, name = std::string(request.name), held = captured](Driver &driver) {
    if (from.allocation && !driver.resolve({from.wanted.address, from.span, AccessKind::Read}, name, Rule::OutOfBounds))
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    if (to.allocation && !driver.resolve({to.wanted.address, to.span, AccessKind::Read}, name, Rule::OutOfBounds))
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    if (from.allocation && to.allocation)
      copyWritten(driver, request, to, from);
    else if (to.allocation)
      forRows(request, [&](size_t slice, size_t row) {
        const uint64_t address = to.wanted.address + offsetOf(to.wanted, slice, row);
        markWritten(driver, *to.allocation, {address, request.width, AccessKind::Write});
      });
    if (from.allocation && (!to.allocation || isHostMemory(to.allocation->kind)) &&
        driver.ledger.isOn(Rule::UndefinedCopy))
      checkDefined(driver, request, from);
    forRows(request, [&](size_t slice, size_t row) {
      std::memmove(to.bytes + offsetOf(to.wanted, slice, row), source + offsetOf(from.wanted, slice, row),
                   request.width);
    });
    return CUDA_SUCCESS;
  };
}

std::shared_ptr<std::vector<std::byte>> capture(const Side &from) {
  return std::make_shared<std::vector<std::byte>>(from.bytes, from.bytes + from.span);
}

} // namespace

CUresult copyMemory(Driver &d, const CopyRequest &request, CUstream handle) {
  const std::shared_ptr<Stream> stream = d.findStream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!request.isAsync && !stream->capture) {
    if (const CUresult result = d.checkImplicit(*stream); result != CUDA_SUCCESS)
      return result;
    if (const CUresult result = d.checkUnsafeCall(); result != CUDA_SUCCESS)
      return result;
  }
  if (!request.width || !request.height || !request.depth)
    return CUDA_SUCCESS;
  const Side to = findSide(d, request, request.to, AccessKind::Read);
  const Side from = findSide(d, request, request.from, AccessKind::Read);
  if (!to.bytes || !from.bytes)
    return CUDA_ERROR_INVALID_VALUE;
  if (to.wanted.pitch < request.width || from.wanted.pitch < request.width ||
      to.wanted.slice < request.height * to.wanted.pitch || from.wanted.slice < request.height * from.wanted.pitch)
    return d.violate(Rule::InvalidArgument, "a pitch is smaller than the row, or a slice than its rows",
                     CUDA_ERROR_INVALID_VALUE);

  auto work = std::make_shared<Work>();
  work->name = request.name;
  work->unsafeInCapture = !to.allocation || !from.allocation;
  addAccesses(*work, request, to, AccessKind::Write);
  addAccesses(*work, request, from, AccessKind::Read);
  addWatch(d, *work, to);
  addWatch(d, *work, from);
  // A pageable source is staged: after the call, the caller may change it.
  const bool isStaged = !from.allocation && to.allocation;
  if (isStaged && !request.isAsync && !stream->capture)
    if (const CUresult result = d.synchronize(stream); result != CUDA_SUCCESS)
      return result;
  work->run = runner(request, to, from, isStaged ? capture(from) : nullptr);
  const Enqueued queued = d.enqueue(stream, work);
  if (queued.result != CUDA_SUCCESS || !queued.id)
    return queued.result;

  const bool toHost = !to.allocation || isHostMemory(to.allocation->kind);
  const bool fromPinned = from.allocation && isHostMemory(from.allocation->kind);
  const bool mustWait =
      (to.allocation && to.allocation->isSynchronous) || (from.allocation && from.allocation->isSynchronous);
  const bool waits = mustWait || (request.isAsync ? !to.allocation : toHost || fromPinned);
  return waits ? d.synchronize(stream) : CUDA_SUCCESS;
}

CUresult fillMemory(Driver &d, const FillRequest &request, CUstream handle) {
  const std::shared_ptr<Stream> stream = d.findStream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!request.count)
    return CUDA_SUCCESS;
  const size_t bytes = request.count * request.elementBytes;
  if (request.to % request.elementBytes)
    return d.violate(Rule::Misaligned, hex(request.to) + " is no multiple of the element's size",
                     CUDA_ERROR_INVALID_VALUE);
  const Access access{request.to, bytes, AccessKind::Write};
  if (!d.resolve(access, "memset", Rule::OutOfBounds))
    return CUDA_ERROR_INVALID_VALUE;
  auto work = std::make_shared<Work>();
  work->name = "memset";
  work->accesses = {access};
  work->run = [request, access](Driver &driver) {
    std::byte *to = driver.resolve(access, "memset", Rule::OutOfBounds);
    if (!to)
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    for (size_t at = 0; at < request.count; ++at)
      std::memcpy(to + at * request.elementBytes, &request.value, request.elementBytes);
    return CUDA_SUCCESS;
  };
  const Enqueued queued = d.enqueue(stream, work);
  const std::shared_ptr<Allocation> allocation = d.memory.find(request.to);
  const bool waits = allocation && (allocation->isSynchronous || (!request.isAsync && isHostMemory(allocation->kind)));
  return queued.id && waits ? d.synchronize(stream) : queued.result;
}

} // namespace fakecuda
