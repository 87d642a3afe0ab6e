// Square SGEMM with register blocking, re-created from "SGEMM Characterization on NVIDIA GPUs using Profiling Metrics for
// Autonomous Driving" (Listings 1 and 2, and the experiments of section IV): blocks of X by Y threads, each of which computes
// RX by RY values of the product from tiles in shared memory.

template <int X, int Y, int RX, int RY>
__global__ void sgemm(const float *a, const float *b, float *c, int n) {
    constexpr int DEPTH = X > Y ? X : Y;
    __shared__ float left[Y * RY][DEPTH];
    __shared__ float right[DEPTH][X * RX];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const float *rows = a + blockIdx.y * Y * RY * n;
    const float *columns = b + blockIdx.x * X * RX;
    float sums[RY][RX] = {};
    for (int tile = 0; tile < n / DEPTH; tile++) {
        for (int row = ty; row < DEPTH; row += Y)
            for (int i = 0; i < RX; i++)
                right[row][tx + i * X] = columns[(tile * DEPTH + row) * n + tx + i * X];
        for (int column = tx; column < DEPTH; column += X)
            for (int j = 0; j < RY; j++)
                left[ty + j * Y][column] = rows[(ty + j * Y) * n + tile * DEPTH + column];
        __syncthreads();
        for (int k = 0; k < DEPTH; k++) {
            float of_right[RX], of_left[RY];
            for (int i = 0; i < RX; i++) of_right[i] = right[k][tx + i * X];
            for (int j = 0; j < RY; j++) of_left[j] = left[ty + j * Y][k];
            for (int j = 0; j < RY; j++)
                for (int i = 0; i < RX; i++) sums[j][i] += of_left[j] * of_right[i];
        }
        __syncthreads();
    }
    for (int j = 0; j < RY; j++)
        for (int i = 0; i < RX; i++)
            c[(blockIdx.y * Y * RY + ty + j * Y) * n + blockIdx.x * X * RX + tx + i * X] = sums[j][i];
}

// The same without shared memory, one value a thread.
template <int X, int Y>
__global__ void sgemm_global(const float *a, const float *b, float *c, int n) {
    const int row = blockIdx.y * Y + threadIdx.y, column = blockIdx.x * X + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

template __global__ void sgemm_global<16, 16>(const float *, const float *, float *, int);
template __global__ void sgemm_global<32, 32>(const float *, const float *, float *, int);
#define VALUES(RX, RY) \
    template __global__ void sgemm<8, 8, RX, RY>(const float *, const float *, float *, int); \
    template __global__ void sgemm<16, 8, RX, RY>(const float *, const float *, float *, int); \
    template __global__ void sgemm<16, 16, RX, RY>(const float *, const float *, float *, int); \
    template __global__ void sgemm<32, 16, RX, RY>(const float *, const float *, float *, int);
VALUES(1, 1)
VALUES(2, 2)
VALUES(4, 4)
VALUES(8, 8)
// 64 values of each of 32 by 32 threads take more shared memory than a block may declare.
template __global__ void sgemm<32, 32, 1, 1>(const float *, const float *, float *, int);
template __global__ void sgemm<32, 32, 2, 2>(const float *, const float *, float *, int);
template __global__ void sgemm<32, 32, 4, 4>(const float *, const float *, float *, int);
