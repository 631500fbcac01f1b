// Checks of a launch: its arguments against a kernel's parameters, and the image's assumptions against the launch.
#pragma once

#include "capi/kernel_code.h"

#include <span>

namespace treadle::capi {

/// Reads the arguments into `list`, which refers to them. Throws ApiError, DeviceError for arrays that a reset has
/// voided. Within a Pin.
void readArguments(const KernelCode &code, std::span<const treadle_argument> arguments, ArgumentList &list);

/// The first code from `head` on whose assumptions hold for the launch. Throws ApiError (FACT) naming the first fact of
/// the last code that does not hold.
KernelCode &fittingCode(KernelCode &head, const ConfigFacts &config, const ArgumentList &list);

/// The array of an argument, on the device of the launch. Throws as above.
const ArrayObject &arrayOf(const treadle_argument &argument, const DeviceContext &context, unsigned index);

/// "argument 2".
std::string argumentName(unsigned index);

} // namespace treadle::capi
