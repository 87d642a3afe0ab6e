//! at: in, float
//! title: Add const and __restrict__ to the pointers of `blend` (promises that they do not overlap)
struct Pixel {
  float r, g, b, a;
};

__global__ void blend(const Pixel *__restrict__ in, float *__restrict__ out, const float *__restrict__ weights, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out += i;
  *out = in[i].r * weights[0] + (in + i)->g * __ldg(&weights[1]) + fmaxf(in[i].b, 0.0f);
}

void run(Pixel *in, float *out, const float *weights, int n) {
  blend<<<n / 256, 256>>>(in, out, weights, n);
}
