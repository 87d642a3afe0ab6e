//! at: / (1.0f
//! title: Divide with __fdividef (changes results)
__global__ void sigmoid(const float *in, float *out, float4 scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = scale.x / (1.0f + __expf(-in[i])) + 3;
}
