// Keeps the images of a process for another one.
#include "image_store.h"

#include "border/generate_request.h"
#include "border/image_file.h"
#include "passing_compiler.h"
#include "runtime/runtime.h"
#include "support/error.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// Replaces the compiler.
class ImageStore final : public PassingCompiler {
public:
  ImageStore(Compiler &compiler, std::string folder, bool replays)
      : PassingCompiler(compiler), folder(std::move(folder)), replays(replays) {}

  /// Stages are for people, and no part of an image's bytes.
  std::optional<Image> generate(const GenerateRequest &request, const std::function<bool()> &shouldContinue) override {
    if (request.keepStages)
      return compiler.generate(request, shouldContinue);
    const std::lock_guard lock(mutex);
    const std::string path = folder + "/" + std::to_string(count++) + ".image";
    if (replays)
      if (std::ifstream file(path, std::ios::binary); file)
        return readImage(std::string(std::istreambuf_iterator<char>(file), {}));
    std::optional<Image> image = compiler.generate(request, shouldContinue);
    ++generated;
    if (image && !replays)
      if (std::string why = write(*image, path); !why.empty())
        refused.push_back(std::move(why));
    return image;
  }

  nb::tuple seen() {
    const std::lock_guard lock(mutex);
    return nb::make_tuple(count, generated, refused);
  }

private:
  /// Why it could not be written, or nothing.
  static std::string write(const Image &image, const std::string &path) {
    try {
      const std::string bytes = writeImage(image);
      std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
      return {};
    } catch (const UsageError &error) {
      return error.what();
    }
  }

  const std::string folder;
  const bool replays;
  std::mutex mutex; ///< guards what follows; generation keeps its order
  unsigned count = 0, generated = 0;
  std::vector<std::string> refused;
};

/// Kept for the process: compilations may still use it.
ImageStore *store = nullptr;

void keepImages(const std::string &folder, bool replays) {
  store = new ImageStore(Runtime::instance().compiler(), folder, replays);
  Runtime::instance().replaceCompiler(store);
}

} // namespace

void addImageStore(nb::module_ &module) {
  module.def("record_images", [](const std::string &folder) { keepImages(folder, false); });
  module.def("replay_images", [](const std::string &folder) { keepImages(folder, true); });
  module.def("images_seen", [] { return store->seen(); });
}

} // namespace treadle::python
