// The proteins of a signalling network in many cells, followed over time. Each reaction turns some of a
// protein into another one, at a rate that a third one sets. A thread does a cell. Its eight amounts lie
// side by side in shared memory, as the reactions are data.

#include "bench.h"

constexpr int THREADS = 128;
constexpr int PROTEINS = 8;
constexpr int MOST_REACTIONS = 64;

struct Reaction {
    int from, to, catalyst;
    float rate;
};

__constant__ Reaction reactions[MOST_REACTIONS];

__global__ void protein_network(const float *__restrict__ signals, float *__restrict__ responses, int cells,
                                int reaction_count, int steps, float time_step) {
    __shared__ float amounts[THREADS][PROTEINS];

    const int cell = blockIdx.x * THREADS + threadIdx.x;
    if (cell >= cells) {
        return;
    }

    float *own = amounts[threadIdx.x];
    for (int protein = 0; protein < PROTEINS; protein++) {
        own[protein] = 1.0f;
    }
    own[0] = signals[cell];
    for (int step = 0; step < steps; step++) {
        for (int r = 0; r < reaction_count; r++) {
            const Reaction reaction = reactions[r];
            const float turned = time_step * reaction.rate * own[reaction.catalyst] * own[reaction.from];
            own[reaction.from] -= turned;
            own[reaction.to] += turned;
        }
    }
    responses[cell] = own[PROTEINS - 1];
}

int main() {
    const int cells = 1 << 18;
    const int steps = 100;
    const float time_step = 0.02f;
    // A cascade: what the signal activates activates the next pair, and so on. All are deactivated in time.
    const std::vector<Reaction> network = {
        {1, 2, 0, 0.9f}, {2, 1, 1, 0.3f}, {3, 4, 2, 1.1f}, {4, 3, 3, 0.4f}, {5, 6, 4, 1.3f}, {6, 5, 5, 0.2f},
        {6, 7, 4, 0.5f}, {7, 6, 6, 0.3f}, {0, 1, 3, 0.1f}, {1, 0, 7, 0.2f}, {7, 5, 1, 0.1f}, {2, 3, 6, 0.1f},
    };

    Random random(26);
    std::vector<float> signals(cells);
    for (float &signal : signals) {
        signal = random.between(0.1f, 4.0f);
    }
    CHECK(cudaMemcpyToSymbol(reactions, network.data(), network.size() * sizeof(Reaction)));
    float *d_signals = to_device(signals);
    float *d_responses = device_array<float>(cells);

    const int grid = (cells + THREADS - 1) / THREADS;
    const float milliseconds = measure([&] {
        protein_network<<<grid, THREADS>>>(d_signals, d_responses, cells, (int)network.size(), steps, time_step);
    });

    const std::vector<float> responses = to_host(d_responses, cells);
    bool ok = true;
    for (int sample = 0; sample < 5000; sample++) {
        const int cell = random.below(cells);
        double amounts[PROTEINS] = {signals[cell], 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
        for (int step = 0; step < steps; step++) {
            for (const Reaction &reaction : network) {
                const double turned =
                    (double)time_step * reaction.rate * amounts[reaction.catalyst] * amounts[reaction.from];
                amounts[reaction.from] -= turned;
                amounts[reaction.to] += turned;
            }
        }
        ok = ok && close(responses[cell], amounts[PROTEINS - 1], 1e-4, 0.1);
    }
    return report("protein_network", ok, milliseconds);
}
