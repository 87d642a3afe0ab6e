// The assignment step of k-means: the nearest of a few centres for each point.
//
// Re-written from Rodinia's kmeans.

#include "bench.h"

constexpr int FEATURES = 32;
constexpr int CENTRES = 5;

__global__ void nearest_centre(const float *points, const float *centres, int *nearest, int count) {
    const int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= count) {
        return;
    }

    int best = 0;
    float best_distance = 3.0e38f;
    for (int centre = 0; centre < CENTRES; centre++) {
        float distance = 0.0f;
        for (int feature = 0; feature < FEATURES; feature++) {
            const float difference = points[point * FEATURES + feature] - centres[centre * FEATURES + feature];
            distance += difference * difference;
        }
        if (distance < best_distance) {
            best_distance = distance;
            best = centre;
        }
    }
    nearest[point] = best;
}

int main() {
    const int count = 1 << 21;

    Random random(1);
    std::vector<float> points((size_t)count * FEATURES);
    for (int point = 0; point < count; point++) {
        for (int feature = 0; feature < FEATURES; feature++) {
            points[(size_t)point * FEATURES + feature] = random.between(0.0f, 1.0f);
        }
    }
    std::vector<float> centres(CENTRES * FEATURES);
    for (float &value : centres) {
        value = random.between(0.0f, 1.0f);
    }
    float *d_points = to_device(points);
    float *d_centres = to_device(centres);
    int *d_nearest = device_array<int>(count);

    const int block = 256;
    const int grid = (count + block - 1) / block;
    const float milliseconds =
        measure([&] { nearest_centre<<<grid, block>>>(d_points, d_centres, d_nearest, count); });

    // Another order of summation may choose another centre that is as near.
    const std::vector<int> nearest = to_host(d_nearest, count);
    bool ok = true;
    for (int sample = 0; sample < 20000; sample++) {
        const int point = random.below(count);
        double distances[CENTRES];
        double least = INFINITY;
        for (int centre = 0; centre < CENTRES; centre++) {
            distances[centre] = 0.0;
            for (int feature = 0; feature < FEATURES; feature++) {
                const double difference =
                    points[(size_t)point * FEATURES + feature] - centres[centre * FEATURES + feature];
                distances[centre] += difference * difference;
            }
            least = std::fmin(least, distances[centre]);
        }
        const int chosen = nearest[point];
        ok = ok && chosen >= 0 && chosen < CENTRES && close(distances[chosen], least, 1e-4, 1e-3);
    }
    return report("nearest_centre", ok, milliseconds);
}
