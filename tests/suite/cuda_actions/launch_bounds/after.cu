//! at: scale(const
//! title: Add __launch_bounds__(256), the size of the largest launched block
namespace kernels {
template <typename T>
__global__ void __launch_bounds__(256) scale(const T *in, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * T(2);
}
} // namespace kernels

int main() {
  kernels::scale<<<16, 128>>>((const float *)nullptr, (float *)nullptr, 2048);
  kernels::scale<<<16, dim3(64, 4)>>>((const double *)nullptr, (double *)nullptr, 2048);
}
