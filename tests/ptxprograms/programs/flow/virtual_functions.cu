// Objects with virtual functions, made and used by each thread.
#include "program.h"

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual int edges() const { return 0; }
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
  __device__ int edges() const override { return 4; }
};
struct Rectangle : Shape {
  int a, b;
  __device__ Rectangle(int a, int b) : a(a), b(b) {}
  __device__ int area() const override { return a * b; }
};

static __device__ __noinline__ int describe(const Shape &shape) { return shape.area() * 10 + shape.edges(); }

KERNEL void virtual_functions(const int *in, int *out) {
  const int i = threadNumber();
  const Square square(in[i]);
  const Rectangle rectangle(in[i], i);
  const Shape *shapes[] = {&square, &rectangle};
  out[i] = describe(*shapes[in[i] & 1]) + describe(*shapes[i & 1]);
}

/* launches
launch("virtual_functions", 2, 40, integers("i4", 80, 0, 100), zeros("i4", 80))
*/
