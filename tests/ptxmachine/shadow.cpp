// Conflicts between accesses, after FastTrack (Flanagan and Freund, 2009): one last write and one last read for most
// cells.
#include "shadow.h"

#include <algorithm>

namespace ptxmachine {

namespace {
/// Readers of one cell that no order relates; beyond it new ones replace old ones, which loses races and reports none
/// that is not there.
constexpr size_t maxReaders = 64;
} // namespace

const Epoch *Shadow::access(size_t offset, size_t size, AccessKind kind, const Epoch &now, const Asker &asker) {
  const Epoch *found = nullptr;
  for (const size_t end = offset + size; offset < end;) {
    auto &page = pages[offset / pageBytes];
    if (!page)
      page = std::make_unique<Page>();
    Cell &cell = page->cells[offset % pageBytes / unit];
    const size_t first = offset % unit, last = std::min(unit, first + end - offset);
    const bool isWhole = first == 0 && last == unit;
    if (isWhole && !cell.fine) {
      if (const Epoch *past = touch(cell, kind, now, asker))
        found = past;
    } else {
      Cell *parts = split(cell);
      for (size_t at = first; at < last; ++at)
        if (const Epoch *past = touch(parts[at], kind, now, asker))
          found = past;
    }
    offset += last - first;
  }
  return found;
}

Shadow::Cell *Shadow::split(Cell &cell) {
  if (!cell.fine) {
    bytes.push_back(std::make_unique<Cell[]>(unit));
    for (size_t at = 0; at < unit; ++at) {
      bytes.back()[at] = cell;
      if (cell.more) {
        readers.push_back(std::vector<Epoch>(readers[cell.more - 1]));
        bytes.back()[at].more = static_cast<uint32_t>(readers.size());
      }
    }
    cell.fine = static_cast<uint32_t>(bytes.size());
  }
  return bytes[cell.fine - 1].get();
}

const Epoch *Shadow::findReader(const Cell &cell, const Epoch &now, const Asker &asker) const {
  const auto conflicts = [&](const Epoch &past) { return !(past.isStrong && now.isStrong) && !asker.knows(past); };
  if (cell.read.isNone())
    return nullptr;
  if (conflicts(cell.read))
    return &cell.read;
  if (cell.more)
    for (const Epoch &past : readers[cell.more - 1])
      if (conflicts(past))
        return &past;
  return nullptr;
}

/// Readers that the new one knows are dropped: whoever is ordered after the new one is ordered after them.
void Shadow::addReader(Cell &cell, const Epoch &now, const Asker &asker) {
  const auto isSame = [&](const Epoch &past) {
    return past.warp == now.warp && past.round == now.round && past.time == now.time && past.isStrong == now.isStrong &&
           past.isReadOnly == now.isReadOnly;
  };
  const auto isReplaced = [&](const Epoch &past) { return (!now.isStrong || past.isStrong) && asker.knows(past); };
  if (isSame(cell.read)) {
    cell.read.lanes |= now.lanes;
    return;
  }
  if (cell.read.isNone() || (!hasMore(cell) && isReplaced(cell.read))) {
    cell.read = now;
    return;
  }
  if (now.isReadOnly && cell.read.isReadOnly)
    return; // one of them is enough: every write conflicts with it
  if (!cell.more) {
    readers.emplace_back();
    cell.more = static_cast<uint32_t>(readers.size());
  }
  std::vector<Epoch> &list = readers[cell.more - 1];
  for (Epoch &past : list)
    if (isSame(past)) {
      past.lanes |= now.lanes;
      return;
    }
  std::erase_if(list, isReplaced);
  if (list.size() < maxReaders)
    list.push_back(now);
  else
    list[(now.warp * 31 + now.time) % maxReaders] = now;
}

const Epoch *Shadow::touch(Cell &cell, AccessKind kind, const Epoch &now, const Asker &asker) {
  const Epoch *past = nullptr;
  const bool hasWrite = !cell.write.isNone();
  const bool knowsWrite = !hasWrite || asker.knows(cell.write);
  if (kind != AccessKind::Silent && !knowsWrite && !(cell.write.isStrong && now.isStrong))
    past = &cell.write;
  const bool isWrite = past != nullptr;
  if (!past && kind == AccessKind::Write)
    past = findReader(cell, now, asker);
  if (past) { // other cells of the same access may have none
    conflictWrites = isWrite;
    conflict = *past;
    past = &conflict;
  }
  if (kind != AccessKind::Write) {
    addReader(cell, now, asker);
    return past;
  }
  // An unordered strong write that hides a weak one would hide races with that one, too.
  if (knowsWrite || now.isStrong == cell.write.isStrong)
    cell.write = now;
  if (!now.isStrong) {
    cell.read = {};
    if (cell.more)
      readers[cell.more - 1].clear();
  }
  return past;
}

void Shadow::forTouched(const std::function<void(size_t, size_t, bool, bool)> &f) const {
  size_t begin = 0, end = 0;
  bool isWritten = false, isRead = false;
  const auto add = [&](size_t offset, size_t count, const Cell &cell) {
    const bool w = !cell.write.isNone(), r = !cell.read.isNone();
    if (offset != end || w != isWritten || r != isRead) {
      if (isWritten || isRead)
        f(begin, end - begin, isWritten, isRead);
      begin = offset, isWritten = w, isRead = r;
    }
    end = offset + count;
  };
  for (size_t page = 0; page < pages.size(); ++page)
    if (pages[page])
      for (size_t at = 0; at < pageBytes / unit; ++at) {
        const Cell &cell = pages[page]->cells[at];
        const size_t offset = page * pageBytes + at * unit;
        if (!cell.fine)
          add(offset, unit, cell);
        else
          for (size_t byte = 0; byte < unit; ++byte)
            add(offset + byte, 1, bytes[cell.fine - 1][byte]);
      }
  if (isWritten || isRead)
    f(begin, end - begin, isWritten, isRead);
}

} // namespace ptxmachine
