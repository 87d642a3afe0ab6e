//! at: row[k + 2]
//! title: Load four elements of `row` as one int4 (sectors of the four loads: 128 -> 32; needs `row` aligned to 16 bytes)
__global__ void rows(const int *in, int *out, int width) {
  const int *row = in + (blockIdx.x * blockDim.x + threadIdx.x) * width;
  for (int k = 0; k < width; k += 4) {
    out[k * 128 + threadIdx.x] = row[k] + row[k + 1] + row[k + 2] + row[k + 3];
  }
}

int main() {
  rows<<<64, 128>>>(nullptr, nullptr, 1024);
}
