// The pipeline of passes: their order, and that a pass that breaks the tree is reported by name.
#include "passes/pipeline.h"

#include "border/compile_options.h"
#include "support/error.h"
#include "typed/verify.h"
#include "typed_builder.h"

#include <gmock/gmock.h>

namespace {

using namespace treadle;
using namespace treadle::test;

class PipelineTest : public testing::Test {
protected:
  PipelineTest() { kernel = b.finish({b.store(x, b.integer(0), b.integer(1))}); }

  AnalysisRequest request() const { return {*kernel, facts, options}; }

  TypedBuilder b{"kernel"};
  Slot *x = b.parameter("x", types::array(types::int64(), {}));
  std::shared_ptr<TypedFunction> kernel;
  Facts facts;
  CompileOptions options;
};

/// Leaves a tree whose recorded effects omit a store.
void breakTree(Analysis &analysis) {
  TypedBuilder broken("broken");
  Slot *x = broken.parameter("x", types::array(types::int64(), {}));
  auto made = broken.finish({broken.store(x, broken.integer(0), broken.integer(2))});
  made->effects = {};
  analysis.own.push_back(made);
  analysis.kernel = made.get();
}

void seeNothing(Analysis &) {}

TEST_F(PipelineTest, NamesThePassThatBreaksTheTree) {
  constexpr Pass passes[] = {{"right", seeNothing}, {"wrong", breakTree}, {"late", seeNothing}};
  Analysis analysis(request());
  try {
    runPasses(passes, analysis, true);
    FAIL() << "the broken tree was not noticed";
  } catch (const InternalError &error) {
    EXPECT_THAT(error.what(), testing::StartsWith("after the pass 'wrong': typed tree of broken"));
  }
}

TEST_F(PipelineTest, VerifiesOnlyWhereItIsAskedTo) {
  constexpr Pass passes[] = {{"wrong", breakTree}};
  Analysis analysis(request());
  EXPECT_NO_THROW(runPasses(passes, analysis, false));
  EXPECT_EQ(analysis.kernel->name, "broken");
}

TEST_F(PipelineTest, VerifiesWhatItIsGivenInBuildsWithAssertions) {
  kernel->effects = {};
  for (Generator generator : {Generator::Ptx, Generator::Cpu}) {
    if (verifiesTrees)
      EXPECT_THROW(analyse(request(), generator), InternalError);
    else
      EXPECT_NO_THROW(analyse(request(), generator));
  }
}

TEST_F(PipelineTest, ThreadsThatWaitForEachOtherNeedFibers) {
  TypedBuilder polling("polling");
  Slot *flag = polling.parameter("flag", types::array(types::int64(), {}));
  Expr *isUnset = polling.compare(Operation::Eq, polling.atomicAdd(flag, polling.integer(0), polling.integer(0)),
                                  polling.integer(0));
  kernel = polling.finish({polling.loop(isUnset, {})});
  AnalysisRequest asked = request();
  EXPECT_THROW(analyse(asked, Generator::Cpu), NeedsFibers);
  EXPECT_TRUE(analyse(asked, Generator::Ptx)->waiting->any());
  asked.usesFibers = true;
  EXPECT_TRUE(analyse(asked, Generator::Cpu)->waiting->any());
}

} // namespace
