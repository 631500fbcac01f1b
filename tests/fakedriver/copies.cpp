// What copies and memsets check, when they run, and their effects.
#include "copies.h"

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

/// `bytes` is null after a violation.
Side findSide(Driver &d, const CopyRequest &request, const CopySide &wanted, AccessKind kind) {
  Side side{wanted, d.memory.find(wanted.address)};
  if (!side.wanted.pitch)
    side.wanted.pitch = request.width;
  side.span = (request.height - 1) * side.wanted.pitch + request.width;
  const bool isDevice = side.allocation && !isHostMemory(side.allocation->kind);
  if (isDevice && !wanted.mayBeDevice) {
    d.violate(Rule::NotHostMemory, hex(wanted.address) + " is device memory, but the call takes host memory there",
              CUDA_ERROR_INVALID_VALUE);
    return side;
  }
  bool isAddressOfDevice = false;
  for (int device = 0; device < d.deviceCount(); ++device)
    isAddressOfDevice |= d.deviceMemory(device).contains(wanted.address);
  if (!side.allocation && wanted.mayBePageable && !isAddressOfDevice && !d.memory.findDead(wanted.address))
    side.bytes = reinterpret_cast<std::byte *>(wanted.address);
  else
    side.bytes = d.resolve({wanted.address, side.span, kind}, request.name, Rule::OutOfBounds);
  return side;
}

void addAccesses(Work &work, const CopyRequest &request, const Side &side, AccessKind kind) {
  if (!side.allocation)
    return;
  if (side.wanted.pitch == request.width || request.height > maxRows) {
    work.accesses.push_back({side.wanted.address, side.span, kind});
    return;
  }
  for (size_t row = 0; row < request.height; ++row)
    work.accesses.push_back({side.wanted.address + row * side.wanted.pitch, request.width, kind});
}

void addWatch(Driver &d, Work &work, const Side &side) {
  if (!side.allocation || !isHostMemory(side.allocation->kind))
    return;
  work.watches.push_back({side.allocation, side.wanted.address, side.span, hashBytes(side.bytes, side.span),
                          side.allocation->workWrites, d.hostFunctions});
}

struct Rows {
  std::byte *to;
  const std::byte *from;
  size_t toPitch, fromPitch, width, height;
};

void copyRows(const Rows &rows) {
  for (size_t row = 0; row < rows.height; ++row)
    std::memmove(rows.to + row * rows.toPitch, rows.from + row * rows.fromPitch, rows.width);
}

/// Addresses are resolved again: memory may have been freed since, which is then a violation and not a crash.
std::function<CUresult(Driver &)> runner(const CopyRequest &request, const Side &to, const Side &from,
                                         const std::shared_ptr<std::vector<std::byte>> &captured) {
  const Rows rows{to.bytes,        captured ? captured->data() : from.bytes,
                  to.wanted.pitch, from.wanted.pitch,
                  request.width,   request.height};
  return [=, name = std::string(request.name), held = captured](Driver &driver) {
    if (to.allocation && !driver.resolve({to.wanted.address, to.span, AccessKind::Write}, name, Rule::OutOfBounds))
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    if (from.allocation && !driver.resolve({from.wanted.address, from.span, AccessKind::Read}, name, Rule::OutOfBounds))
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    copyRows(rows);
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
  if (!request.width || !request.height)
    return CUDA_SUCCESS;
  const Side to = findSide(d, request, request.to, AccessKind::Write);
  const Side from = findSide(d, request, request.from, AccessKind::Read);
  if (!to.bytes || !from.bytes)
    return CUDA_ERROR_INVALID_VALUE;
  if (to.wanted.pitch < request.width || from.wanted.pitch < request.width)
    return d.violate(Rule::InvalidArgument, "a pitch is smaller than the row", CUDA_ERROR_INVALID_VALUE);

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
  const bool waits = request.isAsync ? !to.allocation : toHost || fromPinned;
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
  return d.enqueue(stream, work).result;
}

} // namespace fakecuda
