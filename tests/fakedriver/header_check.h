// The values of the API's constants and the layout of its structures, as ours and as NVIDIA's header has them.
#pragma once

#include <map>
#include <string>

namespace fakecuda::testing {

using HeaderNumbers = std::map<std::string, unsigned long long>;

HeaderNumbers ourNumbers();
/// Empty where cuda.h is not installed.
HeaderNumbers nvidiaNumbers();

} // namespace fakecuda::testing
