// The dispatcher with a compiler that only counts: one compilation per signature and facts, from any number of threads.
#include "border/generate_request.h"
#include "border/kernel_abi.h"
#include "device/cpu/cpu_device.h"
#include "launch/dispatcher.h"
#include "launch/launch_facts.h"
#include "runtime/runtime.h"
#include "support/error.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

namespace treadle {
namespace {

std::atomic<int> &launches() {
  static std::atomic<int> count{0};
  return count;
}

void countingKernel(const void *, const cpu::LaunchGeometry *, uint64_t, uint64_t, cpu::WorkerArena *) {
  launches() += 1;
}

/// Compiles nothing. Slow enough for threads to overlap.
class FakeCompiler final : public Compiler {
public:
  InferResult infer(const InferRequest &) override { throw InternalError("the program infers"); }
  std::optional<Image> generate(const GenerateRequest &request, const std::function<bool()> &shouldContinue) override {
    while (isStuck)
      if (!shouldContinue())
        return std::nullopt;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    if (failNext.exchange(false))
      throw Error("no code today");
    Image image;
    image.target = request.target;
    image.facts = request.facts;
    image.signature = *reinterpret_cast<const Signature *>(request.function.get());
    const std::lock_guard lock(mutex);
    ++generated[request.facts.key()];
    ++targets[request.target.features];
    return image;
  }
  std::string printTyped(const TypedRef &) override { return ""; }
  std::string chosenFeatures(const std::string &) override { throw InternalError("no processor is chosen"); }
  std::string processorFeatures(const std::string &, const std::string &) override { return ""; }

  std::mutex mutex;
  std::map<FactsKey, int> generated;
  std::map<std::string, int> targets;
  std::atomic<bool> failNext{false}, isStuck{false};
};

/// Links every image to `countingKernel`.
class CountingLinker final : public cpu::NativeLinker {
public:
  explicit CountingLinker(std::string features = "") : features(std::move(features)) {}
  Target target() override { return {Target::Kind::Cpu, 0, features}; }
  cpu::NativeCode link(const Image &image, std::span<const uint64_t>) override {
    EXPECT_EQ(image.target, target()) << "an image for another device";
    ++links;
    return {reinterpret_cast<void *>(&countingKernel), nullptr};
  }
  const std::string features;
  std::atomic<int> links{0};
};

/// A lock like the GIL: its holder must release it for others to make progress.
class FakeGil {
public:
  class Holder final : public HostLock {
  public:
    explicit Holder(FakeGil &gil) : gil(gil) { gil.mutex.lock(); }
    ~Holder() {
      if (!isHeld)
        gil.mutex.lock();
      gil.mutex.unlock();
    }
    void release() override {
      isHeld = false;
      gil.mutex.unlock();
    }
    void acquire() override {
      gil.mutex.lock();
      isHeld = true;
    }
    void onLongCall() override { release(); }
    bool shouldContinue(Activity) noexcept override { return !gil.isTired; }
    void printed(std::string_view) override {}

  private:
    FakeGil &gil;
    bool isHeld = true;
  };

  std::atomic<bool> isTired{false}; ///< the host requests the end of its calls

private:
  std::mutex mutex;
};

class CountingProgram final : public Program {
public:
  explicit CountingProgram(std::map<std::string, int> &inferred) : inferred(inferred) {}
  InferredProgram infer(const Signature &signature) override {
    // Another thread may run Python meanwhile, but none may infer the same signature.
    ++inferred[signature.name()];
    if (failures > 0) {
      --failures;
      Diagnostic mistake;
      mistake.message = "no";
      throw CompileError(mistake);
    }
    InferResult result;
    result.result = types::none();
    // Represents the typed tree, which only the fake compiler reads.
    auto tree = std::make_shared<const Signature>(signature);
    result.function = TypedRef(tree, reinterpret_cast<const TypedFunction *>(tree.get()));
    return {std::move(result)};
  }
  std::map<std::string, int> &inferred;
  int failures = 0;
};

class DispatcherTest : public testing::Test {
protected:
  DispatcherTest() {
    Runtime::instance().replaceCompiler(&compiler);
    auto made = std::make_unique<CountingProgram>(inferred);
    program = made.get();
    dispatcher = std::make_unique<Dispatcher>(&device, std::move(made), DispatcherOptions{"f", {}, true});
    launches() = 0;
  }
  ~DispatcherTest() override { Runtime::instance().replaceCompiler(nullptr); }

  static void add(ArgumentList &list, NumberCode number) {
    list.tokens.push() = tokens::scalar(number);
    ArgumentLeaf &leaf = list.leaves.push();
    leaf.kind = ArgumentLeaf::Kind::Signed;
    leaf.number = number;
    leaf.integer = 1;
  }
  void launch(std::initializer_list<NumberCode> numbers, LaunchConfig config = {}) {
    ArgumentList list;
    for (const NumberCode number : numbers)
      add(list, number);
    FakeGil::Holder holder(gil);
    dispatcher->launch({config, factsOf(config), nullptr}, list, nullptr, holder);
  }
  void launchOn(Device &where, LaunchConfig config = {}) {
    const ArgumentList list;
    FakeGil::Holder holder(gil);
    dispatcher->launch({config, factsOf(config), where.makeStream(true)}, list, nullptr, holder);
  }
  void compile(std::vector<const Type *> arguments) {
    FakeGil::Holder holder(gil);
    dispatcher->compile({std::move(arguments), types::none()}, holder);
  }

  CountingLinker linker;
  cpu::CpuDevice device{{2, linker}};
  FakeCompiler compiler;
  FakeGil gil;
  std::map<std::string, int> inferred;
  CountingProgram *program;
  std::unique_ptr<Dispatcher> dispatcher;
};

TEST_F(DispatcherTest, CompilesOncePerSignature) {
  for (int i = 0; i < 10; ++i) {
    launch({NumberCode::Int32});
    launch({NumberCode::Int64});
    launch({NumberCode::Int32, NumberCode::Float32});
    launch({});
  }
  EXPECT_EQ(dispatcher->counts().inferred, 4u);
  EXPECT_EQ(dispatcher->counts().generated, 4u);
  EXPECT_EQ(launches().load(), 40);
}

TEST_F(DispatcherTest, SixteenThreadsCompileThirtyTwoSignaturesOnceEach) {
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 16; ++thread)
    threads.emplace_back([this, thread] {
      for (unsigned step = 0; step < 32; ++step) {
        // Each thread starts elsewhere, so that all meet at some signature.
        const unsigned index = (step + thread * 2) % 32;
        launch({NumberCode(index % 8), NumberCode(index / 8)});
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(inferred.size(), 32u);
  for (const auto &[signature, times] : inferred)
    EXPECT_EQ(times, 1) << signature;
  EXPECT_EQ(dispatcher->counts().inferred, 32u);
  EXPECT_EQ(dispatcher->counts().generated, 32u);
  EXPECT_EQ(launches().load(), 16 * 32);
}

TEST_F(DispatcherTest, AtMostFourVariantsThenTheGeneralOne) {
  for (int round = 0; round < 3; ++round)
    for (const uint32_t x : {32u, 16u, 8u, 4u, 1u, 33u, 48u})
      launch({NumberCode::Int32}, {{1, 1, 1}, {x, 3, 1}, 0});
  EXPECT_EQ(dispatcher->counts().inferred, 1u);
  EXPECT_EQ(dispatcher->counts().generated, 5u);
  EXPECT_EQ(compiler.generated[Facts{}.key()], 1);
  EXPECT_EQ(dispatcher->overloads().front()->variantCount(), 5u);
}

TEST_F(DispatcherTest, ThreadsWithDifferentFactsStayWithinTheLimit) {
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 8; ++thread)
    threads.emplace_back([this, thread] {
      const uint32_t widths[] = {32, 16, 8, 4, 1, 36, 40, 48};
      launch({NumberCode::Int32}, {{1, 1, 1}, {widths[thread], 1, 1}, 0});
      launch({NumberCode::Int32}, {{1, 1, 1}, {widths[7 - thread], 1, 1}, 0});
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_LE(dispatcher->overloads().front()->variantCount(), 5u);
  for (const auto &[facts, times] : compiler.generated)
    EXPECT_EQ(times, 1) << facts.launch;
}

TEST_F(DispatcherTest, FailuresFailAgainAndCanBeMended) {
  program->failures = 2;
  EXPECT_THROW(launch({NumberCode::Int32}), CompileError);
  EXPECT_THROW(launch({NumberCode::Int32}), CompileError);
  launch({NumberCode::Int32});
  compiler.failNext = true;
  EXPECT_THROW(launch({NumberCode::Int64}), Error);
  launch({NumberCode::Int64});
  EXPECT_EQ(launches().load(), 2);
}

TEST_F(DispatcherTest, TheHostEndsCompilationsAndWaitsForThem) {
  compiler.isStuck = true;
  std::atomic<int> interrupted{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) // one compiles, the other waits for it
    threads.emplace_back([&] {
      try {
        launch({NumberCode::Int32});
      } catch (const WaitInterrupted &) {
        ++interrupted;
      }
    });
  gil.isTired = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(interrupted.load(), 2);
  compiler.isStuck = gil.isTired = false;
  launch({NumberCode::Int32});
  EXPECT_EQ(launches().load(), 1);
}

TEST_F(DispatcherTest, GivenSignaturesAreChosenByConversion) {
  compile({types::int64()});
  compile({types::float64()});
  dispatcher->forbidNewSignatures(true);
  launch({NumberCode::Int64});
  launch({NumberCode::Float64});
  launch({NumberCode::Int32});   // to int64: a promotion
  launch({NumberCode::Float32}); // to float64
  EXPECT_EQ(dispatcher->counts().inferred, 2u);
  try {
    launch({NumberCode::Int32, NumberCode::Int32});
    FAIL();
  } catch (const UsageError &error) {
    EXPECT_EQ(error.kind(), UsageError::Kind::Type);
    EXPECT_EQ(std::string(error.what()).find("No matching definition"), 0u) << error.what();
  }
}

TEST_F(DispatcherTest, TiesAreAmbiguous) {
  compile({types::float32(), types::float64()});
  compile({types::float64(), types::float32()});
  dispatcher->forbidNewSignatures(true);
  try {
    launch({NumberCode::Float64, NumberCode::Float64});
    FAIL();
  } catch (const UsageError &error) {
    EXPECT_EQ(error.kind(), UsageError::Kind::Type);
    EXPECT_EQ(std::string(error.what()).find("Ambiguous overloading"), 0u) << error.what();
  }
}

TEST_F(DispatcherTest, ClearCompilesAnew) {
  launch({NumberCode::Int32});
  dispatcher->clear();
  EXPECT_TRUE(dispatcher->overloads().empty());
  launch({NumberCode::Int32});
  EXPECT_EQ(dispatcher->counts().inferred, 2u);
}

TEST_F(DispatcherTest, DevicesOfDifferentTargetsHaveImagesOfTheirOwn) {
  CountingLinker oldLinker("+sse4.2"), newLinker("+avx512f");
  cpu::CpuDevice old{{2, oldLinker}}, modern{{2, newLinker}};
  for (int i = 0; i < 3; ++i) {
    launchOn(old);
    launchOn(modern);
    launchOn(device);
  }
  EXPECT_EQ(launches().load(), 9);
  EXPECT_EQ(compiler.targets, (std::map<std::string, int>{{"", 1}, {"+avx512f", 1}, {"+sse4.2", 1}}));
  EXPECT_EQ(oldLinker.links.load() + newLinker.links.load() + linker.links.load(), 3);
  EXPECT_EQ(dispatcher->counts().inferred, 1u);
  EXPECT_EQ(dispatcher->overloads().front()->variantCount(), 3u);
}

TEST_F(DispatcherTest, DevicesOfOneTargetShareImages) {
  cpu::CpuDevice other{{2, linker}};
  launchOn(device);
  launchOn(other);
  EXPECT_EQ(dispatcher->counts().generated, 1u);
  EXPECT_EQ(linker.links.load(), 2) << "each device has loaded it";
}

TEST_F(DispatcherTest, EachDeviceHasFourVariantsAndAGeneralOne) {
  cpu::CpuDevice other{{2, linker}};
  for (const uint32_t x : {32u, 16u, 8u, 4u, 1u, 33u, 48u}) {
    launchOn(device, {{1, 1, 1}, {x, 3, 1}, 0});
    launchOn(other, {{1, 1, 1}, {x, 3, 1}, 0});
  }
  EXPECT_EQ(dispatcher->counts().generated, 5u);
  EXPECT_EQ(dispatcher->overloads().front()->variantCount(), 10u);
}

TEST_F(DispatcherTest, KernelsAreLoadedAgainBehindAReset) {
  launchOn(device);
  for (int i = 1; i <= 3; ++i) {
    device.reset();
    launchOn(device);
    launchOn(device);
    EXPECT_EQ(linker.links.load(), i + 1);
  }
  EXPECT_EQ(dispatcher->counts().generated, 1u);
  EXPECT_EQ(dispatcher->overloads().front()->variantCount(), 1u);
  EXPECT_EQ(launches().load(), 7);
}

TEST_F(DispatcherTest, CompiledAheadServesTheUsualLaunch) {
  compile({types::int32()});
  EXPECT_EQ(dispatcher->counts().generated, 1u);
  launch({NumberCode::Int32}, {{10, 1, 1}, {256, 1, 1}, 0});
  EXPECT_EQ(dispatcher->counts().generated, 1u);
}

} // namespace
} // namespace treadle
