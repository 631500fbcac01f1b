// Limits of devices by their compute capability: the table of NVIDIA's programming guide.
#include "device_limits.h"

namespace fakecuda {

namespace {
constexpr int kib = 1024;

/// In ascending order. A device has the limits of the last entry that is not above it.
constexpr Limits table[] = {
    {75, 64 * kib, 64 * kib, 0, 1024, 16},      {80, 163 * kib, 164 * kib, kib, 2048, 32},
    {86, 99 * kib, 100 * kib, kib, 1536, 16},   {87, 163 * kib, 164 * kib, kib, 1536, 16},
    {89, 99 * kib, 100 * kib, kib, 1536, 24},   {90, 227 * kib, 228 * kib, kib, 2048, 32},
    {110, 227 * kib, 228 * kib, kib, 1536, 24}, {120, 99 * kib, 100 * kib, kib, 1536, 24},
};
} // namespace

const Limits &limitsOf(const FakeCudaConfig &config) {
  const Limits *best = table;
  for (const Limits &limits : table)
    if (limits.capability <= config.computeCapability)
      best = &limits;
  return *best;
}

} // namespace fakecuda
