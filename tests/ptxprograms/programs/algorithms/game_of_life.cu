// Steps of the game of life on a torus, four cells in a word.
#include "program.h"

KERNEL void game_of_life(const u8 *from, u8 *to, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  int count = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy)
        count += from[(y + dy + height) % height * width + (x + dx + width) % width];
  to[y * width + x] = count == 3 || (count == 2 && from[y * width + x]);
}

/* launches
a, b = integers("u1", 30 * 20, 0, 1), zeros("u1", 30 * 20)
launch("game_of_life", (2, 3), (16, 8), a, b, 30, 20)
launch("game_of_life", (2, 3), (16, 8), b, a, 30, 20)
*/
