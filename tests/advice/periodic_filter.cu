// A filter over a periodic field: what lies beyond an edge is what lies at the opposite edge. The
// sizes of the field and of the filter are parameters of the kernel.

#include "bench.h"

__global__ void periodic_filter(const float *in, const float *weights, float *out, int width, int height,
                                int radius) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }

    float sum = 0.0f;
    int tap = 0;
    for (int dy = -radius; dy <= radius; dy++) {
        for (int dx = -radius; dx <= radius; dx++) {
            const int column = (x + dx + width) % width;
            const int row = (y + dy + height) % height;
            sum += weights[tap++] * in[row * width + column];
        }
    }
    out[y * width + x] = sum;
}

int main() {
    const int width = 4096;
    const int height = 4096;
    const int radius = 2;
    const int side = 2 * radius + 1;

    Random random(10);
    std::vector<float> in(width * height), weights(side * side);
    for (float &value : in) {
        value = random.between(0.0f, 1.0f);
    }
    for (float &value : weights) {
        value = random.between(0.0f, 2.0f / (side * side));
    }
    float *d_in = to_device(in);
    float *d_weights = to_device(weights);
    float *d_out = device_array<float>(width * height);

    const dim3 block(32, 8);
    const dim3 grid(width / 32, height / 8);
    const float milliseconds =
        measure([&] { periodic_filter<<<grid, block>>>(d_in, d_weights, d_out, width, height, radius); });

    const std::vector<float> out = to_host(d_out, width * height);
    bool ok = true;
    for (int sample = 0; sample < 20000; sample++) {
        // Every other sample lies at an edge.
        const int x = sample % 2 ? (int)random.below(width) : (sample % 4 ? 0 : width - 1);
        const int y = random.below(height);
        double expected = 0.0;
        for (int dy = -radius; dy <= radius; dy++) {
            for (int dx = -radius; dx <= radius; dx++) {
                const int column = (x + dx + width) % width;
                const int row = (y + dy + height) % height;
                expected += (double)weights[(dy + radius) * side + dx + radius] * in[row * width + column];
            }
        }
        ok = ok && close(out[y * width + x], expected, 1e-4, 0.1);
    }
    return report("periodic_filter", ok, milliseconds);
}
