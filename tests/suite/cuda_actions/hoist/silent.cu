//! none: Hoist
struct Pair { float first, second; };

__global__ void own(const float *x, const float *factor, const Pair *pairs, float *y, int n) {
    // The subscript is a variable that is declared in the loop.
    for (int i = 0; i < n; i++) {
        const int lane = threadIdx.x;
        y[blockIdx.x * n + i] = x[i] * factor[lane];
    }
    // The loop is not a statement of a block.
    if (n > 8)
        for (int i = 0; i < n; i++)
            y[blockIdx.x * n + i] = x[i] * factor[threadIdx.x];
    // The trip count is loaded from memory.
    for (int i = 0; i < int(x[0]); i++) y[blockIdx.x * n + i] = x[i] * factor[threadIdx.x];
}

__global__ void restricted(const float *x, const float *__restrict__ factor, float *y, int n) {
    for (int i = 0; i < n; i++)
        y[blockIdx.x * n + i] = x[i] * factor[threadIdx.x];
}
