// The sum of the pixels that each block reads, from which the mean of a speckled image follows.
//
// Re-written from the kernel `reduce` of Rodinia's srad_v1.

#include "bench.h"

constexpr int BLOCK = 1024;

__global__ void image_sum(const float *image, float *sums) {
    __shared__ float sum[BLOCK];

    const int thread = threadIdx.x;
    sum[thread] = image[blockIdx.x * BLOCK + thread];
    __syncthreads();

    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (thread < half) {
            sum[thread] += sum[thread + half];
        }
        __syncthreads();
    }

    if (thread == 0) {
        sums[blockIdx.x] = sum[0];
    }
}

int main() {
    const int pixels = 1 << 26;
    const int grid = pixels / BLOCK;

    Random random(4);
    std::vector<float> image(pixels);
    for (float &value : image) {
        value = random.between(0.0f, 1.0f);
    }
    float *d_image = to_device(image);
    float *d_sums = device_array<float>(grid);

    const float milliseconds = measure([&] { image_sum<<<grid, BLOCK>>>(d_image, d_sums); });

    // The number of blocks may change, so only the total is compared.
    const std::vector<float> sums = to_host(d_sums, grid);
    double total = 0.0, expected = 0.0;
    for (const float sum : sums) {
        total += sum;
    }
    for (const float value : image) {
        expected += value;
    }
    return report("image_sum", close(total, expected, 1e-5, 1.0), milliseconds);
}
