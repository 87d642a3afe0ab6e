// The patches around each pixel of an image, laid out as the rows of a matrix, so that a convolution
// becomes a product of matrices. A thread copies one value, and finds its pixel, its place in the patch
// and its channel from its number. Beyond the edges there are zeros.
//
// The shape is that of im2col in frameworks for neural networks.

#include "bench.h"

__global__ void unfold_patches(const float *__restrict__ image, float *__restrict__ patches, int width, int height,
                               int side, int total) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) {
        return;
    }

    const int x = i % width;
    const int y = i / width % height;
    const int dx = i / (width * height) % side - side / 2;
    const int dy = i / (width * height * side) % side - side / 2;
    const int channel = i / (width * height * side * side);

    const bool inside = x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height;
    patches[i] = inside ? image[(channel * height + y + dy) * width + x + dx] : 0.0f;
}

int main() {
    const int width = 384;
    const int height = 384;
    const int channels = 64;
    const int side = 3;
    const int total = channels * side * side * height * width;

    Random random(21);
    std::vector<float> image(channels * height * width);
    for (float &value : image) {
        value = random.between(-1.0f, 1.0f);
    }
    float *d_image = to_device(image);
    float *d_patches = device_array<float>(total);

    const int block = 256;
    const int grid = (total + block - 1) / block;
    const float milliseconds =
        measure([&] { unfold_patches<<<grid, block>>>(d_image, d_patches, width, height, side, total); });

    const std::vector<float> patches = to_host(d_patches, total);
    bool ok = true;
    int i = 0;
    for (int channel = 0; channel < channels; channel++) {
        for (int dy = -(side / 2); dy <= side / 2; dy++) {
            for (int dx = -(side / 2); dx <= side / 2; dx++) {
                for (int y = 0; y < height; y++) {
                    for (int x = 0; x < width; x++, i++) {
                        const bool inside = x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height;
                        const float expected = inside ? image[(channel * height + y + dy) * width + x + dx] : 0.0f;
                        ok = ok && patches[i] == expected;
                    }
                }
            }
        }
    }
    return report("unfold_patches", ok, milliseconds);
}
