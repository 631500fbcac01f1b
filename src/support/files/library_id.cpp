// Notes of ELF files, in memory and on disk.
#include "support/files/library_id.h"

#include "support/files/owned_file.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace treadle {

namespace {

constexpr std::string_view owner("GNU", 4); ///< including its terminating zero
/// More than any note or program header table takes: sizes that a file states are not trusted.
constexpr size_t mostBytes = 1 << 16;

constexpr size_t padded(size_t bytes) { return (bytes + 3) & ~size_t(3); }

/// The build id among notes; empty: there is none.
std::string idIn(std::string_view notes) {
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes.remove_prefix(sizeof note);
    const size_t name = padded(note.n_namesz), content = padded(note.n_descsz);
    if (name > notes.size() || content > notes.size() - name)
      return {};
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(0, note.n_namesz) == owner)
      return std::string(notes.substr(name, note.n_descsz));
    notes.remove_prefix(name + content);
  }
  return {};
}

struct Search {
  uintptr_t address;
  std::string id;
};

bool contains(const dl_phdr_info &library, uintptr_t address) {
  for (size_t i = 0; i < library.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = library.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && address - (library.dlpi_addr + segment.p_vaddr) < segment.p_memsz)
      return true;
  }
  return false;
}

int look(dl_phdr_info *library, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  if (!contains(*library, search.address))
    return 0;
  for (size_t i = 0; i < library->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr) &segment = library->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE)
      search.id = idIn({reinterpret_cast<const char *>(library->dlpi_addr + segment.p_vaddr), segment.p_memsz});
  }
  return 1;
}

bool read(int file, void *bytes, size_t count, uint64_t offset) {
  return count <= mostBytes && pread(file, bytes, count, off_t(offset)) == ssize_t(count);
}

} // namespace

std::string loadedLibraryId(const void *address) {
  Search search{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(look, &search);
  return std::move(search.id);
}

std::string libraryFileId(const std::string &path) {
  const OwnedFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  ElfW(Ehdr) header;
  if (!file || !read(file.number, &header, sizeof header, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_phentsize != sizeof(ElfW(Phdr)))
    return {};
  std::vector<ElfW(Phdr)> segments(header.e_phnum);
  if (!read(file.number, segments.data(), segments.size() * sizeof(ElfW(Phdr)), header.e_phoff))
    return {};
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > mostBytes)
      continue;
    std::string notes(segment.p_filesz, 0);
    if (!read(file.number, notes.data(), notes.size(), segment.p_offset))
      return {};
    if (std::string id = idIn(notes); !id.empty())
      return id;
  }
  return {};
}

} // namespace treadle
