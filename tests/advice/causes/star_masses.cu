// Cause: one word of each record of 32 bytes is read, so that seven eighths of each sector are for nothing. Cure: an array
// of that word.
// guide: excess-sectors

#include "pair.h"

struct Star {
    float mass, x, y, z, vx, vy, vz, age;
};

__global__ void star_masses(const Star *stars, float *lights, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) {
        const float mass = stars[at].mass;
        lights[at] = mass * mass * sqrtf(mass);
    }
}

__global__ void star_masses_cured(const float *masses, float *lights, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) {
        const float mass = masses[at];
        lights[at] = mass * mass * sqrtf(mass);
    }
}

__global__ void split(const Star *stars, float *masses, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) {
        masses[at] = stars[at].mass;
    }
}

int main(int argc, char **argv) {
    const int count = 1 << 24;
    const Star *stars = (const Star *)random_floats((size_t)count * 8, 8);
    float *masses = device_array<float>(count);
    split<<<count / 256, 256>>>(stars, masses, count);
    float *lights = device_array<float>(count), *cured = device_array<float>(count);
    return compare(
        argc, argv, "star_masses", [&] { star_masses<<<count / 256, 256>>>(stars, lights, count); },
        [&] { star_masses_cured<<<count / 256, 256>>>(masses, cured, count); },
        [&] { return same(lights, cured, count, 1e-5); });
}
