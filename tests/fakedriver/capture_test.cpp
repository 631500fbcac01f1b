// Stream capture and graphs: their results, and a violation of each of their rules.
#include "fake_driver_test.h"

#include <thread>

namespace fakecuda::testing {

class Captures : public FakeDriver {
protected:
  void SetUp() override {
    FakeDriver::SetUp();
    x = allocFilled({1});
    s = stream(CU_STREAM_NON_BLOCKING);
    function("empty");
  }
  void begin(CUstream on, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    CU_OK(cuStreamBeginCapture_v2(on, mode));
  }
  /// Ends the capture of `s`, which must have been invalidated.
  void expectInvalidated() {
    CUstreamCaptureStatus status;
    CU_OK(cuStreamIsCapturing(s, &status));
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    EXPECT_EQ(launch("empty", s), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CUgraph graph;
    EXPECT_EQ(cuStreamEndCapture(s, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_EQ(graph, nullptr);
    CU_OK(launch("empty", s));
  }
  int now() { return *static_cast<int *>(fakeCudaPeek(x)); }

  CUdeviceptr x = 0;
  CUstream s = nullptr;
};

TEST_F(Captures, NodesRunAtEachLaunchOnly) {
  begin(s);
  CU_OK(launch("increment", s, x, 1u));
  CU_OK(launch("read_modify_write", s, x, 1u));
  CUgraph graph;
  CU_OK(cuStreamEndCapture(s, &graph));
  size_t nodes = 0;
  CU_OK(cuGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 2u);
  CUgraphExec exec;
  CU_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CU_OK(cuGraphDestroy(graph));
  CU_OK(cuCtxSynchronize());
  EXPECT_EQ(now(), 1);
  CU_OK(cuGraphLaunch(exec, s));
  EXPECT_EQ(now(), 1);
  CU_OK(cuGraphLaunch(exec, s));
  CU_OK(cuStreamSynchronize(s));
  EXPECT_EQ(now(), 13);
  CU_OK(cuGraphExecDestroy(exec));
  EXPECT_EQ(cuGraphLaunch(exec, s), CUDA_ERROR_INVALID_HANDLE);
  expectBroken("use-after-destroy");
}

// As a driver of CUDA 13.0 does.
TEST_F(Captures, FlagsAreNotToldDuringACapture) {
  begin(s);
  unsigned flags = 0;
  EXPECT_EQ(cuStreamGetFlags(s, &flags), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  expectInvalidated();
  CU_OK(cuStreamGetFlags(s, &flags));
  EXPECT_EQ(flags, unsigned(CU_STREAM_NON_BLOCKING));
}

TEST_F(Captures, OtherStreamsJoinByEvents) {
  const CUstream side = stream(CU_STREAM_NON_BLOCKING);
  const CUevent fork = event(), join = event();
  begin(s);
  CU_OK(launch("increment", s, x, 1u));
  CU_OK(cuEventRecord(fork, s));
  CU_OK(cuStreamWaitEvent(side, fork, 0));
  CU_OK(launch("read_modify_write", side, x, 1u));
  CU_OK(cuEventRecord(join, side));
  CU_OK(cuStreamWaitEvent(s, join, 0));
  CU_OK(launch("increment", s, x, 1u));
  CUgraph graph;
  CU_OK(cuStreamEndCapture(s, &graph));
  CUgraphExec exec;
  CU_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CU_OK(cuGraphLaunch(exec, s));
  CU_OK(cuStreamSynchronize(s));
  EXPECT_EQ(now(), 6);
}

TEST_F(Captures, RaceOfTwoNodes) {
  const CUstream side = stream(CU_STREAM_NON_BLOCKING);
  const CUevent fork = event(), join = event();
  begin(s);
  CU_OK(cuEventRecord(fork, s));
  CU_OK(cuStreamWaitEvent(side, fork, 0));
  CU_OK(launch("increment", side, x, 1u));
  CU_OK(launch("increment", s, x, 1u));
  expectBroken("race");
  CU_OK(cuEventRecord(join, side));
  CU_OK(cuStreamWaitEvent(s, join, 0));
  CUgraph graph;
  CU_OK(cuStreamEndCapture(s, &graph));
}

TEST_F(Captures, RaceOfAGraphAndAnotherStream) {
  begin(s);
  CU_OK(launch("increment", s, x, 1u));
  CUgraph graph;
  CUgraphExec exec;
  CU_OK(cuStreamEndCapture(s, &graph));
  CU_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CU_OK(cuGraphLaunch(exec, s));
  CU_OK(launch("increment", stream(CU_STREAM_NON_BLOCKING), x, 1u));
  expectBroken("race");
}

TEST_F(Captures, LaunchesOfOneGraphNeverOverlap) {
  begin(s);
  CU_OK(launch("increment", s, x, 1u));
  CUgraph graph;
  CUgraphExec exec;
  CU_OK(cuStreamEndCapture(s, &graph));
  CU_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CU_OK(cuGraphLaunch(exec, s));
  CU_OK(cuGraphLaunch(exec, stream(CU_STREAM_NON_BLOCKING)));
}

TEST_F(Captures, UseAfterFreeByAGraph) {
  begin(s);
  CU_OK(launch("increment", s, x, 1u));
  CUgraph graph;
  CUgraphExec exec;
  CU_OK(cuStreamEndCapture(s, &graph));
  CU_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CU_OK(cuMemFree_v2(x));
  CU_OK(cuGraphLaunch(exec, s));
  EXPECT_EQ(cuStreamSynchronize(s), CUDA_ERROR_ILLEGAL_ADDRESS);
  expectBroken("use-after-free");
}

TEST_F(Captures, IllegalCallsBreakTheCapture) {
  CUevent e = event();
  float host;
  const std::vector<std::function<CUresult()>> calls = {
      [&] { return cuStreamSynchronize(s); },
      [&] { return cuStreamQuery(s); },
      [&] { return cuCtxSynchronize(); },
      [&] { return cuEventQuery(e); },
      [&] { return cuEventSynchronize(e); },
      [&] { return cuMemAlloc_v2(&x, 4); },
      [&] { return cuMemFree_v2(x); },
      [&] { return cuMemcpyDtoHAsync_v2(&host, x, 4, s); },
      [&] { return cuMemAllocAsync(&x, 4, s); },
      [&] { return cuStreamAddCallback(s, [](CUstream, CUresult, void *) {}, nullptr, 0); },
      [&] { return cuMemcpyDtoH_v2(&host, x, 4); },
      [&] {
        CUmodule module;
        return cuModuleLoadData(&module, kernelsPtx);
      },
  };
  for (const auto &call : calls) {
    begin(s);
    EXPECT_EQ(call(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expectBroken("capture-illegal-call");
    expectInvalidated();
  }
}

TEST_F(Captures, GlobalModeForbidsOtherThreadsTooThreadLocalDoesNot) {
  const auto elsewhere = [&] {
    CUresult result = CUDA_SUCCESS;
    std::thread([&] {
      CU_OK(cuCtxSetCurrent(context));
      CUdeviceptr pointer;
      result = cuMemAlloc_v2(&pointer, 4);
    }).join();
    return result;
  };
  begin(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  EXPECT_EQ(elsewhere(), CUDA_SUCCESS);
  CUgraph graph;
  CU_OK(cuStreamEndCapture(s, &graph));
  begin(s);
  EXPECT_EQ(elsewhere(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  expectBroken("capture-illegal-call");
  expectInvalidated();
}

TEST_F(Captures, RelaxedModeForbidsNothing) {
  begin(s, CU_STREAM_CAPTURE_MODE_RELAXED);
  alloc(4);
  CUgraph graph;
  CU_OK(cuStreamEndCapture(s, &graph));
}

TEST_F(Captures, AThreadMayRelaxItself) {
  begin(s);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  CU_OK(cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  alloc(4);
  CU_OK(cuThreadExchangeStreamCaptureMode(&mode));
  CUgraph graph;
  CU_OK(cuStreamEndCapture(s, &graph));
}

TEST_F(Captures, CaptureImplicit) {
  s = stream(CU_STREAM_DEFAULT);
  begin(s);
  EXPECT_EQ(launch("empty", nullptr), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  expectBroken("capture-implicit");
  expectInvalidated();
}

TEST_F(Captures, CaptureImplicitOfACopy) {
  s = stream(CU_STREAM_DEFAULT);
  begin(s);
  int value;
  EXPECT_EQ(cuMemcpyDtoH_v2(&value, x, 4), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  expectBroken("capture-implicit");
  expectInvalidated();
}

TEST_F(Captures, CaptureImplicitOfTheLegacyStreamItself) {
  EXPECT_EQ(cuStreamBeginCapture_v2(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  expectBroken("capture-implicit");
}

TEST_F(Captures, CaptureIsolation) {
  const CUevent e = event();
  CU_OK(cuEventRecord(e, stream(CU_STREAM_NON_BLOCKING)));
  begin(s);
  EXPECT_EQ(cuStreamWaitEvent(s, e, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  expectBroken("capture-isolation");
  expectInvalidated();
}

TEST_F(Captures, CaptureMerge) {
  const CUstream other = stream(CU_STREAM_NON_BLOCKING);
  const CUevent e = event();
  begin(s);
  begin(other);
  CU_OK(cuEventRecord(e, other));
  EXPECT_EQ(cuStreamWaitEvent(s, e, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
  expectBroken("capture-merge");
  expectInvalidated();
}

TEST_F(Captures, CaptureUnjoined) {
  const CUstream side = stream(CU_STREAM_NON_BLOCKING);
  const CUevent e = event();
  begin(s);
  CU_OK(cuEventRecord(e, s));
  CU_OK(cuStreamWaitEvent(side, e, 0));
  CU_OK(launch("empty", side));
  CUgraph graph;
  EXPECT_EQ(cuStreamEndCapture(s, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  expectBroken("capture-unjoined");
}

TEST_F(Captures, CaptureUnmatched) {
  CUgraph graph;
  EXPECT_EQ(cuStreamEndCapture(s, &graph), CUDA_ERROR_ILLEGAL_STATE);
  expectBroken("capture-unmatched");
  const CUstream side = stream(CU_STREAM_NON_BLOCKING);
  const CUevent e = event();
  begin(s);
  CU_OK(cuEventRecord(e, s));
  CU_OK(cuStreamWaitEvent(side, e, 0));
  EXPECT_EQ(cuStreamEndCapture(side, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  expectBroken("capture-unmatched");
  expectInvalidated();
}

TEST_F(Captures, CaptureWrongThread) {
  begin(s);
  CUgraph graph;
  std::thread([&] {
    CU_OK(cuCtxSetCurrent(context));
    EXPECT_EQ(cuStreamEndCapture(s, &graph), CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  }).join();
  expectBroken("capture-wrong-thread");
  CU_OK(cuStreamEndCapture(s, &graph));
}

TEST_F(Captures, CapturedEvent) {
  const CUevent e = event();
  begin(s, CU_STREAM_CAPTURE_MODE_RELAXED);
  CU_OK(cuEventRecord(e, s));
  EXPECT_EQ(cuEventQuery(e), CUDA_ERROR_CAPTURED_EVENT);
  expectBroken("captured-event");
  expectInvalidated();
  EXPECT_EQ(cuEventSynchronize(e), CUDA_ERROR_CAPTURED_EVENT);
  expectBroken("captured-event");
}

// User objects.

struct Kept {
  CUuserObject object = nullptr;
  int ended = 0;
};

class UserObjects : public Captures {
protected:
  void make(Kept &kept, unsigned references = 1) {
    CU_OK(cuUserObjectCreate(
        &kept.object, &kept, [](void *what) { ++static_cast<Kept *>(what)->ended; }, references,
        CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  }
  void captureKeeping(const Kept &kept, CUgraph &graph) {
    begin(s);
    CU_OK(launch("increment", s, x, 1u));
    CUstreamCaptureStatus status;
    CU_OK(cuStreamGetCaptureInfo_v2(s, &status, nullptr, &graph, nullptr, nullptr));
    CU_OK(cuGraphRetainUserObject(graph, kept.object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    CU_OK(cuStreamEndCapture(s, &graph));
  }
};

TEST_F(UserObjects, LiveAsLongAsAnyGraph) {
  Kept kept;
  make(kept);
  CUgraph graph = nullptr;
  captureKeeping(kept, graph);
  CUgraphExec exec;
  CU_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CU_OK(cuGraphDestroy(graph));
  EXPECT_EQ(kept.ended, 0);
  CU_OK(cuGraphLaunch(exec, s));
  CU_OK(cuStreamSynchronize(s));
  CU_OK(cuGraphExecDestroy(exec));
  EXPECT_EQ(kept.ended, 1);
}

TEST_F(UserObjects, OwnReferencesCount) {
  Kept kept;
  make(kept, 2);
  CU_OK(cuUserObjectRetain(kept.object, 1));
  CU_OK(cuUserObjectRelease(kept.object, 2));
  CUgraph graph = nullptr;
  captureKeeping(kept, graph);
  CU_OK(cuGraphDestroy(graph));
  EXPECT_EQ(kept.ended, 1);
}

TEST_F(UserObjects, AreLetGoByABrokenCapture) {
  Kept kept;
  make(kept);
  begin(s);
  CUstreamCaptureStatus status;
  CUgraph graph = nullptr;
  CU_OK(cuStreamGetCaptureInfo_v2(s, &status, nullptr, &graph, nullptr, nullptr));
  CU_OK(cuGraphRetainUserObject(graph, kept.object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  EXPECT_EQ(cuStreamSynchronize(s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  expectBroken("capture-illegal-call");
  expectInvalidated();
  EXPECT_EQ(kept.ended, 1);
}

TEST_F(UserObjects, MustNotCallTheDriver) {
  CUuserObject object;
  CU_OK(cuUserObjectCreate(&object, nullptr, [](void *) { cuCtxSynchronize(); }, 1, 1));
  CU_OK(cuUserObjectRelease(object, 1));
  expectBroken("in-callback");
}

} // namespace fakecuda::testing
