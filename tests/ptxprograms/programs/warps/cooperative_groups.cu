// Tiles of a warp and the block as objects.
#include "program.h"
#ifdef __CUDACC__
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#endif

KERNEL void cooperative_tiles(const int *in, int *out) {
#ifdef __CUDACC__
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int rank = tile.thread_rank();
  int value = in[block.group_index().x * block.size() + block.thread_rank()];
  for (int by = tile.size() / 2; by > 0; by /= 2)
    value += tile.shfl_down(value, by);
  const u32 odd = tile.ballot(value & 1);
  const int any = tile.any(value > 100), meta = tile.meta_group_rank();
  tile.sync();
  block.sync();
#else
  const int rank = threadIdx.x % 8;
  const u32 mask = 0xFFu << (threadIdx.x % 32 / 8 * 8);
  int value = in[threadNumber()];
  for (int by = 4; by > 0; by /= 2)
    value += __shfl_down_sync(mask, value, by, 8);
  const u32 odd = __ballot_sync(mask, value & 1) >> (threadIdx.x % 32 / 8 * 8);
  const int any = __any_sync(mask, value > 100), meta = threadIdx.x / 8;
#endif
  out[threadNumber()] = rank == 0 ? value : (int)odd * 10 + any + meta * 1000;
}

/* launches
launch("cooperative_tiles", 2, 64, integers("i4", 128, -50, 50), zeros("i4", 128))
*/
