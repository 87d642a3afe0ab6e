// Some steps of the chemistry in each cell of a flow. A step looks the temperature up in a table, by
// bisection over the energy, and lets the reactions go at the rates of that temperature. All species
// of a cell stay in its thread's registers.
//
// The shape is that of react_state in PeleC, one of the applications of the DrGPU paper.

#include "bench.h"

constexpr int SPECIES = 96;
constexpr int STEPS = 4;
constexpr int DENSITIES = 256;
constexpr int ENTRIES = 4096;
constexpr float TIME_STEP = 1.0e-3f;
constexpr float HEAT = 20.0f;

// How fast each species reacts, relative to the others.
__constant__ float speeds[SPECIES];

__global__ void reaction_step(const float *fractions, const float *energies, const float *table, float *new_fractions,
                              float *new_energies, int cells) {
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells) {
        return;
    }

    float fraction[SPECIES];
#pragma unroll
    for (int s = 0; s < SPECIES; s++) {
        fraction[s] = fractions[s * cells + cell];
    }
    float energy = energies[cell];
    const float *row = table + cell % DENSITIES * ENTRIES;

    for (int step = 0; step < STEPS; step++) {
        int low = 0;
        int high = ENTRIES - 1;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            if (row[middle] <= energy) {
                low = middle;
            } else {
                high = middle;
            }
        }
        const float temperature = low + (energy - row[low]) / (row[high] - row[low]);

        // Species s becomes species s + 1, and the last one becomes the first one.
        const float rate = TIME_STEP * temperature;
        float incoming = rate * speeds[SPECIES - 1] * fraction[SPECIES - 1];
        float heat = 0.0f;
#pragma unroll
        for (int s = 0; s < SPECIES; s++) {
            const float outgoing = rate * speeds[s] * fraction[s];
            fraction[s] += incoming - outgoing;
            heat += outgoing;
            incoming = outgoing;
        }
        energy += HEAT * heat;
    }

#pragma unroll
    for (int s = 0; s < SPECIES; s++) {
        new_fractions[s * cells + cell] = fraction[s];
    }
    new_energies[cell] = energy;
}

int main() {
    const int cells = 1 << 19;

    Random random(3);
    std::vector<float> fractions((size_t)SPECIES * cells), energies(cells), relative(SPECIES);
    for (float &value : fractions) {
        value = random.between(0.0f, 2.0f / SPECIES);
    }
    for (float &value : energies) {
        value = random.between(500.0f, 3500.0f);
    }
    for (float &value : relative) {
        value = random.between(0.05f, 0.15f);
    }
    // The energy at each density and temperature. It grows with both.
    std::vector<float> table(DENSITIES * ENTRIES);
    for (int density = 0; density < DENSITIES; density++) {
        for (int entry = 0; entry < ENTRIES; entry++) {
            table[density * ENTRIES + entry] = (1.0f + 1.0e-3f * density) * (entry + 2.0e-5f * entry * entry);
        }
    }
    CHECK(cudaMemcpyToSymbol(speeds, relative.data(), SPECIES * sizeof(float)));
    float *d_fractions = to_device(fractions);
    float *d_energies = to_device(energies);
    float *d_table = to_device(table);
    float *d_new_fractions = device_array<float>(fractions.size());
    float *d_new_energies = device_array<float>(cells);

    const int block = 256;
    const int grid = (cells + block - 1) / block;
    const float milliseconds = measure([&] {
        reaction_step<<<grid, block>>>(d_fractions, d_energies, d_table, d_new_fractions, d_new_energies, cells);
    });

    const std::vector<float> new_fractions = to_host(d_new_fractions, fractions.size());
    const std::vector<float> new_energies = to_host(d_new_energies, cells);
    bool ok = true;
    for (int sample = 0; sample < 2000; sample++) {
        const int cell = random.below(cells);
        double fraction[SPECIES];
        for (int s = 0; s < SPECIES; s++) {
            fraction[s] = fractions[(size_t)s * cells + cell];
        }
        double energy = energies[cell];
        const float *row = table.data() + cell % DENSITIES * ENTRIES;
        for (int step = 0; step < STEPS; step++) {
            const int above = (int)(std::upper_bound(row, row + ENTRIES, energy) - row);
            const int high = std::max(1, std::min(above, ENTRIES - 1));
            const double temperature = high - 1 + (energy - row[high - 1]) / ((double)row[high] - row[high - 1]);
            const double rate = TIME_STEP * temperature;
            double incoming = rate * relative[SPECIES - 1] * fraction[SPECIES - 1];
            double heat = 0.0;
            for (int s = 0; s < SPECIES; s++) {
                const double outgoing = rate * relative[s] * fraction[s];
                fraction[s] += incoming - outgoing;
                heat += outgoing;
                incoming = outgoing;
            }
            energy += HEAT * heat;
        }
        for (int s = 0; s < SPECIES; s++) {
            ok = ok && close(new_fractions[(size_t)s * cells + cell], fraction[s], 1e-3, 1.0 / SPECIES);
        }
        ok = ok && close(new_energies[cell], energy, 1e-4, 1.0);
    }
    return report("reaction_step", ok, milliseconds);
}
