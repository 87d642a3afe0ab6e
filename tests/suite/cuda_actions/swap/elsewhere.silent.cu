//! none: Swap
// A called function uses the index, too.
__device__ int place(int width) { return threadIdx.x * width + threadIdx.y; }

__global__ void called(const float *in, float *out, int width) {
  int at = threadIdx.x * width + threadIdx.y;
  out[at] = in[place(width)];
}

int main() {
  called<<<1, dim3(32, 32)>>>(nullptr, nullptr, 1024);
}
