// Keeps what kernels are compiled from.
#include "kept_requests.h"

#include "border/generate_request.h"
#include "border/image.h"
#include "passing_compiler.h"
#include "runtime/runtime.h"
#include "typed/typed.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <ctime>
#include <deque>
#include <mutex>
#include <tuple>

namespace nb = nanobind;

namespace treadle::python {

namespace {

double processorSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

class RequestKeeper final : public PassingCompiler {
public:
  using PassingCompiler::PassingCompiler;

  std::optional<Image> generate(const GenerateRequest &request, const std::function<bool()> &shouldContinue) override {
    if (request.target.kind == Target::Kind::Cpu && !request.keepStages) {
      const std::lock_guard lock(mutex);
      requests.push_back(request);
    }
    return compiler.generate(request, shouldContinue);
  }

  using Described = std::tuple<std::string, std::string, uint32_t, std::string>;
  std::vector<Described> described() {
    const std::lock_guard lock(mutex);
    std::vector<Described> list;
    for (const GenerateRequest &request : requests) {
      const SourceText &source = *request.function->source;
      list.emplace_back(source.file, source.function, source.firstLine, request.target.features);
    }
    return list;
  }

  nb::tuple generateAgain(size_t index) {
    const GenerateRequest &request = at(index);
    std::optional<Image> image;
    double seconds;
    {
      const nb::gil_scoped_release released;
      const double start = processorSeconds();
      image = compiler.generate(request, [] { return true; });
      seconds = processorSeconds() - start;
    }
    return nb::make_tuple(seconds, nb::bytes(image->code.data(), image->cpu().layout.bytes[LinkedLayout::Code]));
  }

private:
  const GenerateRequest &at(size_t index) {
    const std::lock_guard lock(mutex);
    return requests.at(index);
  }

  std::mutex mutex;                     ///< guards what follows
  std::deque<GenerateRequest> requests; ///< never removed: references stay valid
};

/// Kept for the process: compilations may still use it.
RequestKeeper *keeper = nullptr;

void keepRequests() {
  keeper = new RequestKeeper(Runtime::instance().compiler());
  Runtime::instance().replaceCompiler(keeper);
}

} // namespace

void addKeptRequests(nb::module_ &module) {
  module.def("keep_requests", keepRequests);
  module.def("kept_requests", [] { return keeper->described(); });
  module.def("generate_kept", [](size_t index) { return keeper->generateAgain(index); });
}

} // namespace treadle::python
