//! at: row[k + 2]
//! title: Load four elements of `row` as one int4 (sectors of the four: 128 -> 32; needs `row` aligned to 16 bytes)
__global__ void rows(const int *in, int *out, int width) {
  const int *row = in + (blockIdx.x * blockDim.x + threadIdx.x) * width;
  int total = 0;
  for (int k = 0; k < width; k += 4) {
    total += row[k] + row[k + 1] + row[k + 2] + row[k + 3];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

int main() {
  rows<<<64, 128>>>(nullptr, nullptr, 1024);
}
