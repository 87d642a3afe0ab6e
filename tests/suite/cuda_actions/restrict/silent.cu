//! none: Add const
__device__ float first(float *from) { return from[0]; }
__device__ void clear(float &what) { what = 0.0f; }

// Both pointers are restrict already.
__global__ void told(const float *__restrict__ in, float *__restrict__ out) { out[0] = in[0]; }

// The called function may write through the pointer.
__global__ void lent(float *in, float *out) { out[0] = first(in); }

// The called function writes through a reference.
__global__ void cleared(float *in, float *out) {
  clear(in[1]);
  out[0] = in[0];
}

// A pointer to functions has the type of this kernel.
__global__ void pointed(float *in, float *out) { out[0] = in[0]; }
void (*chosen)(float *, float *) = pointed;

__global__ void stepped(float *in, float *out) {
  float *at = in;
  *out = *at;
}

__global__ void added(float *in, int *count) { count[0] = atomicAdd(&in[0], 1.0f); }
