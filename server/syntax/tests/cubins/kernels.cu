// Source of `sm_61.cubin` and `sm_90.cubin` in this folder.
__constant__ float weights[16];
__device__ int counter;

__device__ __noinline__ float scratch(float x, int n) {
    volatile float kept[32];
    for (int i = 0; i < n; i++) kept[i & 31] = x * i;
    return kept[n & 31];
}

extern "C" __global__ void __launch_bounds__(128, 2) tile(float *p, int n, char c) {
    __shared__ float rows[64];
    rows[threadIdx.x & 63] = p[n];
    __syncthreads();
    p[threadIdx.x] = rows[c & 63] + weights[n & 15];
}

extern "C" __global__ void stack(float *p, int n) {
    p[threadIdx.x] = scratch(p[n], n);
    counter = n;
}

template <int N> __global__ void store(float *p) { p[N] = 1; }
template __global__ void store<3>(float *);
