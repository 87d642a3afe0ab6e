//! none: Unroll
#define ROWS 3
constexpr int COLUMNS = 8;

template <int N> __global__ void loops(const float *in, float *out, int n) {
  float sum = 0.0f;
  // The compiler knows how often these run.
  for (int i = 0; i < 8; ++i)
    sum += in[i];
  for (int i = 0; i < ROWS; ++i)
    sum += in[i];
  for (int i = 0; i < COLUMNS; ++i)
    sum += in[i];
  for (int i = 0; i < N; ++i)
    sum += in[i];
#pragma unroll 2
  for (int i = 0; i < n; ++i)
    sum += in[i];
#pragma nounroll
  for (int i = 0; i < n; ++i)
    sum += in[i];
  if (n > 4)
    for (int i = 0; i < n; ++i)
      sum += in[i];
  while (n > 0)
    sum += in[--n];
  out[0] = sum;
}

void on_the_host(float *out, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = 0;
}
