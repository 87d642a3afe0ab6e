// Cause: a matrix product in which each thread loads all that it multiplies. Cure: tiles in shared memory and sums in registers.
// guide: l1-bandwidth

#include "pair.h"

constexpr int N = 1536;

__global__ void overlap_matrix(const float *left, const float *right, float *overlap) {
    const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0.0f;
    for (int at = 0; at < N; at++) {
        sum += left[row * N + at] * right[at * N + column];
    }
    overlap[row * N + column] = sum;
}

__global__ void overlap_matrix_cured(const float *left, const float *right, float *overlap) {
    __shared__ float rows[16][64 + 4], columns[16][64];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    const int column = blockIdx.x * 64, row = blockIdx.y * 64;
    float sums[4][4] = {};
    for (int tile = 0; tile < N; tile += 16) {
        for (int at = thread; at < 64 * 16; at += 256) {
            rows[at % 16][at / 16] = left[(row + at / 16) * N + tile + at % 16];
            columns[at / 64][at % 64] = right[(tile + at / 64) * N + column + at % 64];
        }
        __syncthreads();
#pragma unroll
        for (int at = 0; at < 16; at++) {
            const float4 own = *(const float4 *)&rows[at][threadIdx.y * 4];
            const float4 other = *(const float4 *)&columns[at][threadIdx.x * 4];
            const float a[4] = {own.x, own.y, own.z, own.w}, b[4] = {other.x, other.y, other.z, other.w};
#pragma unroll
            for (int i = 0; i < 4; i++) {
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    sums[i][j] += a[i] * b[j];
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            overlap[(row + threadIdx.y * 4 + i) * N + column + threadIdx.x * 4 + j] = sums[i][j];
        }
    }
}

int main(int argc, char **argv) {
    const size_t count = (size_t)N * N;
    float *left = random_floats(count, 22), *right = random_floats(count, 23);
    float *overlap = device_array<float>(count), *cured = device_array<float>(count);
    return compare(
        argc, argv, "overlap_matrix",
        [&] { overlap_matrix<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(left, right, overlap); },
        [&] { overlap_matrix_cured<<<dim3(N / 64, N / 64), dim3(16, 16)>>>(left, right, cured); },
        [&] { return same(overlap, cured, count, 1e-3); });
}
