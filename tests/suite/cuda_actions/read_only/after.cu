//! at: table[index[i]]
//! title: Load `table` with __ldg (promises that nothing writes to it while the kernel runs)
__global__ void gather(const float4 *table, const int *index, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __ldg(&table[index[i]]).x + 1.0f;
}
