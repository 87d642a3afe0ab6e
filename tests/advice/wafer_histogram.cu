// The histogram of an image of a wafer, most of which is of about one brightness.
//
// Re-written from Parboil's histo.

#include "bench.h"

constexpr int BINS = 256;

__global__ void wafer_histogram(const int *image, unsigned int *counts, int pixels) {
    const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel < pixels) {
        atomicAdd(&counts[image[pixel]], 1u);
    }
}

int main() {
    const int pixels = 1 << 23;

    Random random(13);
    std::vector<int> image(pixels);
    for (int &brightness : image) {
        brightness = random.below(8) ? 120 + random.below(4) : random.below(BINS);
    }
    int *d_image = to_device(image);
    unsigned int *d_counts = device_array<unsigned int>(BINS);

    const int block = 256;
    const int grid = (pixels + block - 1) / block;
    const float milliseconds = measure([&] { wafer_histogram<<<grid, block>>>(d_image, d_counts, pixels); });

    // The launches have added to the same counts.
    const std::vector<unsigned int> counts = to_host(d_counts, BINS);
    std::vector<unsigned int> expected(BINS);
    for (const int brightness : image) {
        expected[brightness] += WARM_UPS + TIMED_LAUNCHES;
    }
    return report("wafer_histogram", counts == expected, milliseconds);
}
