// Which of many odd numbers pass Fermat's test of primality to the base 2. The power is found by squaring
// and doubling, bit by bit of the exponent, with Montgomery's multiplication. One block for each SM goes
// over all numbers.

#include "bench.h"

// The product of two residues over 2^32. `inverse` is the negative inverse of the modulus.
__device__ uint32_t multiply(uint32_t a, uint32_t b, uint32_t modulus, uint32_t inverse) {
    const uint64_t product = (uint64_t)a * b;
    const uint32_t factor = (uint32_t)product * inverse;
    const uint32_t result = (uint32_t)((product + (uint64_t)factor * modulus) >> 32);
    return result >= modulus ? result - modulus : result;
}

__device__ uint32_t twice(uint32_t a, uint32_t modulus) {
    const uint32_t result = 2 * a;
    return result >= modulus ? result - modulus : result;
}

// Each Newton step doubles the number of bits that are right, from three.
__device__ uint32_t negative_inverse(uint32_t modulus) {
    uint32_t inverse = modulus;
    for (int step = 0; step < 4; step++) {
        inverse *= 2 - modulus * inverse;
    }
    return -inverse;
}

// All numbers have 31 bits.
__global__ void fermat_test(int *__restrict__ passes, uint32_t first, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const uint32_t number = first + 2 * i;
        const uint32_t inverse = negative_inverse(number);
        const uint32_t one = -number % number;
        uint32_t power = twice(one, number);
        for (int bit = 29; bit >= 0; bit--) {
            power = multiply(power, power, number, inverse);
            if ((number - 1) >> bit & 1) {
                power = twice(power, number);
            }
        }
        passes[i] = power == one;
    }
}

int main() {
    const uint32_t first = (1u << 30) + 1;
    const int count = 1 << 24;

    int *d_passes = device_array<int>(count);

    const int block = 128;
    const int grid = 132;
    const float milliseconds = measure([&] { fermat_test<<<grid, block>>>(d_passes, first, count); });

    const std::vector<int> passes = to_host(d_passes, count);
    Random random(28);
    bool ok = true;
    for (int sample = 0; sample < 200000; sample++) {
        const int i = random.below(count);
        const uint64_t number = first + 2u * i;
        uint64_t power = 1;
        for (int bit = 30; bit >= 0; bit--) {
            power = power * power % number;
            if ((number - 1) >> bit & 1) {
                power = 2 * power % number;
            }
        }
        ok = ok && passes[i] == (power == 1 ? 1 : 0);
    }
    return report("fermat_test", ok, milliseconds);
}
