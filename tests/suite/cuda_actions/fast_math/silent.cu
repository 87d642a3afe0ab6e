//! none: Use __
__device__ float logf_of(float x) { return x; }
__device__ float sinf(int x) { return x; }

__global__ void functions(const double *in, float *out, float x) {
  out[0] = exp(in[0]);
  out[1] = sqrtf(x) + logf_of(x);
  out[2] = sinf(1);
}

__host__ __device__ float both(float x) { return expf(x); }
