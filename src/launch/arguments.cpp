// Loads of scalars, and what queued launches keep alive.
#include "launch/arguments.h"

#include "support/half.h"

#include <complex>
#include <cstring>
#include <fmt/core.h>

namespace treadle {

std::string ArrayArgument::whyTooLarge() const {
  unsigned axis = 0;
  while (shape[axis] <= maxExtent)
    ++axis;
  return fmt::format("axis {} has {} elements; arrays have at most 2^47 along an axis", axis, shape[axis]);
}

namespace {

double realFrom(const void *bytes, unsigned size) {
  if (size == 2)
    return halfValue(*static_cast<const uint16_t *>(bytes));
  return size == 4 ? double(*static_cast<const float *>(bytes)) : *static_cast<const double *>(bytes);
}

} // namespace

void ArgumentList::addNumber(NumberCode number, const void *bytes) {
  const NumberRow &row = rowOf(number);
  switch (row.kind) {
  case TypeKind::Complex:
    if (row.bytes == 8) {
      const auto &parts = *static_cast<const std::complex<float> *>(bytes);
      return addReal(number, double(parts.real()), double(parts.imag()));
    } else {
      const auto &parts = *static_cast<const std::complex<double> *>(bytes);
      return addReal(number, parts.real(), parts.imag());
    }
  case TypeKind::Float:
    return addReal(number, realFrom(bytes, row.bytes), 0);
  default:
    break;
  }
  const bool isSigned = row.letter == 'i';
  const unsigned unused = 64 - row.bytes * 8u;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, row.bytes); // x86-64 is little-endian
  const int64_t integer = isSigned ? int64_t(bits << unused) >> unused : int64_t(bits);
  addScalar(number, isSigned ? ArgumentLeaf::Kind::Signed : ArgumentLeaf::Kind::Unsigned,
            row.kind == TypeKind::Bool ? integer != 0 : integer);
}

std::shared_ptr<const void> ArgumentOwners::captured() const {
  maker.isUsed();
  return maker.hold();
}

void ArgumentOwners::queued(const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) const {
  maker.use(timeline, position);
  for (const std::shared_ptr<Buffer> *buffer : list.buffers.view())
    (*buffer)->use(timeline, position);
}

} // namespace treadle
