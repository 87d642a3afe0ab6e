#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e = (x); if (e) { printf("%s line %d\n", cudaGetErrorString(e), __LINE__); return 1; } } while (0)
constexpr int TILE = 32;
__global__ void copy3(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (3 * i + 2 < n) {
    out[3 * i] = in[3 * i];
    out[3 * i + 1] = in[3 * i + 1];
    out[3 * i + 2] = in[3 * i + 2];
  }
}
__global__ void cplx(const float2 *a, const float2 *b, float2 *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float2 x = a[i], y = b[i];
    c[i] = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
  }
}
__global__ void soa_vec4(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    float4 v = reinterpret_cast<const float4 *>(in)[i];
    v.x += 1.f;
    reinterpret_cast<float4 *>(out)[i] = v;
  }
}
__global__ void bytes(const unsigned char *in, unsigned char *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int sum = 0;
  for (int c = 0; c < 3; c++)
    sum += in[(y * w + x) * 3 + c];
  out[y * w + x] = sum / 3;
}
__global__ void matvec_row(const float *a, const float *x, float *y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float s = 0.f;
  for (int j = 0; j < n; ++j)
    s += a[(size_t)r * n + j] * x[j];
  y[r] = s;
}
__global__ void matvec_col(const float *a, const float *x, float *y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float s = 0.f;
  for (int j = 0; j < n; ++j)
    s += a[j * n + r] * x[j];
  y[r] = s;
}
__global__ void bitonic(int *data) {
  __shared__ int s[1024];
  int t = threadIdx.x;
  s[t] = data[blockIdx.x * 1024 + t];
  s[t + 512] = data[blockIdx.x * 1024 + t + 512];
  __syncthreads();
  for (int k = 2; k <= 1024; k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1) {
      int i = 2 * t - (t & (j - 1));
      int p = s[i];
      int q = s[i + j];
      bool up = (i & k) == 0;
      if ((p > q) == up) {
        s[i] = q;
        s[i + j] = p;
      }
      __syncthreads();
    }
  data[blockIdx.x * 1024 + t] = s[t];
  data[blockIdx.x * 1024 + t + 512] = s[t + 512];
}
__global__ void scan_naive(const float *in, float *out) {
  extern __shared__ float temp[];
  int t = threadIdx.x, n = 2 * blockDim.x, offset = 1;
  temp[2 * t] = in[blockIdx.x * n + 2 * t];
  temp[2 * t + 1] = in[blockIdx.x * n + 2 * t + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int ai = offset * (2 * t + 1) - 1;
      int bi = offset * (2 * t + 2) - 1;
      temp[bi] += temp[ai];
    }
    offset *= 2;
  }
  __syncthreads();
  out[blockIdx.x * n + 2 * t] = temp[2 * t];
  out[blockIdx.x * n + 2 * t + 1] = temp[2 * t + 1];
}
template <typename T, int BY>
__global__ void transpose_swizzled(T *out, const T *in, int w, int h) {
  __shared__ T tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += BY)
    tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(y + j) * w + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += BY)
    out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.x ^ (threadIdx.y + j)];
}
__global__ void conv_shared(const float *in, float *out, int w) {
  __shared__ float s[18][18];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  for (int i = ty * 16 + tx; i < 18 * 18; i += 256)
    s[i / 18][i % 18] = in[(blockIdx.y * 16 + i / 18) * (w + 2) + blockIdx.x * 16 + i % 18];
  __syncthreads();
  float a = 0;
#pragma unroll
  for (int p = 0; p < 3; p++)
#pragma unroll
    for (int q = 0; q < 3; q++)
      a += s[ty + p][tx + q] * (p + q + 1);
  out[y * w + x] = a;
}
__global__ void sgemm_bt(const float *a, const float *b, float *c, int n) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float acc = 0;
  for (int t = 0; t < n / 16; t++) {
    as[ty][tx] = a[row * n + t * 16 + tx];
    bs[tx][ty] = b[(blockIdx.x * 16 + ty) * n + t * 16 + tx];
    __syncthreads();
    for (int k = 0; k < 16; k++)
      acc += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = acc;
}
__global__ void stride_shared2(float *out) {
  __shared__ double d[512];
  __shared__ float f[2048];
  int t = threadIdx.x;
  for (int i = t; i < 512; i += blockDim.x) d[i] = i;
  for (int i = t; i < 2048; i += blockDim.x) f[i] = i;
  __syncthreads();
  double a = d[(t * 2) & 511];
  float b = f[(t * 3) & 2047];
  float e = f[(t * 4) & 2047];
  out[blockIdx.x * blockDim.x + t] = a + b + e;
}
__global__ void grid_stride(const float *x, float *y, int n, float a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + y[i];
}
__global__ void chunked(const float *x, float *y, int n, int per) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int begin = t * per, end = min(begin + per, n);
  float s = 0;
  for (int i = begin; i < end; i++)
    s += x[i];
  y[t] = s;
}
__global__ void warp_rows(const float *m, float *out, int rows, int cols) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= rows) return;
  const float *row = m + (size_t)warp * cols;
  float s = 0;
  for (int c = lane; c < cols; c += 32) s += row[c];
  for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
  if (lane == 0) out[warp] = s;
}
struct __align__(16) Body { float3 pos; float mass; float3 vel; int id; };
__global__ void move(Body *b, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    b[i].pos.x += b[i].vel.x * dt;
    b[i].pos.y += b[i].vel.y * dt;
    b[i].mass *= 0.5f;
  }
}
__global__ void reverse(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[n - 1 - i] = x[i];
}
__global__ void offset1(const float *x, float *y, int n, int off) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i + off];
}
__global__ void gather(const int *idx, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[idx[i]];
}
__global__ void stencil3d(const float *in, float *out, int nx, int ny, int nz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int plane = nx * ny;
  if (i >= nx - 1 || j >= ny - 1) return;
  float below = in[j * nx + i], here = in[plane + j * nx + i];
  for (int k = 1; k < nz - 1; k++) {
    float above = in[(k + 1) * plane + j * nx + i];
    out[k * plane + j * nx + i] = below + above - 2 * here;
    below = here;
    here = above;
  }
}
__global__ void lower_triangle(const float *a, float *b, int n) {
  int c = threadIdx.x, r = blockIdx.x;
  for (int j = c; j <= r; j += blockDim.x)
    b[r * n + j] = a[j * n + r];
}
__global__ void tall_block(const float *in, float *out, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * w + x] = in[y * w + x];
}
__global__ void swapped(const float *in, float *out, int w) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  out[row * w + col] = 2.f * in[row * w + col];
}
int main() {
  const int N = 1 << 20;
  float *x, *y, *z;
  int *ix;
  CK(cudaMalloc(&x, 64 << 20));
  CK(cudaMalloc(&y, 64 << 20));
  CK(cudaMalloc(&z, 64 << 20));
  CK(cudaMalloc(&ix, 64 << 20));
  CK(cudaMemset(x, 0, 64 << 20));
  CK(cudaMemset(y, 0, 64 << 20));
  CK(cudaMemset(z, 0, 64 << 20));
  int *h = new int[N];
  for (int i = 0; i < N; i++) h[i] = (i * 7919) & (N - 1);
  CK(cudaMemcpy(ix, h, N * 4, cudaMemcpyHostToDevice));
  copy3<<<N / 3 / 256, 256>>>(x, y, N);
  cplx<<<N / 2 / 256, 256>>>((float2 *)x, (float2 *)y, (float2 *)z, N / 2);
  soa_vec4<<<N / 4 / 256, 256>>>(x, y, N);
  dim3 b32x8(32, 8), b16(16, 16);
  bytes<<<dim3(1024 / 32, 768 / 8), b32x8>>>((unsigned char *)x, (unsigned char *)y, 1024, 768);
  matvec_row<<<1024 / 128, 128>>>(x, y, z, 1024);
  matvec_col<<<1024 / 128, 128>>>(x, y, z, 1024);
  bitonic<<<N / 1024, 512>>>(ix);
  scan_naive<<<N / 512, 256, 512 * sizeof(float)>>>(x, y);
  transpose_swizzled<float, 8><<<dim3(32, 32), b32x8>>>(y, x, 1024, 1024);
  conv_shared<<<dim3(62, 62), b16>>>(x, y, 1000);
  sgemm_bt<<<dim3(32, 32), b16>>>(x, y, z, 512);
  stride_shared2<<<132, 256>>>(y);
  grid_stride<<<132 * 4, 256>>>(x, y, N, 2.f);
  chunked<<<64, 128>>>(x, y, N, 128);
  warp_rows<<<1024 / 8, 256>>>(x, y, 1024, 1024);
  move<<<N / 8 / 256, 256>>>((Body *)x, N / 8, 0.1f);
  reverse<<<N / 256, 256>>>(x, y, N);
  offset1<<<N / 256, 256>>>(x, y, N, 1);
  CK(cudaMemcpy(ix, h, N * 4, cudaMemcpyHostToDevice));
  gather<<<N / 256, 256>>>(ix, x, y);
  stencil3d<<<dim3(4, 16), b32x8>>>(x, y, 128, 128, 64);
  lower_triangle<<<512, 128>>>(x, y, 1024);
  tall_block<<<dim3(256, 8), dim3(4, 64)>>>(x, y, 1024);
  swapped<<<dim3(32, 128), b32x8>>>(x, y, 1024);
  CK(cudaDeviceSynchronize());
  printf("ok\n");
}
