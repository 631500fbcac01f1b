// Components of a graph: roots are joined by compare-and-swap.
#include "program.h"

static __device__ int rootOf(int *parents, int node) {
  int parent = atomicAdd(&parents[node], 0);
  while (parent != node) {
    node = parent;
    parent = atomicAdd(&parents[node], 0);
  }
  return node;
}

KERNEL void join(int *parents, const int *from, const int *to, int edges) {
  const int i = threadNumber();
  if (i >= edges)
    return;
  int a = rootOf(parents, from[i]), b = rootOf(parents, to[i]);
  while (a != b) {
    const int low = min(a, b), high = max(a, b);
    const int old = atomicCAS(&parents[high], high, low);
    if (old == high)
      break;
    a = rootOf(parents, low), b = rootOf(parents, old);
  }
}
KERNEL void flatten(int *parents, int *labels, int n) {
  const int i = threadNumber();
  if (i < n)
    labels[i] = rootOf(parents, i);
}

/* launches
parents = array(np.arange(200), "i4", is_free=True)
launch("join", 3, 64, parents, integers("i4", 150, 0, 199), integers("i4", 150, 0, 199), 150)
launch("flatten", 4, 64, parents, zeros("i4", 200), 200)
*/
