// TestDevice: memory of a device for tests, and launches of PTX texts on it.
#pragma once

#include "ptxmachine/launch.h"

#include <deque>
#include <map>
#include <set>

namespace ptxmachine {

class TestDevice : public DeviceMemory {
public:
  /// `isWritten` false: fresh memory, which no one may read.
  template <class T> uint64_t array(const std::vector<T> &values, bool isWritten = true) {
    const size_t bytes = values.size() * sizeof(T);
    storage.emplace_back(bytes);
    std::memcpy(storage.back().data(), values.data(), bytes);
    Region region;
    region.address = next;
    region.bytes = bytes;
    region.data = storage.back().data();
    region.id = static_cast<uint32_t>(storage.size());
    region.name = "array " + std::to_string(storage.size());
    if (!isWritten)
      region.written = WrittenBytes(bytes);
    next += (bytes + 1023) / 512 * 512;
    regions[region.address] = std::move(region);
    return next - (bytes + 1023) / 512 * 512;
  }
  template <class T> std::vector<T> read(uint64_t address) {
    const Region &region = regions.at(address);
    std::vector<T> result(region.bytes / sizeof(T));
    std::memcpy(result.data(), region.data, region.bytes);
    return result;
  }

  Region *find(uint64_t address) override {
    auto after = regions.upper_bound(address);
    if (after == regions.begin())
      return nullptr;
    Region &region = (--after)->second;
    return address < region.address + region.bytes ? &region : nullptr;
  }
  std::string describe(uint64_t) override { return "no array is there"; }
  uint64_t allocate(size_t bytes) override {
    if (bytes > heapLimit)
      return 0;
    const uint64_t address = array(std::vector<std::byte>(bytes), false);
    regions[address].isOfThread = true;
    return *heap.insert(address).first;
  }
  bool release(uint64_t address) override { return heap.erase(address) != 0; }
  void print(const std::string &text) override { printed += text; }

  std::set<uint64_t> heap; ///< what kernels have allocated and not freed
  size_t heapLimit = 8 << 20;

  std::string printed;
  LaunchShape shape;
  LaunchOptions options;

  /// Variables of the module are placed and initialised; parameters are 8 bytes each unless given as smaller types.
  template <class... Values>
  std::unique_ptr<Launch> launch(const std::string &text, const char *entry, Values... values) {
    return launch(std::make_shared<Module>(parse(text)), entry, values...);
  }
  template <class... Values>
  std::unique_ptr<Launch> launch(const std::shared_ptr<Module> &module, const char *entry, Values... values) {
    std::map<std::string, uint64_t> addresses;
    for (const Variable &variable : module->variables)
      if ((variable.space == Space::Global || variable.space == Space::Const) && variable.linkage != Linkage::Extern) {
        addresses[variable.name] = array(std::vector<std::byte>(variable.bytes));
        find(addresses[variable.name])->name = variable.name;
        find(addresses[variable.name])->isConstant = variable.space == Space::Const;
      }
    for (const Variable &variable : module->variables)
      if (addresses.contains(variable.name)) {
        const auto bytes = initialBytes(*module, variable, addresses);
        std::memcpy(find(addresses[variable.name])->data, bytes.data(), bytes.size());
      }
    std::vector<std::byte> block;
    (append(block, values), ...);
    return std::make_unique<Launch>(std::make_shared<Program>(module, addresses), entry, block, shape, *this, options);
  }
  template <class Text, class... Values> void run(const Text &text, const char *entry, Values... values) {
    const auto started = launch(text, entry, values...);
    for (unsigned slices = 0; !started->run(1 << 20);)
      if (++slices > 200)
        throw Fault(FaultKind::Deadlock, "it never ends\n" + started->describe());
  }

private:
  template <class T> static void append(std::vector<std::byte> &block, T value) {
    block.resize((block.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
    std::memcpy(block.data() + block.size() - sizeof(T), &value, sizeof(T));
  }

  std::deque<std::vector<std::byte>> storage;
  std::map<uint64_t, Region> regions;
  uint64_t next = 0x10000000;
};

} // namespace ptxmachine
