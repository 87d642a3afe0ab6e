//! at: in[i + 1]
//! title: Load four elements of `in` as one float4 (sectors of the four loads: 64 -> 16)
__global__ void sum(const float *in, float *out) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = 4 * thread;
  const float4 in4 = *reinterpret_cast<const float4 *>(&in[i]);
  float a = in4.x * 2.0f;
  float b = in4.y + a;
  float c = in4.z + in4.w;
  out[thread] = a + b + c;
}

int main() {
  sum<<<256, 256>>>(nullptr, nullptr);
}
