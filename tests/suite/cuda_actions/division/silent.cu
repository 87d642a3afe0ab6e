//! none: Divide
template <typename T> __global__ void quotients(T *any, const double *doubles, float *out, int n, float x) {
  out[0] = n / 3;
  out[1] = x / 2.0;
  out[2] = doubles[0] / x;
  any[0] = any[1] / any[2];
  x /= 3.0f;
  constexpr float third = 1.0f / 3.0f;
  out[3] = third;
}
