// The carbon that each tree of a forest has left in the soil, from its first month until now. Trees are
// stored in the order of the inventory, plot by plot. A forest has many young trees and few old ones.

#include "bench.h"

constexpr int OLDEST = 2400;
constexpr float LITTER = 0.003f;
constexpr float DECAY = 0.004f;

struct Tree {
    int months;
    float rate;
    float tallest;
};

__global__ void tree_growth(const Tree *__restrict__ trees, float *__restrict__ carbon, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }

    const Tree tree = trees[i];
    const float crowding = tree.rate / tree.tallest;
    float height = 0.1f;
    float soil = 0.0f;
    for (int month = 0; month < tree.months; month++) {
        soil += LITTER * height * height - DECAY * soil;
        height += height * (tree.rate - crowding * height);
    }
    carbon[i] = soil;
}

int main() {
    const int count = 1 << 21;

    Random random(30);
    std::vector<Tree> trees(count);
    for (Tree &tree : trees) {
        const float chance = random.between(0.0f, 1.0f);
        tree.months = std::min(OLDEST, 1 + (int)(-480.0f * std::log(1.0f - chance)));
        tree.rate = random.between(0.01f, 0.03f);
        tree.tallest = random.between(15.0f, 40.0f);
    }
    Tree *d_trees = to_device(trees);
    float *d_carbon = device_array<float>(count);

    const int block = 256;
    const int grid = (count + block - 1) / block;
    const float milliseconds = measure([&] { tree_growth<<<grid, block>>>(d_trees, d_carbon, count); });

    const std::vector<float> carbon = to_host(d_carbon, count);
    bool ok = true;
    for (int sample = 0; sample < 20000; sample++) {
        const int i = random.below(count);
        const Tree tree = trees[i];
        double height = 0.1;
        double soil = 0.0;
        for (int month = 0; month < tree.months; month++) {
            soil += LITTER * height * height - DECAY * soil;
            height += height * tree.rate * (1.0 - height / tree.tallest);
        }
        ok = ok && close(carbon[i], soil, 1e-3, 0.1);
    }
    return report("tree_growth", ok, milliseconds);
}
