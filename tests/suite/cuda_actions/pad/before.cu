//! at: tile[threadIdx.x][threadIdx.y]
//! title: Pad the rows of `tile` by one element (wavefronts per request: 32 -> 1)
__global__ void transpose(const float *in, float *out, int width) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  out[y * width + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  transpose<<<dim3(32, 32), dim3(32, 32)>>>(nullptr, nullptr, 1024);
}
