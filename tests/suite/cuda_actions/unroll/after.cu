//! at: k < width
//! title: Unroll the loop by 4 (compilers also unroll: measure both)
__global__ void multiply(const float *a, const float *b, float *c, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int row = 0; row < width; ++row) {
    float sum = 0.0f;
    #pragma unroll 4
    for (int k = 0; k < width; ++k)
      sum += a[row * width + k] * b[k * width + x];
    c[row * width + x] = sum;
  }
}
