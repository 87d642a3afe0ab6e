//! at: in[i + 1]
//! title: Load four elements of `in` as one float4 (sectors of the four loads: 64 -> 16)
__global__ void sum(const float *in, float *out) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = 4 * thread;
  float a = in[i] * 2.0f;
  float b = in[i + 1] + a;
  float c = in[i + 2] + in[i + 3];
  out[thread] = a + b + c;
}

int main() {
  sum<<<256, 256>>>(nullptr, nullptr);
}
