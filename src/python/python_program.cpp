// Asks the compiler to infer a Python function.
#include "python/python_program.h"

#include "launch/runtime.h"
#include "python/errors.h"
#include "python/syntax_from_ast.h"

namespace treadle::python {

InferResult PythonProgram::infer(const Signature &signature) {
  InferRequest request;
  request.function = syntaxFromPython(function);
  request.handle = names->handleOf(identity);
  request.names = names.get();
  request.signature = signature;
  request.rules = options.rules;
  request.isKernel = options.isKernel;
  request.debug = options.debug;
  names->takeCaptured();
  InferResult result = compiler().infer(request);
  result.captured = names->takeCaptured();
  for (const std::string &warning : result.warnings)
    warn("TreadleWarning", warning);
  return result;
}

} // namespace treadle::python
