//! at: weights[5]
//! title: Move `weights` to constant memory
#define RADIUS 2

__constant__ float weights[5] = {0.0625f, 0.25f, 0.375f,
                          0.25f, -0.0625f};

// Smooths rows.
__global__ void smooth(const float *in, float *out, int first, int last) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = first; k < last; ++k)
    sum += weights[k] * in[i + k - RADIUS];
  out[i] = sum;
}
