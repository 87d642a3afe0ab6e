// The voltage of many nerve membranes over some time, by the equations of FitzHugh and Nagumo. Each
// membrane has a current and constants of its own.

#include "bench.h"

constexpr float TIME_STEP = 0.05f;

__global__ void nerve_membrane(float *voltage, float *recovery, const float *current, const float *offset,
                               const float *damping, const float *speed, int count, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }

    for (int step = 0; step < steps; step++) {
        const float v = voltage[i];
        const float w = recovery[i];
        voltage[i] = v + TIME_STEP * (v - (1.0f / 3.0f) * v * v * v - w + current[i]);
        recovery[i] = w + TIME_STEP * speed[i] * (v + offset[i] - damping[i] * w);
    }
}

int main() {
    const int count = 1 << 19;
    const int steps = 200;

    Random random(18);
    std::vector<float> voltage(count), recovery(count), current(count), offset(count), damping(count), speed(count);
    for (int i = 0; i < count; i++) {
        voltage[i] = random.between(-2.0f, 2.0f);
        recovery[i] = random.between(-0.5f, 0.5f);
        current[i] = random.between(0.5f, 0.8f);
        offset[i] = random.between(0.65f, 0.75f);
        damping[i] = random.between(0.75f, 0.85f);
        speed[i] = random.between(0.07f, 0.09f);
    }
    float *d_voltage = to_device(voltage);
    float *d_recovery = to_device(recovery);
    float *d_current = to_device(current);
    float *d_offset = to_device(offset);
    float *d_damping = to_device(damping);
    float *d_speed = to_device(speed);

    const int block = 256;
    const int grid = (count + block - 1) / block;
    const float milliseconds = measure([&] {
        nerve_membrane<<<grid, block>>>(d_voltage, d_recovery, d_current, d_offset, d_damping, d_speed, count, steps);
    });

    // Each launch goes on from where the one before has stopped.
    const std::vector<float> last_voltage = to_host(d_voltage, count);
    const std::vector<float> last_recovery = to_host(d_recovery, count);
    bool ok = true;
    for (int sample = 0; sample < 2000; sample++) {
        const int i = random.below(count);
        double v = voltage[i], w = recovery[i];
        for (int step = 0; step < (WARM_UPS + TIMED_LAUNCHES) * steps; step++) {
            const double new_v = v + TIME_STEP * (v - v * v * v / 3.0 - w + current[i]);
            w += TIME_STEP * speed[i] * (v + offset[i] - damping[i] * w);
            v = new_v;
        }
        ok = ok && close(last_voltage[i], v, 1e-2, 1.0) && close(last_recovery[i], w, 1e-2, 1.0);
    }
    return report("nerve_membrane", ok, milliseconds);
}
