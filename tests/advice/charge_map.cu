// The electric potential at each of many probes, summed over all charges of a molecule.
//
// Re-written from the direct Coulomb summation that Parboil's cutcp stems from (first in VMD).

#include "bench.h"

struct Charge {
    float x, y, z, amount;
};

__global__ void charge_map(const Charge *charges, int charge_count, const float *x, const float *y,
                           const float *z, float *potential, int probes) {
    const int probe = blockIdx.x * blockDim.x + threadIdx.x;
    if (probe >= probes) {
        return;
    }

    potential[probe] = 0.0f;
    for (int c = 0; c < charge_count; c++) {
        const float dx = charges[c].x - x[probe];
        const float dy = charges[c].y - y[probe];
        const float dz = charges[c].z - z[probe];
        potential[probe] += charges[c].amount * rsqrtf(dx * dx + dy * dy + dz * dz);
    }
}

int main() {
    const int probes = 1 << 18;
    const int charge_count = 1000;

    Random random(5);
    std::vector<Charge> charges(charge_count);
    for (Charge &charge : charges) {
        charge.x = random.between(0.0f, 10.0f);
        charge.y = random.between(0.0f, 10.0f);
        charge.z = random.between(0.0f, 10.0f);
        charge.amount = random.between(0.5f, 2.0f);
    }
    // The probes lie on a plane below the molecule.
    std::vector<float> x(probes), y(probes), z(probes);
    for (int probe = 0; probe < probes; probe++) {
        x[probe] = (probe % 512) * (10.0f / 512.0f);
        y[probe] = (probe / 512) * (10.0f / 512.0f);
        z[probe] = -1.0f;
    }
    Charge *d_charges = to_device(charges);
    float *d_x = to_device(x);
    float *d_y = to_device(y);
    float *d_z = to_device(z);
    float *d_potential = device_array<float>(probes);

    const int block = 256;
    const int grid = (probes + block - 1) / block;
    const float milliseconds = measure([&] {
        charge_map<<<grid, block>>>(d_charges, charge_count, d_x, d_y, d_z, d_potential, probes);
    });

    const std::vector<float> potential = to_host(d_potential, probes);
    bool ok = true;
    for (int sample = 0; sample < 2000; sample++) {
        const int probe = random.below(probes);
        double expected = 0.0;
        for (const Charge &charge : charges) {
            const double dx = charge.x - x[probe], dy = charge.y - y[probe], dz = charge.z - z[probe];
            expected += charge.amount / std::sqrt(dx * dx + dy * dy + dz * dz);
        }
        ok = ok && close(potential[probe], expected, 1e-4, 1.0);
    }
    return report("charge_map", ok, milliseconds);
}
