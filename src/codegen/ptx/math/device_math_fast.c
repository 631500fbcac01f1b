// libdevice's __nv_fast_ functions for where it is not found: the hardware's approximations, for fastmath.

float __nv_fast_sinf(float x) { return __nvvm_sin_approx_f(x); }
float __nv_fast_cosf(float x) { return __nvvm_cos_approx_f(x); }
float __nv_fast_tanf(float x) { return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)); }
float __nv_fast_expf(float x) { return __nvvm_ex2_approx_f(x * 0x1.715476p+0f); }
float __nv_fast_log2f(float x) { return __nvvm_lg2_approx_f(x); }
float __nv_fast_logf(float x) { return __nvvm_lg2_approx_f(x) * 0x1.62e430p-1f; }
float __nv_fast_log10f(float x) { return __nvvm_lg2_approx_f(x) * 0x1.344136p-2f; }
float __nv_fast_powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
