// The product of a transposed matrix with a vector, as the method of biconjugate gradients needs it in
// each iteration. A thread adds up its column of the matrix, from the first row to the last.
//
// Re-written from PolyBench-GPU's bicg.

#include "bench.h"

__global__ void adjoint_product(const float *__restrict__ matrix, const float *__restrict__ residual,
                                float *__restrict__ product, int rows, int columns) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) {
        return;
    }

    float sum = 0.0f;
    for (int row = 0; row < rows; row++) {
        sum += matrix[row * columns + column] * residual[row];
    }
    product[column] = sum;
}

int main() {
    const int rows = 16384;
    const int columns = 4096;

    Random random(24);
    std::vector<float> matrix(rows * columns), residual(rows);
    for (float &value : matrix) {
        value = random.between(-1.0f, 1.0f);
    }
    for (float &value : residual) {
        value = random.between(-1.0f, 1.0f);
    }
    float *d_matrix = to_device(matrix);
    float *d_residual = to_device(residual);
    float *d_product = device_array<float>(columns);

    const int block = 256;
    const int grid = (columns + block - 1) / block;
    const float milliseconds = measure(
        [&] { adjoint_product<<<grid, block>>>(d_matrix, d_residual, d_product, rows, columns); });

    const std::vector<float> product = to_host(d_product, columns);
    std::vector<double> expected(columns);
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            expected[column] += (double)matrix[row * columns + column] * residual[row];
        }
    }
    bool ok = true;
    for (int column = 0; column < columns; column++) {
        ok = ok && close(product[column], expected[column], 1e-4, 10.0);
    }
    return report("adjoint_product", ok, milliseconds);
}
