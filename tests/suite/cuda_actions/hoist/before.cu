//! at: factor[threadIdx.x] +
//! title: Hoist the load of `factor[threadIdx.x]` out of the loop (valid only if the loop does not write to this memory)
__global__ void scale(const float *x, const float *factor, float *y, int n) {
    const int start = blockIdx.x * n;
    // The trip count depends on the launch and may be 0.
#pragma unroll 2
    for (int i = 0; i < n; i++)
        y[start + i] = x[start + i] * factor[threadIdx.x] + (x[i] > 0 ? factor[ threadIdx.x ] : 1);
}
