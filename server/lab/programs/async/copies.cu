// Copies to shared memory and back: cp.async, bulk copies and tensor copies, one SM and all of them.
// Lines: NAME,parameters...,cycles. `first` is the time of one copy and its wait, `slope` the time that each further one in flight adds.
#include "bench.cuh"
#include <cuda.h>
#include <dlfcn.h>

// ---- cp.async: every lane of `warps` warps copies BYTES; `count` copies each, one group, waited for. ----
template <int BYTES, bool CG> __global__ void copy_async(unsigned* out, const char* in, int count, int lane_stride, int target_stride) {
  extern __shared__ __align__(1024) char shared[];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int turn = 0; turn < TURNS; turn++) {
    __syncthreads();
    unsigned start = tick();
    for (int i = 0; i < count; i++) {
      const char* from = in + (size_t)(i * (blockDim.x / 32) + warp) * 32 * lane_stride + lane * lane_stride;
      unsigned to = shared_address(shared) + (((i * (blockDim.x / 32) + warp) * 32 + lane) * target_stride & 0x1fff0);
      if (CG) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
      else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(BYTES) : "memory");
    }
    unsigned issued = tick();
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
    unsigned waited = tick();
    __syncthreads();
    unsigned end = tick();
    if (threadIdx.x == 0) { out[0] = end - start; out[1] = issued - start; out[2] = waited - start; }
  }
}
template <int BYTES, bool CG> static void copy_async_cases(unsigned* out, const char* in) {
  for (int warps : {1, 4, 16, 32})
    for (int stride : {BYTES, 32, 128})
      for (int target : {BYTES, 128}) {
        if (stride < BYTES || (stride == 32 && BYTES == 32)) continue;
        for (int count : {1, 2, 4, 8, 16}) {
          unsigned t[3];
          launch(copy_async<BYTES, CG>, 1, 32 * warps, 1, t, 3, out, in, count, stride, target);
          printf("cp.async.%s,bytes %d,warps %d,stride %d,target %d,count %d,total %u,issued %u,waited %u\n", CG ? "cg" : "ca", BYTES, warps, stride, target, count, t[0], t[1], t[2]);
        }
      }
}
// The same, with groups: depth of the ring against time of each round.
__global__ void copy_ring(unsigned* out, const char* in, int rounds, int work) {
  extern __shared__ __align__(1024) char shared[];
  float sum = threadIdx.x;
  __syncthreads();
  unsigned start = tick();
  for (int i = 0; i < rounds; i++) {
    const char* from = in + (size_t)i * 16 * blockDim.x + threadIdx.x * 16;
    unsigned to = shared_address(shared) + (i % 8) * 16 * blockDim.x + threadIdx.x * 16;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.commit_group;" ::"r"(to), "l"(from) : "memory");
    asm volatile("cp.async.wait_group 3;" ::: "memory");
    for (int k = 0; k < work; k++) sum = sum * 1.0001f + 1;
  }
  unsigned end = tick();
  if (threadIdx.x == 0) out[0] = end - start;
  if (sum == 1) out[1] = 1;
}

// ---- bulk copies: one thread of the block. ----
__global__ void bulk_load(unsigned* out, const char* in, int bytes, int count, int blocks_stride) {
  extern __shared__ __align__(1024) char shared[];
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) barrier_init(&barrier, 1);
  __syncthreads();
  if (threadIdx.x == 0)
    for (int turn = 0; turn < TURNS; turn++) {
      const char* from = in + (size_t)blockIdx.x * blocks_stride;
      unsigned start = tick();
      barrier_expect(&barrier, bytes * count);
      for (int i = 0; i < count; i++)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(shared) + (i * bytes) % (160 * 1024)), "l"(from + (size_t)i * bytes), "r"(bytes), "r"(shared_address(&barrier)) : "memory");
      unsigned issued = tick();
      barrier_wait(&barrier, turn & 1);
      unsigned end = tick();
      if (blockIdx.x == 0) { out[0] = end - start; out[1] = issued - start; }
    }
}
__global__ void bulk_store(unsigned* out, char* to, int bytes, int count, int blocks_stride) {
  extern __shared__ __align__(1024) char shared[];
  if (threadIdx.x == 0)
    for (int turn = 0; turn < TURNS; turn++) {
      unsigned start = tick();
      for (int i = 0; i < count; i++)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to + (size_t)blockIdx.x * blocks_stride + (size_t)i * bytes), "r"(shared_address(shared) + (i * bytes) % (160 * 1024)), "r"(bytes) : "memory");
      unsigned issued = tick();
      asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
      unsigned read = tick();
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
      unsigned end = tick();
      if (blockIdx.x == 0) { out[0] = end - start; out[1] = issued - start; out[2] = read - start; }
    }
}
__global__ void bulk_reduce(unsigned* out, char* to, int bytes, int count, int type) {
  extern __shared__ __align__(1024) char shared[];
  if (threadIdx.x == 0)
    for (int turn = 0; turn < TURNS; turn++) {
      unsigned start = tick();
      for (int i = 0; i < count; i++) {
        char* at = to + (size_t)i * bytes;
        unsigned from = shared_address(shared) + (i * bytes) % (160 * 1024);
        if (type == 0) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(at), "r"(from), "r"(bytes) : "memory");
        else if (type == 1) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], %2;" ::"l"(at), "r"(from), "r"(bytes) : "memory");
        else asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(at), "r"(from), "r"(bytes) : "memory");
      }
      asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
      unsigned read = tick();
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
      out[0] = tick() - start;
      out[1] = read - start;
    }
}
// Shared memory of one block to that of its neighbour.
__global__ void bulk_neighbour(unsigned* out, int bytes, int count) {
  extern __shared__ __align__(1024) char shared[];
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) barrier_init(&barrier, 1);
  __syncthreads();
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0)
    for (int turn = 0; turn < TURNS; turn++) {
      if (rank == 1) {
        barrier_expect(&barrier, bytes * count);
        barrier_wait(&barrier, turn & 1);
      } else {
        unsigned start = tick(), to, signal;
        asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(to) : "r"(shared_address(shared)));
        asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(signal) : "r"(shared_address(&barrier)));
        for (int i = 0; i < count; i++)
          asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to + (i * bytes) % (160 * 1024)), "r"(shared_address(shared) + (i * bytes) % (160 * 1024)), "r"(bytes), "r"(signal) : "memory");
        out[1] = tick() - start;
        out[0] = start;
      }
      asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
      if (rank == 0) out[0] = tick() - out[0];
    }
  else
    for (int turn = 0; turn < TURNS; turn++) asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

// ---- tensor copies ----
__global__ void tensor_load(unsigned* out, const __grid_constant__ CUtensorMap map, int bytes, int count, int step_x, int step_y, int multicast, int block_step) {
  extern __shared__ __align__(1024) char shared[];
  __shared__ uint64_t barrier;
  int apart = bytes < 128 ? 128 : bytes;
  if (threadIdx.x == 0) barrier_init(&barrier, 1);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  unsigned rank = 0, size = 1;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  if (size > 1) asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  if (threadIdx.x == 0)
    for (int turn = 0; turn < TURNS; turn++) {
      unsigned start = tick();
      barrier_expect(&barrier, bytes * count);
      if (!multicast || rank == 0)
        for (int i = 0; i < count; i++) {
          unsigned to = shared_address(shared) + i * apart % (192 * 1024 / apart * apart);
          int x = i * step_x, y = i * step_y + blockIdx.x / size * block_step;
          if (multicast)
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to), "l"(&map), "r"(x), "r"(y), "r"(shared_address(&barrier)), "h"((short)((1 << size) - 1)) : "memory");
          else
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&map), "r"(x), "r"(y), "r"(shared_address(&barrier)) : "memory");
        }
      unsigned issued = tick();
      barrier_wait(&barrier, turn & 1);
      unsigned end = tick();
      if (blockIdx.x == size - 1) {
        if (turn == 0) out[2] = end - start;
        out[0] = end - start;
        out[1] = issued - start;
      }
      if (blockIdx.x == 0 && turn == TURNS - 1) out[3] = end - start;
    }
  __syncthreads();
  if (size > 1) asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}
__global__ void tensor_store(unsigned* out, const __grid_constant__ CUtensorMap map, int bytes, int count, int step_y, int reduce, int block_step) {
  extern __shared__ __align__(1024) char shared[];
  int apart = bytes < 128 ? 128 : bytes;
  if (threadIdx.x == 0)
    for (int turn = 0; turn < TURNS; turn++) {
      unsigned start = tick();
      for (int i = 0; i < count; i++) {
        unsigned from = shared_address(shared) + i * apart % (192 * 1024 / apart * apart);
        int y = i * step_y + blockIdx.x * block_step;
        if (reduce) asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(0), "r"(y), "r"(from) : "memory");
        else asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(0), "r"(y), "r"(from) : "memory");
      }
      unsigned issued = tick();
      asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
      unsigned read = tick();
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
      unsigned end = tick();
      if (blockIdx.x == 0) { out[0] = end - start; out[1] = issued - start; out[2] = read - start; }
    }
}
// Many descriptors in turn: the cost of fetching one that is not in the descriptor cache.
__global__ void tensor_descriptors(unsigned* out, const CUtensorMap* maps, int maps_used, int prefetch) {
  extern __shared__ __align__(1024) char shared[];
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) {
    barrier_init(&barrier, 1);
    unsigned sum = 0, most = 0, phase = 0;
    for (int turn = 0; turn < 3; turn++)
      for (int i = 0; i < maps_used; i++) {
        if (prefetch) {
          asm volatile("prefetch.tensormap [%0];" ::"l"(maps + i) : "memory");
          for (unsigned until = tick() + 2000; int(tick() - until) < 0;) {}
        }
        unsigned start = tick();
        barrier_expect(&barrier, 2048);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(shared)), "l"(maps + i), "r"(0), "r"(0), "r"(shared_address(&barrier)) : "memory");
        barrier_wait(&barrier, phase++ & 1);
        unsigned took = tick() - start;
        if (turn == 0 && i == 0) out[2] = took;
        if (turn == 2) { sum += took; most = took > most ? took : most; }
      }
    out[0] = sum / maps_used;
    out[1] = most;
  }
}

static CUtensorMap map_of(void* data, CUtensorMapDataType type, int element, uint64_t width, uint64_t height, unsigned box_x, unsigned box_y, CUtensorMapSwizzle swizzle) {
  static auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuTensorMapEncodeTiled"));
  CUtensorMap map;
  cuuint64_t shape[] = {width, height}, strides[] = {width * element};
  cuuint32_t box[] = {box_x, box_y}, steps[] = {1, 1};
  if (encode(&map, type, 2, data, shape, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) printf("error map\n");
  return map;
}

int main() {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  unsigned* out;
  char* data;
  size_t size = size_t(1) << 30;
  cudaMalloc(&out, 4096);
  cudaMalloc(&data, size);
  cudaMemset(data, 0, size);
  copy_async_cases<4, false>(out, data);
  copy_async_cases<8, false>(out, data);
  copy_async_cases<16, false>(out, data);
  copy_async_cases<16, true>(out, data);
  for (int warps : {1, 4, 8, 16})
    for (int work : {0, 16, 64, 128})
      for (int rounds : {8, 72}) {
        unsigned t;
        launch(copy_ring, 1, 32 * warps, 1, &t, 1, out, data, rounds, work);
        printf("copy_ring,warps %d,work %d,rounds %d,%u\n", warps, work, rounds, t);
      }
  for (int bytes : {16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768})
    for (int count : {1, 2, 4, 16, 64}) {
      unsigned t[3];
      // A phase of an mbarrier counts fewer than 2^20 bytes.
      if (bytes * count < 1 << 20) {
        launch(bulk_load, 1, 32, 1, t, 2, out, data, bytes, count, 0);
        printf("bulk_load,bytes %d,count %d,total %u,issued %u\n", bytes, count, t[0], t[1]);
        launch(bulk_store, 1, 32, 1, t, 3, out, data, bytes, count, 0);
        printf("bulk_store,bytes %d,count %d,total %u,issued %u,read %u\n", bytes, count, t[0], t[1], t[2]);
      }
      if (count == 1 || count == 16)
        for (int type : {0, 1, 2}) {
          launch(bulk_reduce, 1, 32, 1, t, 2, out, data, bytes, count, type);
          printf("bulk_reduce,type %d,bytes %d,count %d,total %u,read %u\n", type, bytes, count, t[0], t[1]);
        }
      if (count <= 16 && bytes * count <= 160 * 1024) {
        launch(bulk_neighbour, 2, 32, 2, t, 2, out, bytes, count);
        printf("bulk_neighbour,bytes %d,count %d,total %u,issued %u\n", bytes, count, t[0], t[1]);
      }
    }
  // All SMs: from L2 (32 KB a block) and from DRAM (4 MB apart, 64 copies each).
  for (int grid : {1, 16, 66, 132})
    for (int stride : {0, 32768, 1 << 22})
      for (int count : {1, 16, 64}) {
        unsigned t[2];
        launch(bulk_load, grid, 32, 1, t, 2, out, data, 8192, count, stride);
        printf("bulk_load_all,grid %d,stride %d,count %d,total %u,issued %u\n", grid, stride, count, t[0], t[1]);
        launch(bulk_store, grid, 32, 1, t, 2, out, data, 8192, count, stride);
        printf("bulk_store_all,grid %d,stride %d,count %d,total %u,issued %u\n", grid, stride, count, t[0], t[1]);
      }
  struct { CUtensorMapSwizzle swizzle; const char* name; unsigned x; } kinds[] = {
      {CU_TENSOR_MAP_SWIZZLE_NONE, "none", 8}, {CU_TENSOR_MAP_SWIZZLE_NONE, "none", 64}, {CU_TENSOR_MAP_SWIZZLE_NONE, "none", 256},
      {CU_TENSOR_MAP_SWIZZLE_32B, "32", 16}, {CU_TENSOR_MAP_SWIZZLE_64B, "64", 32}, {CU_TENSOR_MAP_SWIZZLE_128B, "128", 64}};
  for (auto& kind : kinds)
    for (unsigned y : {1u, 8u, 32u, 64u, 128u, 256u}) {
      int bytes = kind.x * y * 2;
      if (bytes > 96 * 1024) continue;
      auto map = map_of(data, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, 4096, 65536, kind.x, y, kind.swizzle);
      for (int count : {1, 2, 8, 32}) {
        if (bytes * count >= 1 << 20) continue;
        unsigned t[4];
        launch(tensor_load, 1, 32, 1, t, 4, out, map, bytes, count, 0, int(y), 0, 0);
        printf("tensor_load,swizzle %s,box %ux%u,bytes %d,count %d,total %u,issued %u,cold %u\n", kind.name, kind.x, y, bytes, count, t[0], t[1], t[2]);
        launch(tensor_store, 1, 32, 1, t, 3, out, map, bytes, count, int(y), 0, 0);
        printf("tensor_store,swizzle %s,box %ux%u,bytes %d,count %d,total %u,issued %u,read %u\n", kind.name, kind.x, y, bytes, count, t[0], t[1], t[2]);
        if (count == 8) {
          launch(tensor_store, 1, 32, 1, t, 3, out, map, bytes, count, int(y), 1, 0);
          printf("tensor_reduce,swizzle %s,box %ux%u,bytes %d,count %d,total %u,issued %u,read %u\n", kind.name, kind.x, y, bytes, count, t[0], t[1], t[2]);
        }
      }
    }
  {
    auto map = map_of(data, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, 4096, 65536, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B);
    for (unsigned cluster : {1u, 2u, 4u, 8u})
      for (int multicast : {0, 1})
        for (int grid : {1, 16})
          for (int count : {1, 8, 32}) {
            unsigned t[4];
            launch(tensor_load, cluster * grid, 32, cluster, t, 4, out, map, 8192, count, 0, 64, multicast, 2048);
            printf("tensor_multicast,cluster %u,multicast %d,clusters %d,count %d,last %u,first %u,cold %u\n", cluster, multicast, grid, count, t[0], t[3], t[2]);
          }
    for (int grid : {1, 16, 66, 132})
      for (int step : {0, 64, 480})
        for (int count : {1, 8, 32}) {
          unsigned t[4];
          launch(tensor_load, grid, 32, 1, t, 4, out, map, 8192, count, step == 480 ? 64 : 0, step == 480 ? 0 : 64, 0, step);
          printf("tensor_load_all,grid %d,step %d,count %d,total %u,issued %u,cold %u\n", grid, step, count, t[0], t[1], t[2]);
          launch(tensor_store, grid, 32, 1, t, 3, out, map, 8192, count, 64, 0, step);
          printf("tensor_store_all,grid %d,step %d,count %d,total %u,issued %u,read %u\n", grid, step, count, t[0], t[1], t[2]);
        }
  }
  {
    CUtensorMap host[256], *maps;
    for (auto& map : host) map = map_of(data, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, 4096, 65536, 64, 16, CU_TENSOR_MAP_SWIZZLE_128B);
    cudaMalloc(&maps, sizeof host);
    cudaMemcpy(maps, host, sizeof host, cudaMemcpyHostToDevice);
    for (int used : {1, 2, 4, 8, 16, 32, 64, 128, 256})
      for (int prefetch : {0, 1}) {
        unsigned t[3];
        launch(tensor_descriptors, 1, 32, 1, t, 3, out, maps, used, prefetch);
        printf("tensor_descriptors,used %d,prefetch %d,mean %u,most %u,first %u\n", used, prefetch, t[0], t[1], t[2]);
      }
  }
}
