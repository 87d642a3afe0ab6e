//! none: Load four
__device__ void bump(int &i) { i += 1; }

// The first subscript may be any number.
__global__ void anywhere(const float *in, float *out, int start) {
  int i = start + threadIdx.x;
  out[threadIdx.x] = in[i] + in[i + 1] + in[i + 2] + in[i + 3];
}

// There is a store between the loads, and the arrays may overlap.
__global__ void stored(const float *in, float *out) {
  int i = 4 * threadIdx.x;
  float a = in[i];
  out[i] = a;
  float b = in[i + 1];
  float c = in[i + 2];
  out[i + 1] = a + b + c + in[i + 3];
}

// Not every thread loads all four.
__global__ void guarded(const float *in, float *out, int n) {
  int i = 4 * threadIdx.x;
  float a = in[i];
  float b = i + 1 < n ? in[i + 1] : 0.0f;
  float c = in[i + 2] + in[i + 3];
  out[threadIdx.x] = a + b + c;
}

// A called function changes the subscript.
__global__ void lent(const float *in, float *out) {
  int i = 4 * threadIdx.x;
  bump(i);
  out[threadIdx.x] = in[i] + in[i + 1] + in[i + 2] + in[i + 3];
}

// Only three of four elements are loaded.
__global__ void three(const float *in, float *out) {
  int i = 4 * threadIdx.x;
  out[threadIdx.x] = in[i] + in[i + 1] + in[i + 2];
}

// The kernel writes to the array that it loads from.
__global__ void own(float *in) {
  int i = 4 * threadIdx.x;
  float a = in[i] + in[i + 1] + in[i + 2] + in[i + 3];
  in[i] = a;
}

// The store is executed before the last loads.
__global__ void within(const float *in, float *out) {
  int i = 4 * threadIdx.x;
  float sum = (out[0] = in[i]) + in[i + 1] + in[i + 2] + in[i + 3];
  out[threadIdx.x] = sum;
}

int main() {
  anywhere<<<1, 256>>>(nullptr, nullptr, 4);
  stored<<<1, 256>>>(nullptr, nullptr);
  guarded<<<1, 256>>>(nullptr, nullptr, 1024);
  lent<<<1, 256>>>(nullptr, nullptr);
  three<<<1, 256>>>(nullptr, nullptr);
  own<<<1, 256>>>(nullptr);
}
