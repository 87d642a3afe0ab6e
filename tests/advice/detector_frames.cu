// Frames of an X-ray detector, corrected pixel by pixel: the dark current is taken off, and what
// remains is divided by the pixel's sensitivity. A thread does its pixel in all frames.

#include "bench.h"

__global__ void correct_frames(const float *__restrict__ raw, const float *__restrict__ dark,
                               const float *__restrict__ gain, float *__restrict__ corrected, int pixels,
                               int frames) {
    const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel >= pixels) {
        return;
    }

    const float pixel_dark = dark[pixel];
    const float pixel_gain = gain[pixel];
    for (int frame = 0; frame < frames; frame++) {
        const int i = frame * pixels + pixel;
        corrected[i] = fmaxf(raw[i] - pixel_dark, 0.0f) * pixel_gain;
    }
}

int main() {
    const int pixels = 96 * 64;
    const int frames = 8192;
    const int total = pixels * frames;

    Random random(8);
    std::vector<float> dark(pixels), gain(pixels), raw(total);
    for (int pixel = 0; pixel < pixels; pixel++) {
        dark[pixel] = random.between(90.0f, 110.0f);
        gain[pixel] = random.between(0.8f, 1.2f);
    }
    for (float &value : raw) {
        value = random.between(80.0f, 4000.0f);
    }
    float *d_dark = to_device(dark);
    float *d_gain = to_device(gain);
    float *d_raw = to_device(raw);
    float *d_corrected = device_array<float>(total);

    const int block = 256;
    const int grid = (pixels + block - 1) / block;
    const float milliseconds = measure(
        [&] { correct_frames<<<grid, block>>>(d_raw, d_dark, d_gain, d_corrected, pixels, frames); });

    const std::vector<float> corrected = to_host(d_corrected, total);
    bool ok = true;
    for (int sample = 0; sample < 100000; sample++) {
        const int i = random.below(total);
        const int pixel = i % pixels;
        const double expected = std::fmax((double)raw[i] - dark[pixel], 0.0) * gain[pixel];
        ok = ok && close(corrected[i], expected, 1e-4, 1.0);
    }
    return report("detector_frames", ok, milliseconds);
}
