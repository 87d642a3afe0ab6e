// The amplitudes of triple excitations, put into another order of their six orbitals before they are
// multiplied. Three orbitals are occupied ones (i, j, k) and three are empty ones (a, b, c). A thread
// copies one amplitude, and finds its orbitals from its number.
//
// The shape is that of the sorts between the contractions of coupled-cluster programs.

#include "bench.h"

// The input is ordered by j, i, b, k, a and c, the output by i, j, k, a, b and c.
__global__ void orbital_order(const float *__restrict__ amplitudes, float *__restrict__ ordered, int occupied,
                              int empty, int total) {
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= total) {
        return;
    }

    int rest = n;
    const int c = rest % empty;
    rest /= empty;
    const int b = rest % empty;
    rest /= empty;
    const int a = rest % empty;
    rest /= empty;
    const int k = rest % occupied;
    rest /= occupied;
    const int j = rest % occupied;
    const int i = rest / occupied;

    ordered[n] = amplitudes[((((j * occupied + i) * empty + b) * occupied + k) * empty + a) * empty + c];
}

int main() {
    const int occupied = 13;
    const int empty = 32;
    const int total = occupied * occupied * occupied * empty * empty * empty;

    Random random(29);
    std::vector<float> amplitudes(total);
    for (float &value : amplitudes) {
        value = random.between(-0.1f, 0.1f);
    }
    float *d_amplitudes = to_device(amplitudes);
    float *d_ordered = device_array<float>(total);

    const int block = 256;
    const int grid = (total + block - 1) / block;
    const float milliseconds =
        measure([&] { orbital_order<<<grid, block>>>(d_amplitudes, d_ordered, occupied, empty, total); });

    const std::vector<float> ordered = to_host(d_ordered, total);
    bool ok = true;
    int n = 0;
    for (int i = 0; i < occupied; i++) {
        for (int j = 0; j < occupied; j++) {
            for (int k = 0; k < occupied; k++) {
                for (int a = 0; a < empty; a++) {
                    for (int b = 0; b < empty; b++) {
                        for (int c = 0; c < empty; c++, n++) {
                            const int from =
                                ((((j * occupied + i) * empty + b) * occupied + k) * empty + a) * empty + c;
                            ok = ok && ordered[n] == amplitudes[from];
                        }
                    }
                }
            }
        }
    }
    return report("orbital_order", ok, milliseconds);
}
