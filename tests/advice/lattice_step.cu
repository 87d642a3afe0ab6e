// One step of a flow by the lattice Boltzmann method in two dimensions: each cell takes the populations
// that stream in from its neighbours, and lets them collide. The nine populations of a cell lie side by
// side. The field is periodic.
//
// Re-written from Parboil's lbm.

#include "bench.h"

constexpr int WIDTH = 4096;
constexpr int HEIGHT = 2048;
constexpr int CELLS = WIDTH * HEIGHT;
constexpr int DIRECTIONS = 9;
constexpr float RELAXATION = 0.8f;

// Where the population of a cell in a direction lies.
__host__ __device__ inline size_t place(int cell, int direction) {
    return (size_t)cell * DIRECTIONS + direction;
}

__host__ __device__ inline int step_x(int direction) {
    constexpr int STEPS[DIRECTIONS] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
    return STEPS[direction];
}

__host__ __device__ inline int step_y(int direction) {
    constexpr int STEPS[DIRECTIONS] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    return STEPS[direction];
}

__host__ __device__ inline float weight(int direction) {
    return direction == 0 ? 4.0f / 9.0f : direction < 5 ? 1.0f / 9.0f : 1.0f / 36.0f;
}

// The cell that the population of a direction comes from.
__host__ __device__ inline int origin(int x, int y, int direction) {
    const int from_x = (x - step_x(direction)) & (WIDTH - 1);
    const int from_y = (y - step_y(direction)) & (HEIGHT - 1);
    return from_y * WIDTH + from_x;
}

__global__ void lattice_step(const float *__restrict__ populations, float *__restrict__ new_populations) {
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    const int x = cell % WIDTH;
    const int y = cell / WIDTH;

    float population[DIRECTIONS];
    float density = 0.0f, momentum_x = 0.0f, momentum_y = 0.0f;
#pragma unroll
    for (int d = 0; d < DIRECTIONS; d++) {
        population[d] = populations[place(origin(x, y, d), d)];
        density += population[d];
        momentum_x += step_x(d) * population[d];
        momentum_y += step_y(d) * population[d];
    }

    const float velocity_x = momentum_x / density;
    const float velocity_y = momentum_y / density;
    const float rest = 1.0f - 1.5f * (velocity_x * velocity_x + velocity_y * velocity_y);
#pragma unroll
    for (int d = 0; d < DIRECTIONS; d++) {
        const float along = step_x(d) * velocity_x + step_y(d) * velocity_y;
        const float equilibrium = weight(d) * density * (rest + 3.0f * along + 4.5f * along * along);
        new_populations[place(cell, d)] = population[d] + RELAXATION * (equilibrium - population[d]);
    }
}

int main() {
    Random random(14);
    std::vector<float> populations((size_t)CELLS * DIRECTIONS);
    for (int cell = 0; cell < CELLS; cell++) {
        for (int d = 0; d < DIRECTIONS; d++) {
            populations[place(cell, d)] = weight(d) * random.between(0.9f, 1.1f);
        }
    }
    float *d_populations = to_device(populations);
    float *d_new_populations = device_array<float>(populations.size());

    const int block = 256;
    const int grid = CELLS / block;
    const float milliseconds =
        measure([&] { lattice_step<<<grid, block>>>(d_populations, d_new_populations); });

    const std::vector<float> new_populations = to_host(d_new_populations, populations.size());
    bool ok = true;
    for (int sample = 0; sample < 20000; sample++) {
        // Every other sample lies at an edge.
        const int x = sample % 2 ? (int)random.below(WIDTH) : (sample % 4 ? 0 : WIDTH - 1);
        const int y = random.below(HEIGHT);
        double population[DIRECTIONS];
        double density = 0.0, velocity_x = 0.0, velocity_y = 0.0;
        for (int d = 0; d < DIRECTIONS; d++) {
            population[d] = populations[place(origin(x, y, d), d)];
            density += population[d];
            velocity_x += step_x(d) * population[d];
            velocity_y += step_y(d) * population[d];
        }
        velocity_x /= density;
        velocity_y /= density;
        const double rest = 1.0 - 1.5 * (velocity_x * velocity_x + velocity_y * velocity_y);
        for (int d = 0; d < DIRECTIONS; d++) {
            const double along = step_x(d) * velocity_x + step_y(d) * velocity_y;
            const double equilibrium = weight(d) * density * (rest + 3.0 * along + 4.5 * along * along);
            const double expected = population[d] + RELAXATION * (equilibrium - population[d]);
            ok = ok && close(new_populations[place(y * WIDTH + x, d)], expected, 1e-4, 0.01);
        }
    }
    return report("lattice_step", ok, milliseconds);
}
