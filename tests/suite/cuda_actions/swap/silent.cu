//! none: Swap
// Its block is wider than high: the swap would leave rows out.
__global__ void oblong(const float *in, float *out, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  out[row * width + col] = in[row * width + col];
}

// The block of one of the two launches is unknown.
__global__ void unknown(const float *in, float *out, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  out[row * width + col] = in[row * width + col];
}

// The swap improves one access and worsens the other.
__global__ void transpose(const float *in, float *out, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  out[row * width + col] = in[col * width + row];
}

// Lanes exchange values, so it matters which threads form a warp.
__global__ void shuffled(const float *in, float *out, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  float value = in[row * width + col];
  value += __shfl_xor_sync(0xffffffff, value, 1);
  out[row * width + col] = value;
}

int main(int argc, char **) {
  oblong<<<dim3(32, 32), dim3(32, 8)>>>(nullptr, nullptr, 1024);
  unknown<<<dim3(32, 32), dim3(32, 32)>>>(nullptr, nullptr, 1024);
  unknown<<<dim3(32, 32), dim3(32, argc)>>>(nullptr, nullptr, 1024);
  transpose<<<dim3(32, 32), dim3(32, 32)>>>(nullptr, nullptr, 1024);
  shuffled<<<dim3(32, 32), dim3(32, 32)>>>(nullptr, nullptr, 1024);
}
