// The bin of each sample of a magnetic resonance scan, by which samples are sorted before they are
// gathered on a grid. A sample has its value, its place among spatial frequencies, and its weight.
//
// Re-written from Parboil's mri-gridding.

#include "bench.h"

struct Sample {
    float real, imaginary;
    float x, y, z;
    float weight;
};

__global__ void sample_bins(const Sample *__restrict__ samples, int *__restrict__ bins, int count, int side,
                            float scale) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }

    const int column = (int)((samples[i].x + 0.5f) * scale);
    const int row = (int)((samples[i].y + 0.5f) * scale);
    const int slice = (int)((samples[i].z + 0.5f) * scale);
    bins[i] = (slice * side + row) * side + column;
}

int main() {
    const int count = 6144 * 4096;
    const int side = 64;
    const float scale = 64.0f;

    Random random(25);
    std::vector<Sample> samples(count);
    for (Sample &sample : samples) {
        sample.real = random.between(-1.0f, 1.0f);
        sample.imaginary = random.between(-1.0f, 1.0f);
        sample.x = random.between(-0.5f, 0.499f);
        sample.y = random.between(-0.5f, 0.499f);
        sample.z = random.between(-0.5f, 0.499f);
        sample.weight = random.between(0.1f, 1.0f);
    }
    Sample *d_samples = to_device(samples);
    int *d_bins = device_array<int>(count);

    const int block = 256;
    const int grid = (count + block - 1) / block;
    const float milliseconds =
        measure([&] { sample_bins<<<grid, block>>>(d_samples, d_bins, count, side, scale); });

    const std::vector<int> bins = to_host(d_bins, count);
    bool ok = true;
    for (int i = 0; i < count; i++) {
        const int column = (int)((samples[i].x + 0.5f) * scale);
        const int row = (int)((samples[i].y + 0.5f) * scale);
        const int slice = (int)((samples[i].z + 0.5f) * scale);
        ok = ok && bins[i] == (slice * side + row) * side + column;
    }
    return report("sample_bins", ok, milliseconds);
}
