// Barriers, fences, matrix moves, remote shared memory, votes, textures, atomics, local memory: `first` is the time of one, `slope` the
// time that each further one adds. Lines: NAME,warps,first,slope.
#include "bench.cuh"

// Times FEW and MANY repetitions of a statement in every warp of a block; the statement may use i, x (a word of each lane), s (shared),
// g (global), lane and barriers.
#define CASE(NAME, MANY, SETUP, ...)                                                              \
  template <int COUNT> __global__ void NAME(unsigned* out, unsigned* g) {                       \
    extern __shared__ __align__(1024) unsigned s[];                                             \
    __shared__ uint64_t barriers[64];                                                           \
    unsigned x = threadIdx.x * 0, lane = threadIdx.x % 32, warp = threadIdx.x / 32, y = 0;      \
    (void)lane; (void)warp; (void)y; (void)barriers;                                            \
    if (threadIdx.x == 0) for (int i = 0; i < 64; i++) barrier_init(barriers + i, i < 48 ? 1 : 32);\
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = 0;                              \
    SETUP;                                                                                      \
    for (int turn = 0; turn < TURNS; turn++) {                                                  \
      __syncthreads();                                                                          \
      unsigned start = tick();                                                                  \
      _Pragma("unroll") for (int i = 0; i < COUNT; i++) { __VA_ARGS__; }                          \
      unsigned end = tick();                                                                    \
      __syncthreads();                                                                          \
      unsigned all = tick();                                                                    \
      if (turn == TURNS - 1 && threadIdx.x == 0) { out[0] = end - start; out[1] = all - start; } \
    }                                                                                           \
    if (x + y == 12345) out[2] = x;                                                             \
  }                                                                                             \
  static void run_##NAME(unsigned* out, unsigned* g) {                                          \
    for (int warps : {1, 4, 8, 16, 32}) {                                                       \
      unsigned few[2], many[2];                                                                 \
      launch(NAME<4>, 1, 32 * warps, 1, few, 2, out, g);                                        \
      launch(NAME<4 + MANY>, 1, 32 * warps, 1, many, 2, out, g);                                \
      printf(#NAME ",%d,%u,%.2f,%u,%.2f\n", warps, few[0], (many[0] - few[0]) / double(MANY), few[1], (many[1] - few[1]) / double(MANY)); \
    }                                                                                           \
  }

CASE(ldmatrix_x1, 16, , asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(shared_address(s) + lane * 16 + (x & 1) * 16) : "memory"))
CASE(ldmatrix_x4, 16, , { unsigned a, b, c; asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(a), "=r"(b), "=r"(c) : "r"(shared_address(s) + lane * 16 + (x & 1) * 16) : "memory"); })
CASE(ldmatrix_x1_free, 16, , { unsigned a; asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(shared_address(s) + lane * 16) : "memory"); y ^= a; })
CASE(ldmatrix_x2_free, 16, , { unsigned a, b; asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(shared_address(s) + lane * 16) : "memory"); y ^= a ^ b; })
CASE(ldmatrix_x4_free, 16, , { unsigned a, b, c, d; asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(d), "=r"(a), "=r"(b), "=r"(c) : "r"(shared_address(s) + lane * 16) : "memory"); y ^= a ^ b ^ c ^ d; })
CASE(ldmatrix_x4_trans_free, 16, , { unsigned a, b, c, d; asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(d), "=r"(a), "=r"(b), "=r"(c) : "r"(shared_address(s) + lane * 16) : "memory"); y ^= a ^ b ^ c ^ d; })
CASE(ldmatrix_x4_conflict, 16, , { unsigned a, b, c, d; asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(d), "=r"(a), "=r"(b), "=r"(c) : "r"(shared_address(s) + lane * 128) : "memory"); y ^= a ^ b ^ c ^ d; })
CASE(stmatrix_x1, 16, , asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(shared_address(s) + lane * 16), "r"(x) : "memory"))
CASE(stmatrix_x4, 16, , asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%1,%1,%1};" ::"r"(shared_address(s) + lane * 16), "r"(x) : "memory"))
CASE(stmatrix_x4_conflict, 16, , asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%1,%1,%1};" ::"r"(shared_address(s) + lane * 128), "r"(x) : "memory"))
CASE(stmatrix_then_load, 8, , { asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(shared_address(s) + lane * 16), "r"(x) : "memory"); x ^= ((volatile unsigned*)s)[lane]; })

CASE(mbarrier_arrive, 16, , if (lane == 0) barrier_arrive(barriers + warp))
CASE(mbarrier_arrive_all, 16, , barrier_arrive(barriers + 48 + warp % 16))
CASE(mbarrier_arrive_state, 8, , if (lane == 0) { uint64_t state; asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(barriers + warp) + (x & 8)) : "memory"); x ^= unsigned(state) & 1; })
CASE(mbarrier_expect, 16, , if (lane == 0) asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(shared_address(barriers + warp)) : "memory"))
CASE(mbarrier_try_ready, 16, , x += barrier_try(barriers + warp, 1))
CASE(mbarrier_test_ready, 16, , { unsigned done; asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(shared_address(barriers + warp)), "r"(1) : "memory"); x += done; })
CASE(mbarrier_ring, 8, unsigned phase = 0, { if (lane == 0) barrier_arrive(barriers + warp); barrier_wait(barriers + warp, phase); phase ^= 1; })
CASE(mbarrier_try_times_out, 1, , if (warp == 0) { unsigned done; asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0, 1000; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(shared_address(barriers + 32)) : "memory"); x += done; })
CASE(barrier_block, 16, , asm volatile("bar.sync 0;" ::: "memory"))
CASE(barrier_named, 16, , asm volatile("bar.sync %0, %1;" ::"r"(1 + (warp / 4 & 7)), "r"(blockDim.x < 128 ? blockDim.x : 128) : "memory"))
CASE(syncwarp, 16, , { __syncwarp(); asm volatile("" ::: "memory"); })
CASE(fence_cta, 8, , __threadfence_block())
CASE(fence_gpu, 8, , __threadfence())
CASE(fence_system, 4, , __threadfence_system())
CASE(fence_gpu_after_store, 4, , { ((volatile unsigned*)g)[threadIdx.x] = x; __threadfence(); })
CASE(fence_proxy, 8, , asm volatile("fence.proxy.async.shared::cta;" ::: "memory"))
CASE(fence_proxy_all, 8, , asm volatile("fence.proxy.async;" ::: "memory"))
CASE(fence_proxy_after_store, 8, , { ((volatile unsigned*)s)[threadIdx.x] = x; asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); })
CASE(load_acquire, 4, , { unsigned v; asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(g + lane + (x & 1)) : "memory"); x ^= v & 1; })
CASE(store_release, 4, , asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(g + lane), "r"(x) : "memory"))
CASE(load_strong, 4, , x ^= ((volatile unsigned*)g)[lane + (x & 1)] & 1)

CASE(ballot, 16, , x += __ballot_sync(~0u, x & 1))
CASE(vote_all, 16, , x += __all_sync(~0u, x & 1))
CASE(match_any, 8, , x ^= __match_any_sync(~0u, lane + (x & 2)) & 1)
CASE(match_all, 8, , { int p; x ^= __match_all_sync(~0u, x & 2, &p) & 1; })
CASE(redux_add, 8, , x += __reduce_add_sync(~0u, x & 1))
CASE(redux_and, 8, , x ^= __reduce_and_sync(~0u, x | 1) & 1)
CASE(shuffle, 16, , x = __shfl_xor_sync(~0u, x, 1))
CASE(shuffle_free, 16, , y ^= __shfl_xor_sync(~0u, lane + i, 1))
CASE(elect, 16, , { unsigned p; asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(p)); x += p; })
CASE(nanosleep, 2, , __nanosleep(20))

CASE(shared_atomic_own, 8, , y ^= atomicAdd(s + threadIdx.x, 1))
CASE(shared_atomic_one, 8, , y ^= atomicAdd(s, 1))
CASE(shared_atomic_chain, 8, , x = atomicAdd(s + threadIdx.x + (x & 1), 0) & 1)
CASE(shared_red_own, 8, , atomicAdd(s + threadIdx.x, 1))
CASE(shared_red_four, 8, , atomicAdd(s + threadIdx.x / 4, 1))
CASE(shared_red_one, 8, , atomicAdd(s, 1))
CASE(shared_red_bank, 8, , atomicAdd(s + (lane * 32 + warp) % 8192, 1))
CASE(shared_float_own, 8, , atomicAdd((float*)s + threadIdx.x, 1.f))
CASE(shared_float_four, 4, , atomicAdd((float*)s + threadIdx.x / 4, 1.f))
CASE(shared_float_one, 2, , atomicAdd((float*)s, 1.f))
CASE(shared_cas_own, 8, , y ^= atomicCAS(s + threadIdx.x, 0, 1))
CASE(shared_exch_own, 8, , y ^= atomicExch(s + threadIdx.x, 1))
CASE(shared_max_one, 8, , atomicMax(s, x + i))
CASE(global_red_own, 8, , atomicAdd(g + threadIdx.x, 1))
CASE(global_red_one, 8, , atomicAdd(g, 1))
CASE(global_red_float_own, 8, , atomicAdd((float*)g + threadIdx.x, 1.f))
CASE(global_red_float_one, 8, , atomicAdd((float*)g, 1.f))
CASE(global_red_spread, 8, , atomicAdd(g + threadIdx.x * 32 + i * 32768, 1))
CASE(global_atomic_chain, 4, , x = atomicAdd(g + threadIdx.x + (x & 1), 0) & 1)
CASE(global_atomic_one_chain, 4, , x = atomicAdd(g + (x & 1), 0) & 1)
CASE(global_cas_chain, 4, , x = atomicCAS(g + threadIdx.x + (x & 1), 5, 1) & 1)
CASE(global_red_vector, 4, , asm volatile("red.global.add.v4.f32 [%0], {%1,%1,%1,%1};" ::"l"((float*)g + threadIdx.x * 4), "f"(1.f) : "memory"))

__global__ void texture(unsigned* out, cudaTextureObject_t t, int count, int spread, bool linear) {
  float x = 0, sum = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    __syncthreads();
    unsigned start = tick();
    for (int i = 0; i < count; i++) {
      float at = (threadIdx.x % 32) * spread + x;
      x = tex2D<float>(t, at + (linear ? .3f : .5f), threadIdx.x / 32 + .5f) * 0;
      sum += x;
    }
    unsigned end = tick();
    __syncthreads();
    if (threadIdx.x == 0) { out[0] = end - start; out[1] = tick() - start; }
  }
  if (sum == 7) out[3] = 1;
}
__global__ void texture_free(unsigned* out, cudaTextureObject_t t, int count, int spread) {
  float sum = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    __syncthreads();
    unsigned start = tick();
#pragma unroll 8
    for (int i = 0; i < count; i++) sum += tex2D<float>(t, (threadIdx.x % 32) * spread + .5f, i + threadIdx.x / 32 + .5f);
    unsigned end = tick();
    __syncthreads();
    if (threadIdx.x == 0) { out[0] = end - start; out[1] = tick() - start; }
  }
  if (sum == 7) out[3] = 1;
}
__global__ void surface(unsigned* out, cudaSurfaceObject_t t, int count, bool write) {
  float sum = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    __syncthreads();
    unsigned start = tick();
#pragma unroll 8
    for (int i = 0; i < count; i++) {
      float x = 0;
      if (write) surf2Dwrite(1.f, t, threadIdx.x % 32 * 4, i + threadIdx.x / 32);
      else surf2Dread(&x, t, threadIdx.x % 32 * 4, i + threadIdx.x / 32);
      sum += x;
    }
    unsigned end = tick();
    __syncthreads();
    if (threadIdx.x == 0) { out[0] = end - start; out[1] = tick() - start; }
  }
  if (sum == 7) out[3] = 1;
}

// Remote shared memory and the barrier of a cluster.
__global__ void remote(unsigned* out, int kind, int count, int distance) {
  extern __shared__ __align__(1024) unsigned s[];
  unsigned rank, size, x = 0, y = 0;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = 0;
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(s)), "r"((rank + distance) % size));
  there += threadIdx.x * (kind == 2 ? 16 : 4);
  for (int turn = 0; turn < TURNS; turn++) {
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    unsigned start = tick();
    for (int i = 0; i < count; i++) {
      if (kind == 0) { unsigned v; asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(there + (x & 4)) : "memory"); x ^= v & 1; }
      if (kind == 1) { unsigned v; asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(there + i % 8 * 4096) : "memory"); y ^= v; }
      if (kind == 2) { unsigned a, b, c, d; asm volatile("ld.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(there + i % 8 * 16384) : "memory"); y ^= a ^ b ^ c ^ d; }
      if (kind == 3) asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there + i % 8 * 4096), "r"(x) : "memory");
      if (kind == 4) { unsigned v; asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(there + (x & 4)) : "memory"); x ^= v & 1 & ~v; }
      if (kind == 5) asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(there) : "memory");
      if (kind == 6) asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
      if (kind == 7) asm volatile("barrier.cluster.arrive.relaxed; barrier.cluster.wait;" ::: "memory");
    }
    unsigned end = tick();
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    unsigned all = tick();
    if (blockIdx.x == 0 && threadIdx.x == 0) { out[0] = end - start; out[1] = all - start; }
  }
  if (x + y == 12345) out[2] = 1;
}
// From an arrive at a neighbour's mbarrier until the neighbour's wait sees it, and back: half of a round trip.
__global__ void remote_signal(unsigned* out, int rounds) {
  __shared__ uint64_t barrier;
  unsigned rank, there;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) barrier_init(&barrier, 1);
  asm volatile("fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(&barrier)), "r"(rank ^ 1));
  if (threadIdx.x == 0) {
    unsigned start = tick(), phase = 0;
    for (int i = 0; i < rounds; i++) {
      if (rank == 0) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
      barrier_wait(&barrier, phase);
      if (rank == 1) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
      phase ^= 1;
    }
    if (rank == 0) out[0] = tick() - start;
  }
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}
// An array of each thread in local memory: bytes touched a thread, words a step.
template <int WORDS> __global__ void local_memory(unsigned* out, const int* order, int count) {
  volatile unsigned a[WORDS];
  for (int i = 0; i < WORDS; i++) a[i] = i;
  unsigned sum = 0;
  __syncthreads();
  unsigned start = tick();
#pragma unroll 4
  for (int i = 0; i < count; i++) sum += a[i % WORDS];
  unsigned read = tick();
#pragma unroll 4
  for (int i = 0; i < count; i++) a[i % WORDS] = sum + i;
  __syncthreads();
  unsigned end = tick();
  if (blockIdx.x == 0 && threadIdx.x == 0) { out[0] = read - start; out[1] = end - read; }
  if (sum == 3) out[2] = a[order[0]];
}
template <int WORDS> static void local_cases(unsigned* out, const int* order) {
  for (int warps : {1, 8, 32})
    for (int count : {64, 512}) {
      unsigned t[2];
      launch(local_memory<WORDS>, 1, 32 * warps, 1, t, 2, out, order, count);
      printf("local,words %d,warps %d,count %d,read %u,written %u\n", WORDS, warps, count, t[0], t[1]);
    }
}
// The clock of an SM against the time, while all SMs run.
__global__ void clock_rate(unsigned* out, unsigned long long nanoseconds) {
  unsigned long long t0, t1, c0 = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
  while (t1 - t0 < nanoseconds);
  if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = unsigned((clock64() - c0) * 1000 / (t1 - t0));
}

int main() {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  unsigned *out, *g;
  cudaMalloc(&out, 4096);
  cudaMalloc(&g, 64 << 20);
  cudaMemset(g, 0, 64 << 20);
  unsigned t[4];
  launch(clock_rate, 132, 32, 1, t, 1, out, 20000000ull);
  printf("clock_mhz,%u\n", t[0]);
#define RUN(NAME) run_##NAME(out, g);
  RUN(ldmatrix_x1) RUN(ldmatrix_x4) RUN(ldmatrix_x1_free) RUN(ldmatrix_x2_free) RUN(ldmatrix_x4_free) RUN(ldmatrix_x4_trans_free) RUN(ldmatrix_x4_conflict)
  RUN(stmatrix_x1) RUN(stmatrix_x4) RUN(stmatrix_x4_conflict) RUN(stmatrix_then_load)
  RUN(mbarrier_arrive) RUN(mbarrier_arrive_all) RUN(mbarrier_arrive_state) RUN(mbarrier_expect) RUN(mbarrier_try_ready) RUN(mbarrier_test_ready) RUN(mbarrier_ring) RUN(mbarrier_try_times_out)
  RUN(barrier_block) RUN(barrier_named) RUN(syncwarp) RUN(fence_cta) RUN(fence_gpu) RUN(fence_system) RUN(fence_gpu_after_store) RUN(fence_proxy) RUN(fence_proxy_all) RUN(fence_proxy_after_store)
  RUN(load_acquire) RUN(store_release) RUN(load_strong)
  RUN(ballot) RUN(vote_all) RUN(match_any) RUN(match_all) RUN(redux_add) RUN(redux_and) RUN(shuffle) RUN(shuffle_free) RUN(elect) RUN(nanosleep)
  RUN(shared_atomic_own) RUN(shared_atomic_one) RUN(shared_atomic_chain) RUN(shared_red_own) RUN(shared_red_four) RUN(shared_red_one) RUN(shared_red_bank)
  RUN(shared_float_own) RUN(shared_float_four) RUN(shared_float_one) RUN(shared_cas_own) RUN(shared_exch_own) RUN(shared_max_one)
  RUN(global_red_own) RUN(global_red_one) RUN(global_red_float_own) RUN(global_red_float_one) RUN(global_red_spread) RUN(global_atomic_chain) RUN(global_atomic_one_chain) RUN(global_cas_chain) RUN(global_red_vector)

  cudaArray_t array;
  auto channel = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &channel, 4096, 4096, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  for (int linear : {0, 1}) {
    cudaTextureDesc description = {};
    description.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    cudaTextureObject_t object;
    cudaCreateTextureObject(&object, &resource, &description, nullptr);
    for (int warps : {1, 4, 16, 32})
      for (int spread : {1, 4, 64})
        for (int count : {8, 40}) {
          launch(texture, 1, 32 * warps, 1, t, 2, out, object, count, spread, bool(linear));
          printf("texture_chain,linear %d,warps %d,spread %d,count %d,%u,%u\n", linear, warps, spread, count, t[0], t[1]);
          launch(texture_free, 1, 32 * warps, 1, t, 2, out, object, count, spread);
          printf("texture_free,linear %d,warps %d,spread %d,count %d,%u,%u\n", linear, warps, spread, count, t[0], t[1]);
        }
  }
  cudaSurfaceObject_t object;
  cudaCreateSurfaceObject(&object, &resource);
  for (int warps : {1, 4, 16, 32})
    for (int write : {0, 1})
      for (int count : {8, 40}) {
        launch(surface, 1, 32 * warps, 1, t, 2, out, object, count, bool(write));
        printf("surface,write %d,warps %d,count %d,%u,%u\n", write, warps, count, t[0], t[1]);
      }
  for (int size : {2, 4, 8, 16})
    for (int warps : {1, 4, 16, 32})
      for (int kind = 0; kind < 8; kind++)
        for (int distance : {0, 1}) {
          unsigned few[2], many[2];
          launch(remote, size, 32 * warps, size, few, 2, out, kind, 8, distance);
          launch(remote, size, 32 * warps, size, many, 2, out, kind, 72, distance);
          printf("remote,kind %d,cluster %d,warps %d,distance %d,%u,%.2f,%.2f\n", kind, size, warps, distance, few[0], (many[0] - few[0]) / 64.0, (many[1] - few[1]) / 64.0);
        }
  {
    unsigned few, many;
    launch(remote_signal, 2, 32, 2, &few, 1, out, 8);
    launch(remote_signal, 2, 32, 2, &many, 1, out, 72);
    printf("remote_signal,%.2f\n", (many - few) / 128.0);
  }
  local_cases<16>(out, (int*)g);
  local_cases<64>(out, (int*)g);
  local_cases<256>(out, (int*)g);
}
