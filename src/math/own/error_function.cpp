// erf of float32.
#include "math/own/vector.h"

namespace {

/// coefficients[k][i] belongs to the k-th power in the minimax polynomial of erf(x) / x around the middle of interval
/// i, each a quarter wide.
constexpr float coefficients[6][16] = {
    {0x1.1f5e1ap+0f, 0x1.13e08cp+0f, 0x1.fe8f16p-1f, 0x1.cacbc2p-1f, 0x1.9450bcp-1f, 0x1.611066p-1f, 0x1.3448f8p-1f,
     0x1.0ee122p-1f, 0x1.e09a7ap-2f, 0x1.aed2p-2f, 0x1.8603ep-2f, 0x1.642828p-2f, 0x1.47ad4p-2f, 0x1.2f6828p-2f,
     0x1.1a7b9p-2f, 0x1.08421p-2f},
    {-0x1.7d900cp-4f, -0x1.09ac3cp-2f, -0x1.7edef6p-2f, -0x1.b29324p-2f, -0x1.ad1534p-2f, -0x1.82ad18p-2f,
     -0x1.48b7c4p-2f, -0x1.0e9e18p-2f, -0x1.b87062p-3f, -0x1.67575ap-3f, -0x1.284242p-3f, -0x1.ef1beep-4f,
     -0x1.a35764p-4f, -0x1.6793eep-4f, -0x1.37b3d8p-4f, -0x1.10c83cp-4f},
    {-0x1.76697cp-2f, -0x1.2767a4p-2f, -0x1.5275c4p-3f, -0x1.458854p-5f, 0x1.bbd59ep-5f, 0x1.ab1464p-4f, 0x1.df909p-4f,
     0x1.b7e3b2p-4f, 0x1.6bfb94p-4f, 0x1.1e37dp-4f, 0x1.b9fb0cp-5f, 0x1.56141p-5f, 0x1.0bd842p-5f, 0x1.a9ed7p-6f,
     0x1.57fc16p-6f, 0x1.198c8ep-6f},
    {0x1.c5a7e8p-5f, 0x1.24d4d2p-3f, 0x1.671bap-3f, 0x1.367d06p-3f, 0x1.8a2d5p-4f, 0x1.3fc1f8p-5f, -0x1.69113p-10f,
     -0x1.5d21cap-6f, -0x1.ae6882p-6f, -0x1.834f4ep-6f, -0x1.323ce4p-6f, -0x1.cad016p-7f, -0x1.52a59ap-7f,
     -0x1.f6f94ap-8f, -0x1.7b355cp-8f, -0x1.2287e8p-8f},
    {0x1.b0e7c4p-4f, 0x1.fa5ccep-5f, 0x1.f5a3c4p-10f, -0x1.6806ep-5f, -0x1.e798bap-5f, -0x1.9d3c36p-5f, -0x1.eebecp-6f,
     -0x1.6403e6p-7f, -0x1.98fc54p-14f, 0x1.0635fcp-8f, 0x1.67f79ap-8f, 0x1.03eefap-8f, 0x1.9d908ep-9f, 0x1.33ef96p-9f,
     0x1.5699e2p-10f, 0x1.470ad2p-10f},
    {-0x1.3f0e9ep-6f, -0x1.79a76ap-5f, -0x1.7cc82cp-5f, -0x1.a67f18p-6f, -0x1.08d08cp-10f, 0x1.d7f8a8p-7f,
     0x1.18bda8p-6f, 0x1.857b6ep-7f, 0x1.811acap-8f, 0x1.d378d6p-10f, -0x1.d6551cp-12f, -0x1.970982p-11f,
     -0x1.afab02p-11f, -0x1.5df07cp-11f, -0x1.7bbed4p-12f, -0x1.6dd894p-12f}};

} // namespace

extern "C" F32 TREADLE_ROUTINE(erf, f32)(F32 x) {
  F32 magnitude = absolute(x);
  // From 3.93 on erf is 1. NaN falls through the comparison.
  F32 clamped = magnitude < 3.99f ? magnitude : F32(3.99f);
  F32 index = __builtin_elementwise_floor(clamped * 4);
  F32 offset = clamped - (index * 0.25f + 0.125f);
  I32 interval = bitcast<I32>(index + Format<F32>::rounder);
  F32 ratio = lookup(coefficients[5], interval);
#pragma clang loop unroll(full)
  for (int power = 4; power >= 0; --power)
    ratio = multiplyAdd(ratio, offset, lookup(coefficients[power], interval));
  F32 result = clamped * ratio;
  result = magnitude < 3.93f ? result : F32(1);
  return x != x ? x : withSign(result, x);
}
