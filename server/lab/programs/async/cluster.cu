// Shared memory of other blocks, barriers of a grid, textures and surfaces on all SMs, arrays in local memory.
#include "bench.cuh"
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
enum Kind { LOAD, LOAD_WIDE, STORE, STORE_WIDE, ATOMIC, REDUCE };
static const char* names[] = {"load", "load_wide", "store", "store_wide", "atomic", "reduce"};
// Every warp accesses the same words of the shared memory of the block `distance` further, 8 accesses in a row; `chain`: each address
// depends on the access before; `stride`: words between lanes.
template <int KIND, bool CHAIN> __global__ void remote(unsigned* out, int count, int distance, int stride) {
  extern __shared__ __align__(1024) unsigned s[];
  unsigned rank, size, there, sum = 0;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  for (int i = threadIdx.x; i < 16384; i += blockDim.x) s[i] = 0;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(s)), "r"((rank + distance) % size));
  constexpr bool WIDE = KIND == LOAD_WIDE || KIND == STORE_WIDE;
  there += (threadIdx.x % 32) * stride * (WIDE ? 16 : 4) + threadIdx.x / 32 * 512;
  for (int turn = 0; turn < TURNS; turn++) {
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    unsigned start = tick(), last = 0;
    for (int i = 0; i < count; i++) {
#pragma unroll
      for (int k = 0; k < 8; k++) {
        unsigned at = there + k * 16 + (CHAIN ? last & 4 : 0), a = 0, b = 0, c = 0, d = 0;
        if (KIND == LOAD) asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(a) : "r"(at));
        if (KIND == LOAD_WIDE) asm volatile("ld.volatile.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
        if (KIND == STORE) asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(0));
        if (KIND == STORE_WIDE) asm volatile("st.shared::cluster.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(at), "r"(0));
        if (KIND == ATOMIC) asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(a) : "r"(at), "r"(distance >> 8));
        if (KIND == REDUCE) asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(at), "r"(distance >> 8));
        last = a;
        sum += a + b + c + d;
      }
    }
    unsigned end = tick();
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    unsigned all = tick();
    if (blockIdx.x == 0 && threadIdx.x == 0) { out[0] = end - start; out[1] = all - start; }
  }
  if (sum == 12345) out[2] = 1;
}
template <int KIND, bool CHAIN> static void remote_cases(unsigned* out) {
  for (int cluster : {2, 8})
    for (int blocks : {cluster, 128})
      for (int warps : {1, 4, 16, 32})
        for (int stride : {1, 2, 32}) {
          if (CHAIN && (stride > 1 || warps > 4)) continue;
          unsigned few[2], many[2];
          launch(remote<KIND, CHAIN>, blocks, 32 * warps, cluster, few, 2, out, 4, 1, stride);
          launch(remote<KIND, CHAIN>, blocks, 32 * warps, cluster, many, 2, out, 20, 1, stride);
          printf("remote,%s,chain %d,cluster %d,blocks %d,warps %d,stride %d,%.2f,%.2f\n", names[KIND], CHAIN, cluster, blocks, warps, stride, (many[0] - few[0]) / 128.0, (many[1] - few[1]) / 128.0);
        }
}
// Barriers of a cluster, 8 in a row.
__global__ void cluster_barrier(unsigned* out, int count) {
  for (int turn = 0; turn < TURNS; turn++) {
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    unsigned start = tick();
    for (int i = 0; i < count; i++) {
#pragma unroll
      for (int k = 0; k < 8; k++) asm volatile("barrier.cluster.arrive.relaxed; barrier.cluster.wait;" ::: "memory");
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = tick() - start;
  }
}
// Products of doubles, each of which depends on the one before.
__global__ void dmma_chain(unsigned* out, int count) {
  double d[2] = {}, a = threadIdx.x, b = count;
  unsigned start = tick();
  for (int i = 0; i < count; i++) {
#pragma unroll
    for (int k = 0; k < 8; k++) asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(d[0]), "+d"(d[1]) : "d"(a), "d"(b));
  }
  if (threadIdx.x == 0) out[0] = tick() - start;
  if (d[0] + d[1] == 3) out[2] = 1;
}
// Fetches of one texel a lane, each of which depends on the one before.
__global__ void fetch1_chain(unsigned* out, cudaTextureObject_t t, int count) {
  float x = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    unsigned start = tick();
#pragma unroll 8
    for (int i = 0; i < count; i++) x = tex1Dfetch<float>(t, threadIdx.x % 32 + (__float_as_int(x) & 1));
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = tick() - start;
  }
  if (x == 7) out[3] = 1;
}
__global__ void grid_barrier(unsigned* out, int count) {
  auto grid = cg::this_grid();
  grid.sync();
  unsigned start = tick();
  for (int i = 0; i < count; i++) grid.sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = tick() - start;
}
template <bool LINEAR> __global__ void fetch1(unsigned* out, cudaTextureObject_t t, int count, int stride) {
  float sum = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    __syncthreads();
    unsigned start = tick();
#pragma unroll 8
    for (int i = 0; i < count; i++) sum += tex1Dfetch<float>(t, (threadIdx.x % 32) * stride + i * 32 + threadIdx.x / 32 * 1024);
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = tick() - start;
  }
  if (sum == 7) out[3] = 1;
}
// A tile of 32 x 8 pixels a block, each pixel with `count` taps around it.
template <int KIND> __global__ void taps(unsigned* out, cudaTextureObject_t t, cudaSurfaceObject_t s, int count, int rows) {
  float sum = 0;
  int x = blockIdx.x % 64 * 32 + threadIdx.x % 32, y = blockIdx.x / 64 * 8 + threadIdx.x / 32;
  for (int turn = 0; turn < TURNS; turn++) {
    __syncthreads();
    unsigned start = tick();
#pragma unroll 4
    for (int i = 0; i < count; i++) {
      if (KIND == 0) sum += tex2D<float>(t, x + (i & 3) + .5f, y + i * rows + .5f);
      if (KIND == 1) { float v; surf2Dread(&v, s, (x + (i & 3)) % 2048 * 4, (y + i * rows) % 2048); sum += v; }
      if (KIND == 2) surf2Dwrite(1.f, s, (x + (i & 3)) % 2048 * 4, (y + i * rows) % 2048);
      if (KIND == 3) { float4 v = tex2D<float4>(t, x + (i & 3) + .5f, y + i * rows + .5f); sum += v.x + v.y + v.z + v.w; }
    }
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = tick() - start;
  }
  if (sum == 7) out[3] = 1;
}
// Arrays of each thread, at indices that differ between lanes (`spread` 1) or not. Read, write, both.
template <int KIND> __global__ void local_array(unsigned* out, const int* order, int count, int spread) {
  unsigned a[32];
  for (int i = 0; i < 32; i++) a[i] = order[i];
  unsigned sum = 0, lane = threadIdx.x % 32, x = order[0];
  __syncthreads();
  unsigned start = tick();
#pragma unroll 4
  for (int i = 0; i < count; i++) {
    unsigned at = ((i + x) * 7 + lane * spread * 5) % 32;
    if (KIND == 0) sum += a[at];
    if (KIND == 1) a[at] = i;
    if (KIND == 2) a[at]++;
  }
  __syncthreads();
  unsigned end = tick();
  if (threadIdx.x == 0) out[blockIdx.x == 0 ? 0 : 4 + blockIdx.x] = end - start;
  for (int i = 0; i < 32; i++) sum += a[i] * (i + 1);
  if (sum == 3) out[2] = 1;
}
template <int KIND> static void local_cases(unsigned* out, const int* order) {
  for (int blocks : {1, 132})
    for (int warps : {1, 4, 8, 16, 32})
      for (int spread : {0, 1}) {
        unsigned few, many;
        local_array<KIND><<<blocks, 32 * warps>>>(out, order, 64, spread); cudaMemcpy(&few, out, 4, cudaMemcpyDeviceToHost);
        local_array<KIND><<<blocks, 32 * warps>>>(out, order, 576, spread); cudaMemcpy(&many, out, 4, cudaMemcpyDeviceToHost);
        printf("local,kind %d,blocks %d,warps %d,spread %d,%.2f\n", KIND, blocks, warps, spread, (many - few) / 512.0);
      }
}
int main() {
  unsigned* out; int* order;
  cudaMalloc(&out, 1 << 20); cudaMalloc(&order, 4096); cudaMemset(order, 0, 4096); cudaMemset(out, 0, 1 << 20);
  remote_cases<LOAD, true>(out); remote_cases<ATOMIC, true>(out);
  remote_cases<LOAD, false>(out); remote_cases<LOAD_WIDE, false>(out); remote_cases<STORE, false>(out); remote_cases<STORE_WIDE, false>(out);
  remote_cases<ATOMIC, false>(out); remote_cases<REDUCE, false>(out);
  for (int cluster : {2, 4, 8}) for (int blocks : {cluster, 128}) for (int warps : {1, 4, 16, 32}) {
    unsigned few, many;
    launch(cluster_barrier, blocks, 32 * warps, cluster, &few, 1, out, 4);
    launch(cluster_barrier, blocks, 32 * warps, cluster, &many, 1, out, 20);
    printf("cluster_barrier,cluster %d,blocks %d,warps %d,%.2f\n", cluster, blocks, warps, (many - few) / 128.0);
  }
  for (int warps : {1, 4, 8}) {
    unsigned few, many;
    dmma_chain<<<1, 32 * warps>>>(out, 4); cudaMemcpy(&few, out, 4, cudaMemcpyDeviceToHost);
    dmma_chain<<<1, 32 * warps>>>(out, 20); cudaMemcpy(&many, out, 4, cudaMemcpyDeviceToHost);
    printf("dmma_chain,warps %d,%.2f\n", warps, (many - few) / 128.0);
  }
  for (int blocks : {2, 16, 132, 264, 528}) for (int threads : {32, 256, 512}) {
    unsigned t[2]; int counts[2] = {4, 36};
    for (int k = 0; k < 2; k++) {
      void* arguments[] = {&out, &counts[k]};
      cudaLaunchCooperativeKernel((void*)grid_barrier, blocks, threads, arguments);
      cudaMemcpy(&t[k], out, 4, cudaMemcpyDeviceToHost);
    }
    printf("grid,blocks %d,threads %d,%.1f\n", blocks, threads, (t[1] - t[0]) / 32.0);
  }
  float* buffer; cudaMalloc(&buffer, 64 << 20);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear; resource.res.linear.devPtr = buffer; resource.res.linear.sizeInBytes = 64 << 20;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  cudaTextureDesc description = {}; description.readMode = cudaReadModeElementType;
  cudaTextureObject_t line; cudaCreateTextureObject(&line, &resource, &description, nullptr);
  for (int blocks : {1, 132, 528}) for (int warps : {1, 4, 16}) for (int stride : {1, 4, 32}) {
    unsigned t[2];
    fetch1<false><<<blocks, 32 * warps>>>(out, line, 8, stride); cudaMemcpy(&t[0], out, 4, cudaMemcpyDeviceToHost);
    fetch1<false><<<blocks, 32 * warps>>>(out, line, 40, stride); cudaMemcpy(&t[1], out, 4, cudaMemcpyDeviceToHost);
    printf("fetch1,blocks %d,warps %d,stride %d,first %u,%.2f\n", blocks, warps, stride, t[0], (t[1] - t[0]) / 32.0);
  }
  {
    unsigned t[2];
    fetch1_chain<<<1, 32>>>(out, line, 8); cudaMemcpy(&t[0], out, 4, cudaMemcpyDeviceToHost);
    fetch1_chain<<<1, 32>>>(out, line, 40); cudaMemcpy(&t[1], out, 4, cudaMemcpyDeviceToHost);
    printf("fetch1_chain,%.2f\n", (t[1] - t[0]) / 32.0);
  }
  for (int wide : {0, 1}) {
    cudaArray_t array; auto channel = wide ? cudaCreateChannelDesc<float4>() : cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &channel, 2048, 2048, cudaArraySurfaceLoadStore);
    resource = {}; resource.resType = cudaResourceTypeArray; resource.res.array.array = array;
    for (int linear : {0, 1}) {
      description = {}; description.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint; description.readMode = cudaReadModeElementType;
      cudaTextureObject_t t; cudaCreateTextureObject(&t, &resource, &description, nullptr);
      cudaSurfaceObject_t s; cudaCreateSurfaceObject(&s, &resource);
      for (int blocks : {1, 132, 528, 2048}) for (int rows : {0, 1}) for (int kind : {0, 1, 2, 3}) {
        if ((kind == 3) != (wide == 1) || (linear && kind != 0 && kind != 3)) continue;
        unsigned time[2]; int counts[2] = {8, 40};
        for (int k = 0; k < 2; k++) {
          if (kind == 0) taps<0><<<blocks, 256>>>(out, t, s, counts[k], rows);
          if (kind == 1) taps<1><<<blocks, 256>>>(out, t, s, counts[k], rows);
          if (kind == 2) taps<2><<<blocks, 256>>>(out, t, s, counts[k], rows);
          if (kind == 3) taps<3><<<blocks, 256>>>(out, t, s, counts[k], rows);
          cudaMemcpy(&time[k], out, 4, cudaMemcpyDeviceToHost);
        }
        printf("taps,kind %d,linear %d,blocks %d,rows %d,first %u,%.2f\n", kind, linear, blocks, rows, time[0], (time[1] - time[0]) / 32.0);
      }
    }
  }
  local_cases<0>(out, order); local_cases<1>(out, order); local_cases<2>(out, order);
  if (auto e = cudaGetLastError()) printf("error %s\n", cudaGetErrorString(e));
}
