// The compiler library's door: implements launch/compiler.h.
#include "codegen/cpu/cpu_backend.h"
#include "codegen/ptx/ptx_generator.h"
#include "infer/infer.h"
#include "launch/compiler.h"
#include "support/big_stack.h"
#include "support/build_id.h"
#include "support/error.h"

#include <cstring>

namespace treadle {

namespace {

class CompilerLibrary final : public Compiler {
public:
  InferResult infer(const InferRequest &request) override { return treadle::infer(request); }

  Image generate(const TypedRef &function, const Target &target, const Facts &facts, const CompileOptions &options,
                 bool keepStages) override {
    Image image;
    runOnBigStack([&] {
      image = target.kind == Target::Kind::Ptx ? ptx.generate({*function, target, facts, options}, keepStages)
                                               : codegen::generateCpu({*function, target, facts, options}, keepStages);
      if (keepStages)
        image.stages["typed"] = function->print();
    });
    return image;
  }

  std::string printTyped(const TypedRef &function) override { return function->print(); }
  Target hostTarget() override { return codegen::cpuHostTarget(); }
  std::unique_ptr<LoadedCode> load(const Image &image) override { return codegen::loadObject(image); }
  std::string disassemble(const Image &image) override {
    auto stage = image.stages.find("asm");
    return stage == image.stages.end() ? std::string() : stage->second;
  }

private:
  ptx::PtxGenerator ptx;
};

} // namespace

/// The only symbol this library exports. Null when the runtime beside it is of another build.
extern "C" __attribute__((visibility("default"))) Compiler *treadle_compiler_create(const char *buildIdOfRuntime) {
  if (std::strcmp(buildIdOfRuntime, ownBuildId) != 0)
    return nullptr;
  return new CompilerLibrary;
}

} // namespace treadle
