// print() of kernels: each worker collects text, the launch sorts it by block.
#include "border/print_directive.h"
#include "device/cpu/threads/worker_memory.h"
#include "support/text/plain_numbers.h"

#include <bit>
#include <cstdio>

namespace treadle::cpu {

namespace {

using printing::Shown;

/// The directive comes from the compiler, which accepts only those of Python's formats that printf has.
void appendAs(std::string &text, const PrintItem &item, uint64_t bits) {
  const std::string directive = printing::withLength(item.directive);
  const auto print = [&](char *place, size_t size) {
    switch (item.kind) {
    case PrintItem::Float:
      return std::snprintf(place, size, directive.c_str(), std::bit_cast<double>(bits));
    case PrintItem::Bool:
      return std::snprintf(place, size, directive.c_str(), bits ? "True" : "False");
    default:
      return std::snprintf(place, size, directive.c_str(), static_cast<unsigned long long>(bits));
    }
  };
  std::string shown(size_t(print(nullptr, 0)), '\0');
  print(shown.data(), shown.size() + 1);
  text += shown;
}

/// As CUDA's printf: floats with six decimals.
void append(std::string &text, const PrintItem &item, unsigned lane) {
  if (item.kind == PrintItem::Text) {
    text += static_cast<const char *>(item.data);
    return;
  }
  const uint64_t bits = static_cast<const uint64_t *>(item.data)[lane];
  if (item.directive)
    return appendAs(text, item, bits);
  constexpr char asFloat[] = {'%', printing::usualLetter(Shown::Float), '\0'};
  char shown[400]; // the largest double has 309 digits before the point
  switch (item.kind) {
  case PrintItem::Signed:
    text += std::to_string(int64_t(bits));
    return;
  case PrintItem::Unsigned:
    text += std::to_string(bits);
    return;
  case PrintItem::Float:
    std::snprintf(shown, sizeof shown, asFloat, std::bit_cast<double>(bits));
    text += shown;
    return;
  default:
    text += bits ? "True" : "False";
  }
}

} // namespace

void WorkerMemory::print(const PrintCall &call) {
  if (printed.empty() || printed.back().block != call.block)
    printed.push_back({call.block, {}});
  std::string &text = printed.back().text;
  const PlainNumbers plain;
  for (uint32_t left = call.lanes; left; left &= left - 1)
    for (uint32_t i = 0; i < call.count; ++i)
      append(text, call.items[i], unsigned(std::countr_zero(left)));
}

} // namespace treadle::cpu

extern "C" void treadle_cpu_print(const treadle::cpu::PrintCall *call) {
  treadle::cpu::WorkerMemory::ofThisThread().print(*call);
}
