//! none: Move
__device__ void keep(const float *at) {}
const int named[2] = {1, 2};

__global__ void tables(float *out, int n) {
  const float by_lane[4] = {1, 2, 3, 4};
  const float folded[4] = {1, 2, 3, 4};
  const float lent[4] = {1, 2, 3, 4};
  const float computed[2] = {out[0], 2};
  float changed[2] = {1, 2};
  const float large[2000] = {1, 2};
  const float named[2] = {1, 2};
  const int lane = threadIdx.x & 3;
  keep(lent);
  changed[n & 1] = 3;
  out[n] = by_lane[lane] + folded[1] + lent[n] + computed[n] + changed[n] + large[n] + named[n];
}
