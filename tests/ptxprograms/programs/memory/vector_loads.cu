// Loads and stores of two and four numbers at once, of all widths.
#include "program.h"

KERNEL void vector_loads(const float4 *a, const int2 *b, const double2 *c, const ushort4 *d, const uchar4 *e,
                         float4 *outA, int2 *outB, double2 *outC, ushort4 *outD, uchar4 *outE) {
  const int i = threadNumber();
  const float4 x = a[i];
  const int2 y = b[i];
  const double2 z = c[i];
  const ushort4 u = d[i];
  const uchar4 v = e[i];
  outA[i] = make_float4(x.w + 1, x.z, x.y * 2, x.x);
  outB[i] = make_int2(y.y - y.x, y.x);
  outC[i] = make_double2(z.y, z.x * 3);
  outD[i] = make_ushort4(u.y, u.x, u.w, u.z + u.x);
  outE[i] = make_uchar4(v.w, v.z + 1, v.y, v.x);
}

/* launches
launch("vector_loads", 2, 32, floats(256), integers("i4", 128, -10**9, 10**9), doubles(128), integers("u2", 256),
       integers("u1", 256), zeros("f4", 256), zeros("i4", 128), zeros("f8", 128), zeros("u2", 256), zeros("u1", 256))
*/
