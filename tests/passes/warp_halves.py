"""Vectors have 16 lanes where nothing says which threads are a warp."""

from treadle import cuda


@cuda.jit
def alone(out):
    out[cuda.threadIdx.x] = cuda.threadIdx.x


# CHECK-LABEL: == alone
# CHECK: warp halves ({{.*}}): found
# CHECK-NEXT: warps may be two vectors of 16 lanes


@cuda.jit
def knows_its_lane(out):
    out[cuda.threadIdx.x] = cuda.laneid


# CHECK-LABEL: == knows_its_lane
# CHECK: warp halves ({{.*}}): changed nothing


@cuda.jit
def sees_others(out):
    out[cuda.threadIdx.x] = cuda.activemask()


# CHECK-LABEL: == sees_others
# CHECK: warp halves ({{.*}}): changed nothing


@cuda.jit(device=True)
def voted(x):
    return cuda.any_sync(0xFFFFFFFF, x > 0)


@cuda.jit
def calls(out):
    out[cuda.threadIdx.x] = voted(out[cuda.threadIdx.x])


# CHECK-LABEL: == calls
# CHECK: warp halves ({{.*}}): changed nothing


@cuda.jit
def prints(out):
    print(out[cuda.threadIdx.x])


# CHECK-LABEL: == prints
# CHECK: warp halves ({{.*}}): changed nothing


REPORTS = [(kernel, "void(int64[::1])") for kernel in (alone, knows_its_lane, sees_others, calls, prints)]
