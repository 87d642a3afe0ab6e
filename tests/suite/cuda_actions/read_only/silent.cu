//! none: Load `
struct Particle {
  float x, y;
};

__device__ void keep(const float *at) {}

__global__ void readers(const float *__restrict__ told, float *written, const Particle *records, const float *lent,
                        const float *loaded, volatile int *flags, float *out) {
  float own[4];
  own[threadIdx.x & 3] = told[threadIdx.x];
  written[threadIdx.x] += 1.0f;
  keep(&lent[threadIdx.x]);
  out[threadIdx.x] = records[threadIdx.x].x + lent[2] + __ldg(&loaded[threadIdx.x]) + flags[0] + own[1];
}

__global__ void in_place(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x]; }

void run(float *data) { in_place<<<1, 32>>>(data, data); }
