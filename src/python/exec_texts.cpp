// The ring of compiled texts, and the audit hook that fills it.
#include "python/exec_texts.h"

#include "support/hash.h"

#include <nanobind/nanobind.h>

#include <deque>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace nb = nanobind;

namespace treadle::python {

namespace {

constexpr size_t capacity = size_t(4) << 20;
constexpr const char *capsuleName = "treadle.exec_texts";

/// Texts without a file, oldest first, at most `capacity` bytes of them. The GIL is no lock here: interpreters of one
/// process may have one each.
class ExecTexts {
public:
  void add(std::string_view file, std::string_view text) {
    if (text.size() > capacity)
      return;
    const uint64_t hash = hashBytes(text, hashBytes(file));
    std::lock_guard lock(mutex);
    const size_t recent = entries.size() < 64 ? entries.size() : 64;
    for (auto entry = entries.end() - static_cast<ptrdiff_t>(recent); entry != entries.end(); ++entry)
      if (entry->hash == hash && entry->text == text && entry->file == file)
        return;
    entries.push_back({hash, std::string(file), std::string(text)});
    used += text.size();
    for (; used > capacity; entries.pop_front())
      used -= entries.front().text.size();
  }

  /// Copies: nothing of Python may run under the lock, as it might compile.
  std::vector<std::string> find(std::string_view file, std::string_view needle) {
    std::vector<std::string> result;
    std::lock_guard lock(mutex);
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
      if (entry->file == file && entry->text.find(needle) != std::string::npos)
        result.push_back(entry->text);
    return result;
  }

private:
  struct Entry {
    uint64_t hash;
    std::string file;
    std::string text;
  };
  std::mutex mutex;
  std::deque<Entry> entries;
  size_t used = 0;
};

bool isFile(const char *name, size_t size) {
  if (size >= 2 && name[0] == '<' && name[size - 1] == '>')
    return false;
  return access(name, F_OK) == 0;
}

/// The text as bytes; compile() of a str raises the event twice, the second time with its bytes.
void remember(ExecTexts &texts, PyObject *source, PyObject *file) {
  if (!PyBytes_Check(source) || !PyUnicode_Check(file))
    return;
  Py_ssize_t size = 0;
  const char *name = PyUnicode_AsUTF8AndSize(file, &size);
  if (name == nullptr) {
    PyErr_Clear();
    return;
  }
  // "<treadle>": the compiler's own parsing.
  const std::string_view fileName(name, static_cast<size_t>(size));
  if (fileName == "<treadle>" || isFile(name, fileName.size()))
    return;
  texts.add(fileName, {PyBytes_AS_STRING(source), static_cast<size_t>(PyBytes_GET_SIZE(source))});
}

/// Called for every audit event of the process: the first character decides nearly all of them.
int onEvent(const char *event, PyObject *arguments, void *data) {
  if (event[0] != 'c' || std::string_view(event) != "compile" || arguments == nullptr || !PyTuple_Check(arguments) ||
      PyTuple_GET_SIZE(arguments) != 2)
    return 0;
  try {
    remember(*static_cast<ExecTexts *>(data), PyTuple_GET_ITEM(arguments, 0), PyTuple_GET_ITEM(arguments, 1));
  } catch (const std::bad_alloc &) {
    // A text that is not kept costs an error message later, nothing else.
  }
  return 0;
}

PyObject *execTexts(PyObject *self, PyObject *arguments) {
  const char *file = nullptr;
  const char *needle = nullptr;
  if (!PyArg_ParseTuple(arguments, "ss", &file, &needle))
    return nullptr;
  try {
    nb::list result;
    for (const std::string &text :
         static_cast<ExecTexts *>(PyCapsule_GetPointer(self, capsuleName))->find(file, needle))
      result.append(nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace")));
    return result.release().ptr();
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  }
  return nullptr;
}

PyMethodDef execTextsMethod = {"exec_texts", execTexts, METH_VARARGS,
                               "exec_texts(file, needle)\n\nTexts compiled under that file name that contain `needle`, "
                               "latest first."};

} // namespace

void installExecTexts(PyObject *module) {
  // Never freed: an audit hook cannot be removed, and runs until the interpreter is gone.
  auto *texts = new ExecTexts;
  if (PySys_AddAuditHook(onEvent, texts) != 0)
    throw nb::python_error();
  const nb::object self = nb::steal(PyCapsule_New(texts, capsuleName, nullptr));
  const nb::object method = nb::steal(PyCFunction_New(&execTextsMethod, self.ptr()));
  if (PyModule_AddObjectRef(module, "exec_texts", method.ptr()) != 0)
    throw nb::python_error();
}

} // namespace treadle::python
