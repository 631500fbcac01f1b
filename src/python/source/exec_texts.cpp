// The ring of compiled texts, and the audit hook that fills it.
#include "python/source/exec_texts.h"

#include "support/hash.h"

#include <nanobind/nanobind.h>

#include <deque>
#include <memory>
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
constexpr const char *textName = "treadle.exec_text";
using Text = std::shared_ptr<const std::string>;

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
      if (entry->hash == hash && *entry->text == text && entry->file == file)
        return;
    entries.push_back({hash, std::string(file), std::make_shared<const std::string>(text)});
    used += text.size();
    for (; used > capacity; entries.pop_front())
      used -= entries.front().text->size();
  }

  /// At most `limit`, latest first; 0: all.
  std::vector<Text> find(std::string_view file, std::string_view needle, size_t limit) {
    std::vector<Text> result;
    std::lock_guard lock(mutex);
    for (auto entry = entries.rbegin(); entry != entries.rend() && (limit == 0 || result.size() < limit); ++entry)
      if (entry->file == file && entry->text->find(needle) != std::string::npos)
        result.push_back(entry->text);
    return result;
  }

private:
  struct Entry {
    uint64_t hash;
    std::string file;
    Text text;
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

void dropText(PyObject *capsule) { delete static_cast<Text *>(PyCapsule_GetPointer(capsule, textName)); }

nb::object referenceTo(const Text &text) {
  auto owned = std::make_unique<Text>(text);
  const nb::object capsule = nb::steal(PyCapsule_New(owned.get(), textName, dropText));
  if (!capsule.is_valid())
    throw nb::python_error();
  owned.release();
  return capsule;
}

PyObject *execTexts(PyObject *self, PyObject *arguments) {
  const char *file = nullptr;
  const char *needle = nullptr;
  Py_ssize_t limit = 0;
  if (!PyArg_ParseTuple(arguments, "ss|n", &file, &needle, &limit))
    return nullptr;
  try {
    auto &texts = *static_cast<ExecTexts *>(PyCapsule_GetPointer(self, capsuleName));
    nb::list result;
    for (const Text &text : texts.find(file, needle, static_cast<size_t>(limit)))
      result.append(referenceTo(text));
    return result.release().ptr();
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  }
  return nullptr;
}

PyObject *execText(PyObject *, PyObject *reference) {
  const auto *text = static_cast<const Text *>(PyCapsule_GetPointer(reference, textName));
  return text ? PyUnicode_DecodeUTF8((*text)->data(), static_cast<Py_ssize_t>((*text)->size()), "replace") : nullptr;
}

PyMethodDef execTextsMethod = {"exec_texts", execTexts, METH_VARARGS,
                               "exec_texts(file, needle, limit=0)\n\nReferences to texts compiled under that file name "
                               "that contain `needle`, latest first; `limit` 0: all of them."};
PyMethodDef execTextMethod = {"exec_text", execText, METH_O, "The text that a reference keeps."};

} // namespace

void installExecTexts(PyObject *module) {
  // Never freed: an audit hook cannot be removed, and runs until the interpreter is gone.
  auto *texts = new ExecTexts;
  if (PySys_AddAuditHook(onEvent, texts) != 0)
    throw nb::python_error();
  const nb::object self = nb::steal(PyCapsule_New(texts, capsuleName, nullptr));
  const nb::object method = nb::steal(PyCFunction_New(&execTextsMethod, self.ptr()));
  const nb::object reader = nb::steal(PyCFunction_New(&execTextMethod, nullptr));
  if (PyModule_AddObjectRef(module, "exec_texts", method.ptr()) != 0 ||
      PyModule_AddObjectRef(module, "exec_text", reader.ptr()) != 0)
    throw nb::python_error();
}

} // namespace treadle::python
