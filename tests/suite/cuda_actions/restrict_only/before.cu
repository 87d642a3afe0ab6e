//! at: out, const
//! title: Add __restrict__ to the pointers of `lent` (promises that they do not overlap)
__device__ float first(float *from) { return from[0]; }

__global__ void lent(float *in, float* out, const float *__restrict__ told) { out[0] = first(in) + told[0]; }
