// From a file to a launch, by what the runtime has for it.
#include "image_runs.h"

#include "border/image_file.h"
#include "device/device.h"
#include "runtime/runtime.h"
#include "support/clock.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <tuple>

namespace nb = nanobind;

namespace treadle::python {

namespace {

using GivenArray = std::tuple<uint64_t, uint64_t, uint64_t>; ///< address, bytes of an element, elements

Image imageAt(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return readImage(std::string(std::istreambuf_iterator<char>(file), {}));
}

struct Printer final : LaunchWatcher {
  void onLongCall() override {}
  bool shouldContinue(Activity) noexcept override { return true; }
  void printed(std::string_view text) override { output += text; }
  std::string output;
};

std::vector<char> parametersOf(const Image &image, const std::vector<GivenArray> &arrays) {
  std::vector<char> block(image.parameters.size);
  for (const ParameterLeaf &leaf : image.parameters.leaves) {
    const auto &[address, itemBytes, items] = arrays.at(leaf.argument);
    const uint64_t value = leaf.source == ParameterLeaf::Source::Pointer  ? address
                           : leaf.source == ParameterLeaf::Source::Extent ? items
                                                                          : itemBytes;
    std::memcpy(block.data() + leaf.offset, &value, leaf.bytes);
  }
  return block;
}

std::string runImage(const std::string &path, std::tuple<uint32_t, uint32_t> shape,
                     const std::vector<GivenArray> &arrays, const std::vector<uint64_t> &captured) {
  Device &device = Runtime::instance().device();
  const auto image = std::make_shared<const Image>(imageAt(path));
  const std::shared_ptr<Kernel> kernel = device.code().load(image, captured)->kernel();
  const std::vector<char> parameters = parametersOf(*image, arrays);
  LaunchConfig config;
  config.grid[0] = std::get<0>(shape);
  config.block[0] = std::get<1>(shape);
  Printer printer;
  device.defaultStream().launch({kernel, config, parameters.data(), nullptr}, printer);
  return printer.output;
}

double loadImage(const std::string &path) {
  const auto image = std::make_shared<const Image>(imageAt(path));
  const uint64_t begin = monotonicNanoseconds();
  const std::shared_ptr<Module> module = Runtime::instance().device().code().load(image, {});
  return 1e-9 * double(monotonicNanoseconds() - begin);
}

} // namespace

void addImageRuns(nb::module_ &module) {
  module.def("run_image", runImage);
  module.def("load_image", loadImage);
}

} // namespace treadle::python
