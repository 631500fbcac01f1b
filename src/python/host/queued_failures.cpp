// Failures of queued work, each worded by its origin.
#include "python/host/queued_failures.h"

#include "python/host/errors.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace treadle::python {

namespace {

void raiseOne(const QueuedFailure &failure) {
  if (failure.origin)
    failure.origin->raise(failure.failure);
  else
    raisePython(failure.failure);
}

std::string takeErrorText() {
  const nb::python_error error;
  const auto name = nb::cast<std::string>(error.type().attr("__name__"));
  return name + ": " + nb::cast<std::string>(nb::str(error.value()));
}

} // namespace

std::vector<std::string> textsOf(const QueuedFailure &failure) {
  raiseOne(failure);
  std::vector<std::string> texts{takeErrorText()};
  for (const std::exception_ptr &other : failure.others) {
    raisePython(other);
    texts.push_back(takeErrorText());
  }
  return texts;
}

void raiseQueuedFailure(const QueuedFailure &failure) {
  raiseOne(failure);
  if (failure.others.empty())
    return;
  nb::python_error first;
  nb::list notes;
  for (const std::exception_ptr &other : failure.others) {
    raisePython(other);
    notes.append(nb::cast("behind it failed, too: " + takeErrorText()));
  }
  nb::setattr(first.value(), "__notes__", notes);
  first.restore();
}

} // namespace treadle::python
