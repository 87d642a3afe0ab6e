// How near the tool of a robot comes to an obstacle at the origin, in each of many poses. A pose is a
// rotation and a shift, in three rows of four words. A thread does its pose, and moves all points of the
// tool.

#include "bench.h"

struct Point {
    float x, y, z;
};

// Word `k` of pose `pose` is at `motions[k * poses + pose]`.
__global__ void pose_clearance(const float *motions, const Point *points, float *clearance, int poses,
                               int point_count) {
    const int pose = blockIdx.x * blockDim.x + threadIdx.x;
    if (pose >= poses) {
        return;
    }

    const float *motion = motions + pose;
    clearance[pose] = INFINITY;
    for (int p = 0; p < point_count; p++) {
        const float x = motion[0 * poses] * points[p].x + motion[1 * poses] * points[p].y +
                        motion[2 * poses] * points[p].z + motion[3 * poses];
        const float y = motion[4 * poses] * points[p].x + motion[5 * poses] * points[p].y +
                        motion[6 * poses] * points[p].z + motion[7 * poses];
        const float z = motion[8 * poses] * points[p].x + motion[9 * poses] * points[p].y +
                        motion[10 * poses] * points[p].z + motion[11 * poses];
        clearance[pose] = fminf(clearance[pose], x * x + y * y + z * z);
    }
    clearance[pose] = sqrtf(clearance[pose]);
}

int main() {
    const int poses = 1 << 18;
    const int point_count = 384;

    Random random(31);
    std::vector<Point> points(point_count);
    for (Point &point : points) {
        point.x = random.between(-0.1f, 0.1f);
        point.y = random.between(-0.1f, 0.1f);
        point.z = random.between(0.0f, 0.4f);
    }
    // Each pose turns the tool about two axes.
    std::vector<float> motions(12 * poses);
    for (int pose = 0; pose < poses; pose++) {
        const float turn = random.between(0.0f, 6.28f);
        const float tilt = random.between(-0.7f, 0.7f);
        const float motion[12] = {
            std::cos(turn), -std::sin(turn) * std::cos(tilt), std::sin(turn) * std::sin(tilt),
            random.between(0.5f, 2.0f),
            std::sin(turn), std::cos(turn) * std::cos(tilt), -std::cos(turn) * std::sin(tilt),
            random.between(0.5f, 2.0f),
            0.0f, std::sin(tilt), std::cos(tilt),
            random.between(0.5f, 2.0f),
        };
        for (int k = 0; k < 12; k++) {
            motions[k * poses + pose] = motion[k];
        }
    }
    Point *d_points = to_device(points);
    float *d_motions = to_device(motions);
    float *d_clearance = device_array<float>(poses);

    const int block = 256;
    const int grid = (poses + block - 1) / block;
    const float milliseconds = measure(
        [&] { pose_clearance<<<grid, block>>>(d_motions, d_points, d_clearance, poses, point_count); });

    const std::vector<float> clearance = to_host(d_clearance, poses);
    bool ok = true;
    for (int sample = 0; sample < 10000; sample++) {
        const int pose = random.below(poses);
        double expected = INFINITY;
        for (const Point &point : points) {
            double square = 0.0;
            for (int row = 0; row < 3; row++) {
                const float *motion = &motions[4 * row * poses + pose];
                const double place = (double)motion[0] * point.x + (double)motion[poses] * point.y +
                                     (double)motion[2 * poses] * point.z + motion[3 * poses];
                square += place * place;
            }
            expected = std::fmin(expected, std::sqrt(square));
        }
        ok = ok && close(clearance[pose], expected, 1e-4, 0.1);
    }
    return report("pose_clearance", ok, milliseconds);
}
