//! at: tile[threadIdx.x][threadIdx.y]
//! title: Pad the rows of `tile` by 2 elements (wavefronts per request: 8 -> 1)
__global__ void transpose(const float *in, float *out, int width) {
  __shared__ float tile[16][18];
  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  out[y * width + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  transpose<<<dim3(64, 64), dim3(16, 16)>>>(nullptr, nullptr, 1024);
}
