//! none: Move
__device__ const float by_lane[4] = {1, 2, 3, 4};
__device__ float changed[2] = {1, 2};
__device__ const float lent[4] = {1, 2, 3, 4};
__device__ const float unread[4] = {1, 2, 3, 4};
__device__ void keep(const float *at) {}

__global__ void tables(float *out, int n) {
  changed[n] = 2;
  keep(lent);
  out[n] = by_lane[threadIdx.x & 3] + changed[n];
}
