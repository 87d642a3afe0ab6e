//! at: in[row * width + col];
//! title: Swap threadIdx.x and threadIdx.y in `scale` (sectors per request: 32 -> 4; all accesses: 32 -> 4)
__global__ void scale(const float *in, float *out, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  float value = in[row * width + col];
  out[row * width + col] = 2.0f * value;
}

int main() {
  scale<<<dim3(32, 32), dim3(32, 32)>>>(nullptr, nullptr, 1024);
}
