//! none: Pad
template <typename T> __device__ void fill(T *from) { from[0] = 0; }

// The address of the array is passed to a function.
__global__ void lent(float *out) {
  __shared__ float tile[32][32];
  fill(&tile[0][0]);
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// Accesses of four elements need rows of a multiple of four.
__global__ void wide(float *out) {
  __shared__ float tile[32][32];
  *reinterpret_cast<float4 *>(&tile[threadIdx.y][0]) = make_float4(0, 0, 0, 0);
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// Rows that are one element longer do not fit.
__global__ void full(float *out) {
  __shared__ float tile[384][32];
  tile[threadIdx.x][threadIdx.y] = 0;
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

// No conflict.
__global__ void even(float *out) {
  __shared__ float tile[32][33];
  tile[threadIdx.x][threadIdx.y] = 0;
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

// Lanes 32 rows of 31 elements apart: longer rows would conflict.
__global__ void odd(float *out) {
  __shared__ float tile[32][31];
  tile[threadIdx.x][0] = 0;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][1];
}

int main() {
  lent<<<1, dim3(32, 32)>>>(nullptr);
  wide<<<1, dim3(32, 32)>>>(nullptr);
  full<<<1, dim3(32, 32)>>>(nullptr);
  even<<<1, dim3(32, 32)>>>(nullptr);
  odd<<<1, 32>>>(nullptr);
}
