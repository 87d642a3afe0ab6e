//! at: expf(
//! title: Use __expf (changes results)
__global__ void sigmoid(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 1.0f / (1.0f + __expf(-in[i]));
}
