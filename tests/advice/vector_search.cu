// The most similar of some stored vectors for each of many queries, by the dot product. The vectors are
// quantised: a component is one signed byte.

#include "bench.h"

constexpr int COMPONENTS = 32;

__global__ void vector_search(const signed char *__restrict__ queries, const signed char *__restrict__ stored,
                              int *__restrict__ nearest, int query_count, int stored_count) {
    const int query = blockIdx.x * blockDim.x + threadIdx.x;
    if (query >= query_count) {
        return;
    }

    signed char own[COMPONENTS];
    for (int c = 0; c < COMPONENTS; c++) {
        own[c] = queries[query * COMPONENTS + c];
    }

    int best = 0;
    int best_product = INT_MIN;
    for (int s = 0; s < stored_count; s++) {
        int product = 0;
        for (int c = 0; c < COMPONENTS; c++) {
            product += own[c] * stored[s * COMPONENTS + c];
        }
        if (product > best_product) {
            best_product = product;
            best = s;
        }
    }
    nearest[query] = best;
}

int main() {
    const int query_count = 1 << 17;
    const int stored_count = 600;

    Random random(12);
    std::vector<signed char> queries(query_count * COMPONENTS), stored(stored_count * COMPONENTS);
    for (signed char &component : queries) {
        component = (int)random.below(256) - 128;
    }
    for (signed char &component : stored) {
        component = (int)random.below(256) - 128;
    }
    signed char *d_queries = to_device(queries);
    signed char *d_stored = to_device(stored);
    int *d_nearest = device_array<int>(query_count);

    const int block = 256;
    const int grid = (query_count + block - 1) / block;
    const float milliseconds = measure(
        [&] { vector_search<<<grid, block>>>(d_queries, d_stored, d_nearest, query_count, stored_count); });

    const std::vector<int> nearest = to_host(d_nearest, query_count);
    bool ok = true;
    for (int sample = 0; sample < 2000; sample++) {
        const int query = random.below(query_count);
        int best = 0;
        int best_product = INT_MIN;
        for (int s = 0; s < stored_count; s++) {
            int product = 0;
            for (int c = 0; c < COMPONENTS; c++) {
                product += queries[query * COMPONENTS + c] * stored[s * COMPONENTS + c];
            }
            if (product > best_product) {
                best_product = product;
                best = s;
            }
        }
        ok = ok && nearest[query] == best;
    }
    return report("vector_search", ok, milliseconds);
}
