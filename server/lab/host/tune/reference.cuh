// Matrix multiplication and convolution in double precision, directly from the definition, and inputs for which every sum is exact.

#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <string>

// Value of C where no kernel may write, and of all of C before a kernel that does not add to it.
constexpr double UNTOUCHED = 777;
// Number of elements after the end of a matrix: NaN after an input, `UNTOUCHED` after an output.
constexpr size_t GUARD = 4096;

template <class Do>
void by_element(const std::string &element, Do &&run) {
    if (element == "f16") run(__half(0.0f));
    else if (element == "f32") run(0.0f);
    else run(0.0);
}

__device__ inline uint32_t scrambled(uint64_t value) {
    value = (value ^ (value >> 31)) * 0x7fb5d329728ea185ull;
    value = (value ^ (value >> 27)) * 0x81dadef4bc2dd44dull;
    return uint32_t(value >> 32);
}

// Integers small enough that all sums of products are exact in any order: -1, 0 and 1 in half precision, otherwise -7 to 7.
template <class T>
__device__ T exact(uint64_t index) {
    constexpr uint32_t range = sizeof(T) == 2 ? 3 : 15;
    return T(float(int(scrambled(index) % range) - int(range / 2)));
}

template <class T>
__global__ void random_values(T *to, size_t count) {
    for (size_t at = blockIdx.x * size_t(blockDim.x) + threadIdx.x; at < count; at += size_t(gridDim.x) * blockDim.x)
        to[at] = T(float(scrambled(at)) * (2.0f / 4294967296.0f) - 1.0f);
}

// Fills columns of `rows` elements that are `leading` elements apart. All elements between and after the columns are NaN.
template <class T>
__global__ void fill_input(T *to, size_t rows, size_t columns, size_t leading, uint64_t seed) {
    size_t count = leading * columns + GUARD;
    for (size_t at = blockIdx.x * size_t(blockDim.x) + threadIdx.x; at < count; at += size_t(gridDim.x) * blockDim.x) {
        bool is_inside = at < leading * columns && at % leading < rows;
        to[at] = is_inside ? exact<T>(at ^ seed) : T(float(NAN));
    }
}

template <class T>
__global__ void fill_output(T *to, size_t rows, size_t columns, size_t leading, double inside) {
    size_t count = leading * columns + GUARD;
    for (size_t at = blockIdx.x * size_t(blockDim.x) + threadIdx.x; at < count; at += size_t(gridDim.x) * blockDim.x) {
        bool is_inside = at < leading * columns && at % leading < rows;
        to[at] = T(float(is_inside ? inside : UNTOUCHED));
    }
}

struct Gemm {
    unsigned m, n, k, lda, ldb, ldc;
    bool a_transposed, b_transposed;

    template <class T>
    void fill(T *a, T *b, T *c, bool adds, cudaStream_t stream) const;
    template <class T>
    void compare(const T *a, const T *b, const T *c, unsigned *wrong, cudaStream_t stream) const;
};

template <class T>
__global__ void compare_gemm(Gemm of, const T *a, const T *b, const T *c, unsigned *wrong) {
    size_t count = size_t(of.ldc) * of.n + GUARD;
    for (size_t at = blockIdx.x * size_t(blockDim.x) + threadIdx.x; at < count; at += size_t(gridDim.x) * blockDim.x) {
        size_t row = at % of.ldc, column = at / of.ldc;
        double expected = UNTOUCHED;
        if (row < of.m && column < of.n) {
            expected = 0;
            for (size_t k = 0; k < of.k; ++k) {
                T left = of.a_transposed ? a[k + row * of.lda] : a[row + k * of.lda];
                T right = of.b_transposed ? b[column + k * of.ldb] : b[k + column * of.ldb];
                expected += double(float(left)) * double(float(right));
            }
        }
        if (!(double(float(c[at])) == expected)) atomicAdd(wrong, 1u);
    }
}

template <class T>
void Gemm::fill(T *a, T *b, T *c, bool adds, cudaStream_t stream) const {
    fill_input<<<512, 256, 0, stream>>>(a, a_transposed ? k : m, a_transposed ? m : k, lda, 1);
    fill_input<<<512, 256, 0, stream>>>(b, b_transposed ? n : k, b_transposed ? k : n, ldb, 1ull << 40);
    fill_output<<<512, 256, 0, stream>>>(c, m, n, ldc, adds ? 0 : UNTOUCHED);
}

template <class T>
void Gemm::compare(const T *a, const T *b, const T *c, unsigned *wrong, cudaStream_t stream) const {
    compare_gemm<<<1056, 256, 0, stream>>>(*this, a, b, c, wrong);
}

// O[n][k][p][q] = sum over c, r, s of I[n][c][p * stride - pad + r][q * stride - pad + s] F[k][c][r][s]
struct Conv {
    unsigned n, c, h, w, k, r, s, pad, stride;

    __host__ __device__ unsigned p() const { return (h + 2 * pad - r) / stride + 1; }
    __host__ __device__ unsigned q() const { return (w + 2 * pad - s) / stride + 1; }

    template <class T>
    void fill(T *input, T *filter, T *output, bool adds, cudaStream_t stream) const;
    template <class T>
    void compare(const T *input, const T *filter, const T *output, unsigned *wrong, cudaStream_t stream) const;
};

template <class T>
__global__ void compare_conv(Conv of, const T *input, const T *filter, const T *output, unsigned *wrong) {
    size_t p_count = of.p(), q_count = of.q(), inside = size_t(of.n) * of.k * p_count * q_count;
    for (size_t at = blockIdx.x * size_t(blockDim.x) + threadIdx.x; at < inside + GUARD; at += size_t(gridDim.x) * blockDim.x) {
        double expected = UNTOUCHED;
        if (at < inside) {
            size_t q = at % q_count, p = at / q_count % p_count, k = at / (q_count * p_count) % of.k, n = at / (q_count * p_count * of.k);
            expected = 0;
            for (size_t c = 0; c < of.c; ++c)
                for (size_t r = 0; r < of.r; ++r)
                    for (size_t s = 0; s < of.s; ++s) {
                        long y = long(p * of.stride + r) - long(of.pad), x = long(q * of.stride + s) - long(of.pad);
                        if (y < 0 || x < 0 || y >= long(of.h) || x >= long(of.w)) continue;
                        T left = input[((n * of.c + c) * of.h + size_t(y)) * of.w + size_t(x)];
                        T right = filter[((k * of.c + c) * of.r + r) * of.s + s];
                        expected += double(float(left)) * double(float(right));
                    }
        }
        if (!(double(float(output[at])) == expected)) atomicAdd(wrong, 1u);
    }
}

template <class T>
void Conv::fill(T *input, T *filter, T *output, bool adds, cudaStream_t stream) const {
    size_t inputs = size_t(n) * c * h * w, filters = size_t(k) * c * r * s, outputs = size_t(n) * k * p() * q();
    fill_input<<<512, 256, 0, stream>>>(input, inputs, 1, inputs, 1);
    fill_input<<<512, 256, 0, stream>>>(filter, filters, 1, filters, 1ull << 40);
    fill_output<<<512, 256, 0, stream>>>(output, outputs, 1, outputs, adds ? 0 : UNTOUCHED);
}

template <class T>
void Conv::compare(const T *input, const T *filter, const T *output, unsigned *wrong, cudaStream_t stream) const {
    compare_conv<<<1056, 256, 0, stream>>>(*this, input, filter, output, wrong);
}
