//! at: weight[threadIdx.y][threadIdx.x ^ 1]
//! title: Hoist the load of `weight[threadIdx.y][threadIdx.x ^ 1]` out of the loop (valid only if the loop does not write to this memory)
#define STEPS 16

__global__ void sums(const float *x, float *y) {
    __shared__ float weight[8][32], tile[256];
    weight[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0;
    const float weight_value = weight[threadIdx.y][threadIdx.x ^ 1];
    for (int i = 0; i < STEPS; i++) {
        tile[threadIdx.y * 32 + threadIdx.x] = x[i * 256 + threadIdx.y * 32 + threadIdx.x];
        __syncthreads();
        sum += tile[threadIdx.x] * weight_value;
        __syncthreads();
    }
    y[threadIdx.y * 32 + threadIdx.x] = sum;
}

void host(float *x, float *y) {
    sums<<<1, dim3(32, 8)>>>(x, y);
}
