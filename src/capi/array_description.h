// Arrays of the C API: elements and extents according to a treadle_array_desc, and copies of elements.
#pragma once

#include "capi/objects.h"
#include "device/memory_kind.h"

namespace treadle::capi {

/// Throws ApiError for other numbers than TREADLE_MEMORY_*.
MemoryKind memoryKindOf(uint32_t kind);

// In a stream's order; host memory is in C order without gaps. All throw what copies throw.

void writeElements(const ArrayView &to, const void *from, treadle_stream stream);
void readElements(const ArrayView &from, void *to, treadle_stream stream);
void copyElements(const ArrayView &to, const ArrayView &from, treadle_stream stream);

/// What the program has set; fields that its version lacks are zero. Throws ApiError for another major version.
treadle_array_desc readDescription(const treadle_array_desc *given);
/// The elements that code, bits and lanes denote, or the typestr with TREADLE_CODE_DESCR. Throws ApiError (BUFFER).
const Type *elementOf(const treadle_array_desc &given);
/// Throws ApiError.
std::span<const int64_t> shapeOf(const treadle_array_desc &given);
/// Nothing: C order without gaps.
std::optional<std::span<const int64_t>> stridesOf(const treadle_array_desc &given);

/// An array's own description, except for streams.
treadle_array_desc describe(const ArrayObject &array);
/// The array whose unchanged description `given` is. Null: it comes from another library, was changed, or names a
/// stream.
const ArrayObject *ownArray(const treadle_array_desc &given);

} // namespace treadle::capi
