//! none: Add __restrict__
__global__ void twice(const float *one, const float *other, float *out) { out[0] = one[0] + other[0]; }

__global__ void within(const float **rows, float *out) { out[0] = rows[0][0]; }

void run(float *data) { twice<<<1, 32>>>(data, data + 32, data); }
