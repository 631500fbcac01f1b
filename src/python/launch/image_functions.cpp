// Saves kernels as image files, for programs without Python.
#include "launch/saved_images.h"
#include "python/host/gil_lock.h"
#include "python/host/module_parts.h"
#include "python/host/object_access.h"
#include "python/launch/dispatcher_object.h"
#include "python/types/type_objects.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// A dispatcher, the types of its arguments, its public name, names of the arguments.
using SavedKernel = std::tuple<nb::object, Signature, std::string, std::vector<std::string>>;

/// file_of_images([(dispatcher, signature, name, names of parameters)], [name of a target]) -> bytes
nb::bytes fileOfImages(const std::vector<SavedKernel> &kernels, const std::vector<std::string> &targetNames) {
  GilLock gil;
  std::vector<Target> targets;
  for (const std::string &name : targetNames)
    for (Target &target : targetsNamed(name))
      targets.push_back(std::move(target));
  std::vector<FiledImage> images;
  for (const auto &[dispatcher, signature, name, parameters] : kernels)
    for (const auto &image : dispatcherOf(dispatcher.ptr()).imagesFor(signature, targets, gil)) {
      checkSavable(*image, name);
      images.push_back({name, parameters, *image});
    }
  const std::string bytes = writeImages(images);
  return nb::bytes(bytes.data(), bytes.size());
}

} // namespace

void addImageFunctions(nb::module_ &module) {
  module.def("file_of_images", &fileOfImages,
             "The images of kernels, [(dispatcher, signature, name, names of parameters)], for targets by name.");
}

} // namespace treadle::python
