// Arguments of a launch, checked against a kernel's parameters; and what its image assumes, against the launch.
#pragma once

#include "capi/kernel_code.h"

#include <span>

namespace treadle::capi {

/// Reads the arguments into `list`, which refers to them. Throws ApiError, DeviceError for arrays that a reset has
/// voided. Within a Pin.
void readArguments(const KernelCode &code, std::span<const treadle_argument> arguments, ArgumentList &list);

/// Throws ApiError (FACT) naming the first fact of the image's that the launch lacks. `config`: the facts of its
/// configuration.
void checkFacts(const KernelCode &code, const Facts &config, const ArgumentList &list);

/// The array of an argument, on the device of the launch. Throws as above.
const ArrayObject &arrayOf(const treadle_argument &argument, const DeviceContext &context, unsigned index);

/// "argument 2".
std::string argumentName(unsigned index);

} // namespace treadle::capi
