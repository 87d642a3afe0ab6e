// Asynchronous stores to the shared memory of another block, which count their bytes at a barrier object there.
#include "bench.cuh"

__device__ __forceinline__ unsigned in_block(const void* p, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
  return there;
}
template <int WORDS> __device__ __forceinline__ void deliver(unsigned at, unsigned barrier, unsigned value) {
  if (WORDS == 1) asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(at), "r"(value), "r"(barrier) : "memory");
  if (WORDS == 2) asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %1}, [%2];" ::"r"(at), "r"(value), "r"(barrier) : "memory");
  if (WORDS == 4) asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %1, %1, %1}, [%2];" ::"r"(at), "r"(value), "r"(barrier) : "memory");
}
__device__ __forceinline__ void meet_cluster() { asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory"); }

// Every warp stores 8 times in a row, `count` times over, to the next block; `stride`: words of WORDS words between lanes.
// Writes the cycles of the issue, and those until all bytes of the own block are there.
template <int WORDS> __global__ void rate(unsigned* out, int count, int stride) {
  extern __shared__ __align__(1024) unsigned s[];
  __shared__ uint64_t barrier;
  unsigned rank, size;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  if (threadIdx.x == 0) barrier_init(&barrier, 1);
  unsigned next = (rank + 1) % size, there = in_block(s, next) + threadIdx.x % 32 * stride * WORDS * 4 + threadIdx.x / 32 * 512;
  unsigned their_barrier = in_block(&barrier, next);
  for (int turn = 0; turn < TURNS; turn++) {
    if (threadIdx.x == 0) barrier_expect(&barrier, blockDim.x * WORDS * 4 * 8 * count);
    meet_cluster();
    unsigned start = tick();
    for (int i = 0; i < count; i++) {
#pragma unroll
      for (int k = 0; k < 8; k++) deliver<WORDS>(there + k * 16, their_barrier, i);
    }
    unsigned end = tick();
    barrier_wait(&barrier, turn & 1);
    unsigned all = tick();
    meet_cluster();
    if (blockIdx.x == 0 && threadIdx.x == 0) { out[0] = end - start; out[1] = all - start; }
  }
}
// Two blocks send each other a word in turn.
__global__ void ping_pong(unsigned* out, int count) {
  __shared__ uint64_t barrier;
  __shared__ unsigned word;
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) barrier_init(&barrier, 1);
  meet_cluster();
  if (threadIdx.x == 0) {
    unsigned there = in_block(&word, rank ^ 1), their_barrier = in_block(&barrier, rank ^ 1), start = tick();
    for (int i = 0; i < count; i++) {
      barrier_expect(&barrier, 4);
      if (rank == 0) deliver<1>(there, their_barrier, i);
      barrier_wait(&barrier, i & 1);
      if (rank == 1) deliver<1>(there, their_barrier, i);
    }
    if (rank == 0) out[0] = tick() - start;
  }
  meet_cluster();
}
template <int WORDS> static void rates(unsigned* out) {
  for (int cluster : {2, 4})
    for (int blocks : {cluster, 128})
      for (int warps : {1, 4, 16, 32})
        for (int stride : {1, 2, 32}) {
          if (stride * WORDS * 4 * 32 + warps * 512 > SHARED) continue;
          int few = warps > 4 ? 1 : 4, more = warps > 4 ? 3 : 20;
          unsigned short_run[2], long_run[2];
          launch(rate<WORDS>, blocks, 32 * warps, cluster, short_run, 2, out, few, stride);
          launch(rate<WORDS>, blocks, 32 * warps, cluster, long_run, 2, out, more, stride);
          double stores = 8.0 * (more - few);
          printf("rate,words %d,cluster %d,blocks %d,warps %d,stride %d,%.2f,%.2f\n", WORDS, cluster, blocks, warps, stride, (long_run[0] - short_run[0]) / stores, (long_run[1] - short_run[1]) / stores);
        }
}
int main() {
  unsigned* out;
  cudaMalloc(&out, 4096);
  for (int blocks : {2, 128}) {
    unsigned few[1], many[1];
    launch(ping_pong, blocks, 32, 2, few, 1, out, 10);
    launch(ping_pong, blocks, 32, 2, many, 1, out, 110);
    printf("round_trip,blocks %d,%.2f\n", blocks, (many[0] - few[0]) / 100.0);
  }
  rates<1>(out);
  rates<2>(out);
  rates<4>(out);
}
