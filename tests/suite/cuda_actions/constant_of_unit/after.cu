//! at: weights[2][2]
//! title: Move `weights` to constant memory
static __constant__ const double weights[2][2] = {{0.5, 0.5}, {1.0, -1.0}};

__global__ void smooth(const double *in, double *out, int kind) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = weights[kind][0] * in[i] + weights[kind][1] * in[i + 1];
}
