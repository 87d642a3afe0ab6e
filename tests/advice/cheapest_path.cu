// The cheapest way down through a grid of costs, where each step goes straight down or to one of the
// two adjacent columns. A block processes several rows at a time. A margin of columns that it shares
// with its neighbours makes that possible without communication.
//
// Re-written from Rodinia's pathfinder.

#include "bench.h"

constexpr int BLOCK = 256;
constexpr int ROWS = 16;
constexpr int KEPT = BLOCK - 2 * ROWS;

__global__ void cheapest_path(const int *costs, const int *start, int *end, int columns) {
    __shared__ int above[BLOCK];
    __shared__ int best[BLOCK];

    const int lane = threadIdx.x;
    const int column = blockIdx.x * KEPT + lane - ROWS;
    const bool inside = column >= 0 && column < columns;
    const int left = column > 0 ? lane - 1 : lane;
    const int right = column < columns - 1 ? lane + 1 : lane;

    if (inside) {
        above[lane] = start[column];
    }
    __syncthreads();

    for (int row = 0; row < ROWS; row++) {
        // A lane whose neighbours are not known any more drops out.
        const bool known = inside && lane > row && lane < BLOCK - 1 - row;
        if (known) {
            const int cheapest = min(above[lane], min(above[left], above[right]));
            best[lane] = cheapest + costs[row * columns + column];
        }
        __syncthreads();
        if (known) {
            above[lane] = best[lane];
        }
        __syncthreads();
    }

    if (inside && lane >= ROWS && lane < BLOCK - ROWS) {
        end[column] = best[lane];
    }
}

int main() {
    const int columns = KEPT * 32768;

    Random random(9);
    std::vector<int> costs((size_t)ROWS * columns);
    for (int &cost : costs) {
        cost = random.below(10);
    }
    std::vector<int> start(columns);
    for (int &cost : start) {
        cost = random.below(10);
    }
    int *d_costs = to_device(costs);
    int *d_start = to_device(start);
    int *d_end = device_array<int>(columns);

    const int grid = (columns + KEPT - 1) / KEPT;
    const float milliseconds =
        measure([&] { cheapest_path<<<grid, BLOCK>>>(d_costs, d_start, d_end, columns); });

    const std::vector<int> end = to_host(d_end, columns);
    bool ok = true;
    for (int sample = 0; sample < 2000; sample++) {
        // The first and the last columns are among the samples, as they have a neighbour less.
        const int column = sample < 20 ? sample : sample < 40 ? columns - 1 - (sample - 20) : random.below(columns);
        const int first = std::max(column - ROWS, 0);
        const int last = std::min(column + ROWS, columns - 1);
        std::vector<int> row_above(start.begin() + first, start.begin() + last + 1);
        for (int row = 0; row < ROWS; row++) {
            std::vector<int> next(row_above);
            for (int i = 0; i <= last - first; i++) {
                int cheapest = row_above[i];
                cheapest = std::min(cheapest, row_above[std::max(i - 1, 0)]);
                cheapest = std::min(cheapest, row_above[std::min(i + 1, last - first)]);
                next[i] = cheapest + costs[(size_t)row * columns + first + i];
            }
            row_above = next;
        }
        ok = ok && end[column] == row_above[column - first];
    }
    return report("cheapest_path", ok, milliseconds);
}
