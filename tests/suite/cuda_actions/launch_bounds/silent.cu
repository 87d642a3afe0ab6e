//! none: Add __launch_bounds__
__global__ void __launch_bounds__(512) bounded(float *out) { out[threadIdx.x] = 0; }
__global__ void never(float *out) { out[threadIdx.x] = 0; }
__global__ void any(float *out) { out[threadIdx.x] = 0; }
__global__ void twice(float *out);
__global__ void twice(float *out) { out[threadIdx.x] = 0; }
__device__ void no_kernel(float *out) { out[threadIdx.x] = 0; }

int main(int argc, char **) {
  bounded<<<1, 256>>>(nullptr);
  any<<<1, 256>>>(nullptr);
  any<<<1, argc>>>(nullptr);
  twice<<<1, 256>>>(nullptr);
}
