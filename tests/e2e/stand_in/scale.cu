__device__ float twice(const float *x, int i) {
    return 2.0f * x[i];
}

__global__ void scale(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i * 8] = twice(x, i);
    }
}

void launch(const float *x, float *y) {
    scale<<<64, 256>>>(x, y, 16384);
}
