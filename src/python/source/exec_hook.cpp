// Stores the texts that Python compiles without a file.
#include "python/host/module_parts.h"
#include "python/host/object_access.h"
#include "syntax/exec_texts.h"

#include <new>

namespace nb = nanobind;

namespace treadle::python {

namespace {

/// A Python object that refers to a text.
struct TextReference {
  ExecTexts::Text text;
};

/// The text as bytes; compile() of a str raises the event twice, the second time with its bytes.
void remember(ExecTexts &texts, PyObject *source, PyObject *file) {
  if (!PyBytes_Check(source) || !PyUnicode_Check(file))
    return;
  Py_ssize_t size = 0;
  const char *name = PyUnicode_AsUTF8AndSize(file, &size);
  if (!name) {
    PyErr_Clear();
    return;
  }
  // "<treadle>": the compiler's own parsing.
  const std::string_view fileName(name, size_t(size));
  if (fileName != "<treadle>")
    texts.add(fileName, {PyBytes_AS_STRING(source), size_t(PyBytes_GET_SIZE(source))});
}

/// Called for every audit event of the process: the first character rejects nearly all of them.
int onEvent(const char *event, PyObject *arguments, void *data) {
  if (event[0] != 'c' || std::string_view(event) != "compile" || !arguments || !PyTuple_Check(arguments) ||
      PyTuple_GET_SIZE(arguments) != 2)
    return 0;
  try {
    remember(*static_cast<ExecTexts *>(data), PyTuple_GET_ITEM(arguments, 0), PyTuple_GET_ITEM(arguments, 1));
  } catch (const std::bad_alloc &) {
    // A missing text only makes a later error message worse.
  }
  return 0;
}

} // namespace

void installExecHook(nb::module_ &module) {
  // Never freed: an audit hook cannot be removed, and runs until the interpreter is gone.
  auto *texts = new ExecTexts;
  if (PySys_AddAuditHook(onEvent, texts) != 0)
    throw nb::python_error();
  const nb::class_<TextReference> reference(module, "TextReference", "Keeps a text that was compiled without a file.");
  module.def(
      "exec_texts",
      [texts](const nb::str &file, const nb::str &needle, size_t limit) {
        nb::list found;
        for (ExecTexts::Text &text : texts->find(utf8Of(file), utf8Of(needle), limit))
          found.append(TextReference{std::move(text)});
        return found;
      },
      nb::arg("file"), nb::arg("needle"), nb::arg("limit") = 0,
      "References to texts compiled under that file name that contain `needle`, latest first; `limit` 0: all of them.");
  module.def(
      "exec_text", [](const TextReference &reference) { return decodedText(*reference.text); },
      "The text that a reference keeps.");
}

} // namespace treadle::python
