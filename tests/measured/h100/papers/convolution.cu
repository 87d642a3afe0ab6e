// A convolution layer in the variants of an ECE408 project report (milestones 3 and 4, final submission): `out` maps of
// (side - k + 1) squared values from `in` maps of `side` squared values, by filters of k by k values. Sizes are parameters, as there.

// Milestone 3: a thread for each value; an image, a map and a tile of the map for each block.
__global__ void direct(float *y, const float *x, const float *w, int in, int out, int side, int k) {
    const int width = side - k + 1, tiles = (width + 15) / 16;
    const int n = blockIdx.x, m = blockIdx.y;
    const int h = blockIdx.z / tiles * 16 + threadIdx.y, v = blockIdx.z % tiles * 16 + threadIdx.x;
    if (h < width && v < width) {
        float sum = 0;
        for (int c = 0; c < in; c++)
            for (int p = 0; p < k; p++)
                for (int q = 0; q < k; q++)
                    sum += x[((n * in + c) * side + h + p) * side + v + q] * w[((m * in + c) * k + p) * k + q];
        y[((n * out + m) * width + h) * width + v] = sum;
    }
}

// Optimization 1: the unrolled input of one image, a thread for each map and column.
__global__ void unroll(const float *x, float *unrolled, int in, int side, int k) {
    const int width = side - k + 1, columns = width * width;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < in * columns) {
        const int map = t / columns, column = t % columns;
        const int row = column / width, place = column % width;
        for (int p = 0; p < k; p++)
            for (int q = 0; q < k; q++)
                unrolled[((map * k + p) * k + q) * columns + column] = x[(map * side + row + p) * side + place + q];
    }
}

// Optimization 1: the product of the filters and that matrix, by tiles in shared memory.
template <int TILE>
__global__ void product(float *y, const float *w, const float *unrolled, int out, int terms, int columns) {
    __shared__ float filters[TILE][TILE], inputs[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int t = 0; t < (terms + TILE - 1) / TILE; t++) {
        filters[ty][tx] = row < out && t * TILE + tx < terms ? w[row * terms + t * TILE + tx] : 0;
        inputs[ty][tx] = column < columns && t * TILE + ty < terms ? unrolled[(t * TILE + ty) * columns + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += filters[ty][i] * inputs[i][tx];
        __syncthreads();
    }
    if (row < out && column < columns) y[row * columns + column] = sum;
}

__constant__ float constant_filters[24 * 12 * 7 * 7];

// Optimization 2: the filters in constant memory, without their tile.
template <int TILE>
__global__ void product_constant(float *y, const float *unrolled, int out, int terms, int columns) {
    __shared__ float inputs[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int t = 0; t < (terms + TILE - 1) / TILE; t++) {
        inputs[ty][tx] = column < columns && t * TILE + ty < terms ? unrolled[(t * TILE + ty) * columns + column] : 0;
        __syncthreads();
        if (row < out)
            for (int i = 0; i < TILE && t * TILE + i < terms; i++)
                sum += constant_filters[row * terms + t * TILE + i] * inputs[i][tx];
        __syncthreads();
    }
    if (row < out && column < columns) y[row * columns + column] = sum;
}

// The value of the unrolled input at a term and a column.
__device__ float input_at(const float *x, int term, int column, int side, int k) {
    const int width = side - k + 1;
    const int map = term / (k * k), p = term % (k * k) / k, q = term % k;
    return x[(map * side + column / width + p) * side + column % width + q];
}

// Optimizations 3 (a grid for each image), 4 (images in the grid) and 5 (another tile): unrolled where it is read.
template <int TILE>
__global__ void fused(float *y, const float *x, const float *w, int in, int out, int side, int k) {
    __shared__ float filters[TILE][TILE], inputs[TILE][TILE];
    const int width = side - k + 1, columns = width * width, terms = in * k * k;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    const float *image = x + blockIdx.z * in * side * side;
    float sum = 0;
    for (int t = 0; t < (terms + TILE - 1) / TILE; t++) {
        filters[ty][tx] = row < out && t * TILE + tx < terms ? w[row * terms + t * TILE + tx] : 0;
        inputs[ty][tx] = column < columns && t * TILE + ty < terms ? input_at(image, t * TILE + ty, column, side, k) : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += filters[ty][i] * inputs[i][tx];
        __syncthreads();
    }
    if (row < out && column < columns) y[(blockIdx.z * out + row) * columns + column] = sum;
}

// Optimization 6: the same with restrict and unrolled loops.
template <int TILE>
__global__ void fused_tuned(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ w, int in,
                            int out, int side, int k) {
    __shared__ float filters[TILE][TILE], inputs[TILE][TILE];
    const int width = side - k + 1, columns = width * width, terms = in * k * k;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    const float *image = x + blockIdx.z * in * side * side;
    float sum = 0;
#pragma unroll
    for (int t = 0; t < (terms + TILE - 1) / TILE; t++) {
        filters[ty][tx] = row < out && t * TILE + tx < terms ? w[row * terms + t * TILE + tx] : 0;
        inputs[ty][tx] = column < columns && t * TILE + ty < terms ? input_at(image, t * TILE + ty, column, side, k) : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) sum += filters[ty][i] * inputs[i][tx];
        __syncthreads();
    }
    if (row < out && column < columns) y[(blockIdx.z * out + row) * columns + column] = sum;
}

// Optimization 7: a tile of the input with its halo, and the filter, in dynamic shared memory.
__global__ void tiled(float *y, const float *x, const float *w, int in, int out, int side, int k) {
    extern __shared__ float memory[];
    const int width = side - k + 1, tiles = (width + 15) / 16, halo = 16 + k - 1;
    float *filter = memory + halo * halo;
    const int n = blockIdx.x, m = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    const int top = blockIdx.z / tiles * 16, first = blockIdx.z % tiles * 16;
    float sum = 0;
    for (int c = 0; c < in; c++) {
        if (tx < k && ty < k) filter[ty * k + tx] = w[((m * in + c) * k + ty) * k + tx];
        __syncthreads();
        for (int i = ty; i < halo; i += 16)
            for (int j = tx; j < halo; j += 16)
                memory[i * halo + j] = top + i < side && first + j < side
                                           ? x[((n * in + c) * side + top + i) * side + first + j] : 0;
        __syncthreads();
        for (int p = 0; p < k; p++)
            for (int q = 0; q < k; q++) sum += memory[(ty + p) * halo + tx + q] * filter[p * k + q];
        __syncthreads();
    }
    if (top + ty < width && first + tx < width) y[((n * out + m) * width + top + ty) * width + first + tx] = sum;
}

// Optimization 7 with the filters in constant memory.
__global__ void tiled_constant(float *y, const float *x, int in, int out, int side, int k) {
    extern __shared__ float memory[];
    const int width = side - k + 1, tiles = (width + 15) / 16, halo = 16 + k - 1;
    const int n = blockIdx.x, m = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    const int top = blockIdx.z / tiles * 16, first = blockIdx.z % tiles * 16;
    float sum = 0;
    for (int c = 0; c < in; c++) {
        for (int i = ty; i < halo; i += 16)
            for (int j = tx; j < halo; j += 16)
                memory[i * halo + j] = top + i < side && first + j < side
                                           ? x[((n * in + c) * side + top + i) * side + first + j] : 0;
        __syncthreads();
        for (int p = 0; p < k; p++)
            for (int q = 0; q < k; q++)
                sum += memory[(ty + p) * halo + tx + q] * constant_filters[((m * in + c) * k + p) * k + q];
        __syncthreads();
    }
    if (top + ty < width && first + tx < width) y[((n * out + m) * width + top + ty) * width + first + tx] = sum;
}

template __global__ void product<32>(float *, const float *, const float *, int, int, int);
template __global__ void product_constant<32>(float *, const float *, int, int, int);
template __global__ void fused<16>(float *, const float *, const float *, int, int, int, int);
template __global__ void fused<24>(float *, const float *, const float *, int, int, int, int);
template __global__ void fused<32>(float *, const float *, const float *, int, int, int, int);
template __global__ void fused_tuned<16>(float *, const float *, const float *, int, int, int, int);
template __global__ void fused_tuned<24>(float *, const float *, const float *, int, int, int, int);
