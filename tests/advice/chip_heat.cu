// The temperature of a chip after some steps, from the power that each part of it takes. A block does
// some steps at a time in shared memory, and a margin that it shares with its neighbours makes that
// possible without communication.
//
// Re-written from Rodinia's hotspot.

#include "bench.h"

constexpr int TILE = 16;
constexpr int STEPS = 2;
constexpr int KEPT = TILE - 2 * STEPS;

__global__ void chip_heat(const float *power, const float *temperature, float *next, int size, float rate,
                          float across, float down, float to_air) {
    __shared__ float now[TILE][TILE];
    __shared__ float then[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x = blockIdx.x * KEPT + tx - STEPS;
    const int y = blockIdx.y * KEPT + ty - STEPS;
    const bool inside = x >= 0 && x < size && y >= 0 && y < size;
    const int west = x > 0 ? tx - 1 : tx;
    const int east = x < size - 1 ? tx + 1 : tx;
    const int north = y > 0 ? ty - 1 : ty;
    const int south = y < size - 1 ? ty + 1 : ty;

    float own_power = 0.0f;
    if (inside) {
        now[ty][tx] = temperature[y * size + x];
        own_power = power[y * size + x];
    }
    __syncthreads();

    for (int step = 0; step < STEPS; step++) {
        // A cell whose neighbours are not known any more drops out.
        const bool known = inside && tx > step && tx < TILE - 1 - step && ty > step && ty < TILE - 1 - step;
        if (known) {
            then[ty][tx] = now[ty][tx] + rate * (own_power +
                                                 (now[north][tx] + now[south][tx] - 2.0 * now[ty][tx]) * down +
                                                 (now[ty][west] + now[ty][east] - 2.0 * now[ty][tx]) * across +
                                                 (80.0 - now[ty][tx]) * to_air);
        }
        __syncthreads();
        if (known) {
            now[ty][tx] = then[ty][tx];
        }
        __syncthreads();
    }

    if (inside && tx >= STEPS && tx < TILE - STEPS && ty >= STEPS && ty < TILE - STEPS) {
        next[y * size + x] = now[ty][tx];
    }
}

int main() {
    const int size = KEPT * 512;
    const float rate = 0.4f;
    const float across = 0.5f;
    const float down = 0.4f;
    const float to_air = 0.02f;

    Random random(20);
    std::vector<float> power(size * size), temperature(size * size);
    for (float &value : power) {
        value = random.between(0.0f, 5.0f);
    }
    for (float &value : temperature) {
        value = random.between(60.0f, 100.0f);
    }
    float *d_power = to_device(power);
    float *d_temperature = to_device(temperature);
    float *d_next = device_array<float>(size * size);

    const dim3 block(TILE, TILE);
    const dim3 grid((size + KEPT - 1) / KEPT, (size + KEPT - 1) / KEPT);
    const float milliseconds = measure([&] {
        chip_heat<<<grid, block>>>(d_power, d_temperature, d_next, size, rate, across, down, to_air);
    });

    const std::vector<float> next = to_host(d_next, size * size);
    bool ok = true;
    for (int sample = 0; sample < 20000; sample++) {
        // Every other sample lies at an edge.
        const int x = sample % 2 ? (int)random.below(size) : (sample % 4 ? 0 : size - 1);
        const int y = random.below(size);
        const int left = std::max(x - STEPS, 0), right = std::min(x + STEPS, size - 1);
        const int top = std::max(y - STEPS, 0), bottom = std::min(y + STEPS, size - 1);
        const int columns = right - left + 1, rows = bottom - top + 1;
        std::vector<double> now(rows * columns), then(rows * columns);
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < columns; c++) {
                now[r * columns + c] = temperature[(top + r) * size + left + c];
            }
        }
        for (int step = 0; step < STEPS; step++) {
            for (int r = 0; r < rows; r++) {
                for (int c = 0; c < columns; c++) {
                    const double own = now[r * columns + c];
                    const double vertical = now[std::max(r - 1, 0) * columns + c] +
                                            now[std::min(r + 1, rows - 1) * columns + c] - 2.0 * own;
                    const double horizontal = now[r * columns + std::max(c - 1, 0)] +
                                              now[r * columns + std::min(c + 1, columns - 1)] - 2.0 * own;
                    const double change = power[(top + r) * size + left + c] + vertical * down +
                                          horizontal * across + (80.0 - own) * to_air;
                    then[r * columns + c] = own + rate * change;
                }
            }
            now = then;
        }
        ok = ok && close(next[y * size + x], now[(y - top) * columns + x - left], 1e-4, 1.0);
    }
    return report("chip_heat", ok, milliseconds);
}
