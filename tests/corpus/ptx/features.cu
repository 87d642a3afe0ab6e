// What a compiler makes of CUDA, for PTX of many forms: `nvcc -std=c++17 -ptx -lineinfo -arch=sm_XX features.cu`, for sm_75 with `-G`
// in place of `-lineinfo`; paths of the machine are taken out of the `.file` lines.
#include <cuda_fp16.h>
#include <cstdio>

__constant__ float weights[16];
__constant__ int2 corners[2] = {{1, 2}, {3, 4}};
__device__ unsigned counter;
__managed__ int shared_by_all;
__device__ double sums[4][2] = {{1.0, 2.0}, {3.0}};
extern __shared__ __align__(16) unsigned char dynamic[];

struct Pair { float a; int b[3]; };
struct __align__(16) Wide { double x, y; };

template <int N> struct Tile { float data[N][N + 1]; };

__device__ __noinline__ Wide scaled(Wide wide, Pair pair, float by) {
    return {wide.x * by + pair.b[1], wide.y * by};
}

struct Shape {
    __device__ virtual float area() const = 0;
};
struct Square : Shape {
    float side;
    __device__ explicit Square(float side) : side(side) {}
    __device__ float area() const override { return side * side; }
};

__device__ float twice(float x) { return 2 * x; }
__device__ float halved(float x) { return x / 2; }
__device__ float (*const table[2])(float) = {twice, halved};

__global__ void __launch_bounds__(256, 2) reduce(const float *__restrict__ in, float *out, int n) {
    __shared__ Tile<8> tile;
    float sum = 0;
#pragma unroll 4
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += __ldg(in + i) * weights[i & 15];
    tile.data[threadIdx.x & 7][threadIdx.x >> 5] = sum;
    __syncthreads();
    for (int offset = 16; offset; offset >>= 1) sum += __shfl_down_sync(~0u, sum, offset);
    if (__any_sync(~0u, sum > 1.0f) && threadIdx.x == 0) atomicAdd(out, sum + tile.data[0][1]);
    if (threadIdx.x == 0 && atomicInc(&counter, 100) == 99) printf("%d of %f\n", n, double(sum));
}

__global__ void choose(float *out, int which, Pair pair, cudaTextureObject_t image) {
    float x = out[threadIdx.x];
    switch (which) {
    case 0: x += 1; break;
    case 1: x = sinf(x); break;
    case 2: x = table[pair.b[0] & 1](x); break;
    case 3: x = __half2float(__float2half_rn(x)); break;
    case 4: x = tex2D<float4>(image, x, 1.0f).y; break;
    case 5: x = float(scaled({x, 2.0}, pair, 3.0f).y); break;
    case 6: { Square square(x); Shape *shape = &square; x = shape->area(); break; }
    default: __trap();
    }
    asm volatile("{ .reg .pred p; setp.gt.f32 p, %0, 0f3F800000; @p bra.uni done; mov.f32 %0, .5; done: }" : "+f"(x));
    out[threadIdx.x] = x + corners[1].y + float(sums[1][0]) + float(shared_by_all);
}

#if __CUDA_ARCH__ >= 900
#include <cooperative_groups.h>
__global__ void __cluster_dims__(2, 1, 1) cluster(int *out, const __grid_constant__ Wide wide) {
    auto group = cooperative_groups::this_cluster();
    int *near = reinterpret_cast<int *>(dynamic);
    near[threadIdx.x] = int(wide.x);
    group.sync();
    out[threadIdx.x] = group.map_shared_rank(near, group.block_rank() ^ 1)[threadIdx.x];
}
#endif
