// Source of the relocatable cubins in this folder, which nvcc 13.5 compiled with `-rdc=true -cubin`.
__device__ float big[100000];
__device__ float filled[4] = {1, 2, 3, 4};
extern __device__ float elsewhere[];
__shared__ float of_module[300];

__device__ __noinline__ float scratch(const float *p, int i) {
    volatile float kept[64];
    kept[i] = p[i];
    return kept[i ^ 1];
}

extern "C" __global__ void __launch_bounds__(128) plain(const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x]; }

extern "C" __global__ void tile(float *p, int i) {
    extern __shared__ float dynamic[];
    __shared__ float rows[1000];
    rows[threadIdx.x] = p[i];
    of_module[i] = 3;
    dynamic[threadIdx.x] = 3;
    __syncthreads();
    p[i] = scratch(p, i) + rows[threadIdx.x ^ 1] + big[i] + filled[i & 3] + elsewhere[i] + of_module[i ^ 1] + dynamic[i];
}
