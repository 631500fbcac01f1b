// Streams of other libraries, as they name them.
#include "launch/runtime.h"
#include "python/interop/taken_tensor.h"
#include "support/error.h"

namespace treadle::python {

std::shared_ptr<Stream> producerStream(Device &device, uint64_t handle) {
  if (handle == 2)
    return device.threadStream();
  if (handle == 1)
    return {std::shared_ptr<void>(), &device.defaultStream()}; // lives as long as the device
  std::shared_ptr<Stream> found = device.streamOf(handle);
  if (!found)
    throw UsageError(UsageError::Kind::Value, "the stream of the array's library is " + std::to_string(handle) +
                                                  ", which is no stream of the device that has the memory");
  return found;
}

} // namespace treadle::python
