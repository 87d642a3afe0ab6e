// The energy of each atom of many water molecules in the field of some ions. The atoms are stored
// molecule by molecule: an oxygen and two hydrogens. An oxygen has a radius and a charge, while the
// charge of a hydrogen is spread out.

#include "bench.h"

constexpr float OXYGEN_CHARGE = -0.8f;
constexpr float HYDROGEN_CHARGE = 0.4f;
constexpr float DEPTH = 0.65f;
constexpr float RADIUS = 3.2f;
constexpr float SPREAD = 0.9f;

struct Site {
    float x, y, z, charge;
};

__global__ void ion_energy(const Site *__restrict__ atoms, const Site *__restrict__ ions, float *__restrict__ energies,
                           int atom_count, int ion_count) {
    const int atom = blockIdx.x * blockDim.x + threadIdx.x;
    if (atom >= atom_count) {
        return;
    }

    const Site own = atoms[atom];
    float energy = 0.0f;
    if (atom % 3 == 0) {
        for (int i = 0; i < ion_count; i++) {
            const float dx = ions[i].x - own.x;
            const float dy = ions[i].y - own.y;
            const float dz = ions[i].z - own.z;
            const float nearness = rsqrtf(dx * dx + dy * dy + dz * dz);
            const float ratio = RADIUS * nearness;
            const float cube = ratio * ratio * ratio;
            const float sixth = cube * cube;
            energy += 4.0f * DEPTH * sixth * (sixth - 1.0f) + own.charge * ions[i].charge * nearness;
        }
    } else {
        for (int i = 0; i < ion_count; i++) {
            const float dx = ions[i].x - own.x;
            const float dy = ions[i].y - own.y;
            const float dz = ions[i].z - own.z;
            const float square = dx * dx + dy * dy + dz * dz;
            const float nearness = rsqrtf(square);
            const float seen = 1.0f - expf(-SPREAD * square * nearness);
            energy += own.charge * ions[i].charge * seen * nearness;
        }
    }
    energies[atom] = energy;
}

int main() {
    const int molecules = 1 << 18;
    const int atom_count = 3 * molecules;
    const int ion_count = 256;

    Random random(22);
    std::vector<Site> atoms(atom_count), ions(ion_count);
    for (int molecule = 0; molecule < molecules; molecule++) {
        const float x = random.between(0.0f, 40.0f);
        const float y = random.between(0.0f, 40.0f);
        const float z = random.between(1.0f, 20.0f);
        atoms[3 * molecule] = {x, y, z, OXYGEN_CHARGE};
        atoms[3 * molecule + 1] = {x + 0.96f, y, z, HYDROGEN_CHARGE};
        atoms[3 * molecule + 2] = {x - 0.24f, y + 0.93f, z, HYDROGEN_CHARGE};
    }
    // The ions lie in a layer below the water.
    for (Site &ion : ions) {
        ion.x = random.between(0.0f, 40.0f);
        ion.y = random.between(0.0f, 40.0f);
        ion.z = random.between(-4.0f, -1.0f);
        ion.charge = random.below(2) ? 1.0f : -1.0f;
    }
    Site *d_atoms = to_device(atoms);
    Site *d_ions = to_device(ions);
    float *d_energies = device_array<float>(atom_count);

    const int block = 256;
    const int grid = (atom_count + block - 1) / block;
    const float milliseconds =
        measure([&] { ion_energy<<<grid, block>>>(d_atoms, d_ions, d_energies, atom_count, ion_count); });

    const std::vector<float> energies = to_host(d_energies, atom_count);
    bool ok = true;
    for (int sample = 0; sample < 10000; sample++) {
        const int atom = random.below(atom_count);
        const Site own = atoms[atom];
        double expected = 0.0;
        for (const Site &ion : ions) {
            const double dx = (double)ion.x - own.x, dy = (double)ion.y - own.y, dz = (double)ion.z - own.z;
            const double distance = std::sqrt(dx * dx + dy * dy + dz * dz);
            if (atom % 3 == 0) {
                const double sixth = std::pow(RADIUS / distance, 6.0);
                expected += 4.0 * DEPTH * sixth * (sixth - 1.0) + own.charge * ion.charge / distance;
            } else {
                expected += own.charge * ion.charge * (1.0 - std::exp(-SPREAD * distance)) / distance;
            }
        }
        ok = ok && close(energies[atom], expected, 1e-3, 1.0);
    }
    return report("ion_energy", ok, milliseconds);
}
