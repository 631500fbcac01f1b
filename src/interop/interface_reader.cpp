// Reads the CUDA Array Interface, versions 0 to 3, and what later versions keep of them.
#include "interop/interface_reader.h"

#include "interop/interface_types.h"

#include <fmt/core.h>

namespace treadle {

namespace {

constexpr int64_t firstVersionWithStream = 3;

[[noreturn]] void fail(UsageError::Kind kind, const std::string &message) { throw UsageError(kind, message); }

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

const Type *elementOf(const InterfaceFields &fields) {
  const std::string_view typestr = fields.typestr;
  const Type *const element = fields.record ? fields.record : fields.known ? fields.known : elementOfTypestr(typestr);
  if (!element && !isTypestr(typestr))
    fail(UsageError::Kind::Value,
         "typestr must be a byte order, a kind and a number of bytes, such as '<f4', found " + quoted(typestr));
  if (!element)
    fail(UsageError::Kind::Buffer, typestr[0] == '>'
                                       ? "the elements (" + quoted(typestr) + ") are not in this machine's byte order"
                                       : "the elements are of a type that arrays do not have: " + quoted(typestr));
  if (fields.record && opaqueBytes(typestr) != element->bytes())
    fail(UsageError::Kind::Value,
         fmt::format("descr describes elements of {} bytes, and typestr is {}", element->bytes(), quoted(typestr)));
  return element;
}

std::optional<uint64_t> streamOf(const InterfaceFields &fields) {
  if (fields.version < firstVersionWithStream || !fields.stream)
    return std::nullopt;
  if (*fields.stream <= 0)
    fail(UsageError::Kind::Value,
         fmt::format(
             "stream must be None, 1 (the legacy default stream), 2 (the thread's) or a stream's handle, found {}{}",
             *fields.stream, *fields.stream == 0 ? ", which could mean either default stream" : ""));
  return uint64_t(*fields.stream);
}

} // namespace

InterfaceReader::InterfaceReader(const InterfaceFields &fields) {
  if (fields.version < 0)
    fail(UsageError::Kind::Value, fmt::format("version must be 0 to 3, or later, found {}", fields.version));
  orderedBy = streamOf(fields);
  array.element = elementOf(fields);
  const auto itemBytes = int64_t(array.element->bytes());
  array.extents = {fields.shape, {packed, fields.shape.size()}, itemBytes};
  packStrides(fields.shape, itemBytes, false, packed); // throws for invalid extents
  if (fields.strides) {
    if (fields.strides->size() != fields.shape.size())
      fail(UsageError::Kind::Value, fmt::format("strides must have one number for each dimension: {}, found {}",
                                                fields.shape.size(), fields.strides->size()));
    array.extents.strides = *fields.strides;
  }
  array.data = reinterpret_cast<void *>(fields.data); // NOLINT(performance-no-int-to-ptr)
  array.isReadOnly = fields.isReadOnly;
}

} // namespace treadle
