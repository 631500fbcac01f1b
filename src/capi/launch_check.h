// Arguments of a launch, checked against a kernel's parameters; and what its image assumes, against the launch.
#pragma once

#include "capi/kernel_code.h"

#include <span>

namespace treadle::capi {

/// Reads the arguments into `list`, which refers to them. Throws ApiError, DeviceError for arrays that a reset has
/// voided. Within a Pin.
void readArguments(const KernelCode &code, std::span<const treadle_argument> arguments, ArgumentList &list);

/// The first code from `head` on whose image assumes nothing that does not hold for the launch. Throws ApiError (FACT)
/// naming the first fact that the last of them assumes in vain. `config`: the facts of the launch's configuration.
KernelCode &fittingCode(KernelCode &head, const Facts &config, const ArgumentList &list);

/// The array of an argument, on the device of the launch. Throws as above.
const ArrayObject &arrayOf(const treadle_argument &argument, const DeviceContext &context, unsigned index);

/// "argument 2".
std::string argumentName(unsigned index);

} // namespace treadle::capi
