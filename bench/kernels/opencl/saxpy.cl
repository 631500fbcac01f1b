// saxpy in OpenCL C: guarded, one thread per element.
__kernel void saxpy(float a, __global const float *restrict x, __global const float *restrict y,
                    __global float *restrict out, int n) {
  int i = get_global_id(0);
  if (i < n)
    out[i] = a * x[i] + y[i];
}
