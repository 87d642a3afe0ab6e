//! none: Add const
__device__ float first(float *from) { return from[0]; }
__device__ void clear(float &what) { what = 0.0f; }

// Both are promised already.
__global__ void told(const float *__restrict__ in, float *__restrict__ out) { out[0] = in[0]; }

// Where the pointer goes it may be written.
__global__ void lent(float *in, float *out) { out[0] = first(in); }

// A reference goes where it is written.
__global__ void cleared(float *in, float *out) {
  clear(in[1]);
  out[0] = in[0];
}

// Its type is that of a pointer to functions, too.
__global__ void pointed(float *in, float *out) { out[0] = in[0]; }
void (*chosen)(float *, float *) = pointed;

__global__ void stepped(float *in, float *out) {
  float *at = in;
  *out = *at;
}

__global__ void added(float *in, int *count) { count[0] = atomicAdd(&in[0], 1.0f); }
