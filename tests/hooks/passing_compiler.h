// PassingCompiler: a compiler that passes everything on to another one but what its derived class does itself.
#pragma once

#include "border/compiler.h"

namespace treadle::python {

class PassingCompiler : public Compiler {
public:
  explicit PassingCompiler(Compiler &compiler) : compiler(compiler) {}

  InferResult infer(const InferRequest &request) override { return compiler.infer(request); }
  std::optional<Image> generate(const GenerateRequest &request, const std::function<bool()> &shouldContinue) override {
    return compiler.generate(request, shouldContinue);
  }
  std::string printTyped(const TypedRef &function) override { return compiler.printTyped(function); }
  std::string chosenFeatures(const std::string &here) override { return compiler.chosenFeatures(here); }
  std::string processorFeatures(const std::string &processor, const std::string &what) override {
    return compiler.processorFeatures(processor, what);
  }

protected:
  Compiler &compiler;
};

} // namespace treadle::python
