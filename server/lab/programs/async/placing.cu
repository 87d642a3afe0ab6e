// On which SMs do the blocks of clusters run? Clusters of small blocks with atomics on each other's shared memory. Prints how many blocks each SM runs
// and the cycles from the first start to the last end, by the size of a cluster, the number of clusters and of threads.
#include <algorithm>
#include <cooperative_groups.h>
#include <map>
#include <vector>
#include "bench.cuh"
namespace cg = cooperative_groups;

__device__ unsigned smid() { unsigned id; asm volatile("mov.u32 %0, %%smid;" : "=r"(id)); return id; }
__device__ unsigned long long now() { unsigned long long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }

// Each thread adds `each` times to one of `words` words of a block of its cluster.
__global__ void scatter(unsigned *sms, unsigned long long *times, unsigned words, int each) {
  __shared__ unsigned bins[1024];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned blocks = cluster.num_blocks();
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) bins[i] = 0;
  unsigned long long start = now();
  cluster.sync();
  unsigned x = mixed(blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = 0; i < each; i++) {
    x = mixed(x + i);
    atomicAdd(cluster.map_shared_rank(bins, (x >> 20) % blocks) + x % words, 1u);
  }
  cluster.sync();
  if (threadIdx.x == 0) sms[blockIdx.x] = smid(), times[2 * blockIdx.x] = start, times[2 * blockIdx.x + 1] = now();
}

int main() {
  unsigned *sms; unsigned long long *times;
  cudaMalloc(&sms, 4 * 4096); cudaMalloc(&times, 16 * 4096);
  printf("cluster,clusters,threads,words,sms,most_blocks,nanoseconds,block_nanoseconds,sms_by_blocks\n");
  for (unsigned cluster : {1u, 2u, 4u, 8u}) for (unsigned blocks : {64u, 128u, 256u, 512u, 1024u}) for (int threads : {128, 256, 512}) for (unsigned words : {32u, 1024u}) {
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks; config.blockDim = threads;
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension; attribute.val.clusterDim = {cluster, 1, 1};
    config.attrs = &attribute; config.numAttrs = 1;
    for (int turn = 0; turn < 3; turn++) cudaLaunchKernelEx(&config, scatter, sms, times, words, 64);
    std::vector<unsigned> sm(blocks); std::vector<unsigned long long> t(2 * blocks);
    cudaMemcpy(sm.data(), sms, 4 * blocks, cudaMemcpyDeviceToHost); cudaMemcpy(t.data(), times, 16 * blocks, cudaMemcpyDeviceToHost);
    std::map<unsigned, int> count; std::map<int, int> by;
    unsigned long long first = ~0ull, last = 0; double mean = 0;
    for (unsigned b = 0; b < blocks; b++) count[sm[b]]++, first = std::min(first, t[2 * b]), last = std::max(last, t[2 * b + 1]), mean += double(t[2 * b + 1] - t[2 * b]) / blocks;
    int most = 0;
    for (auto [id, n] : count) by[n]++, most = std::max(most, n);
    printf("%u,%u,%d,%u,%zu,%d,%llu,%.0f,", cluster, blocks / cluster, threads, words, count.size(), most, last - first, mean);
    for (auto [n, many] : by) printf("%dx%d ", many, n);
    printf("\n");
  }
  // SMs that ran blocks of one cluster are in one GPC.
  std::vector<int> gpc(256); for (int i = 0; i < 256; i++) gpc[i] = i;
  std::map<unsigned, std::map<unsigned, int>> used;
  auto root = [&](int i) { while (gpc[i] != i) i = gpc[i]; return i; };
  for (unsigned cluster : {2u, 4u, 8u}) for (int turn = 0; turn < 20; turn++) {
    cudaLaunchConfig_t config = {};
    config.gridDim = 512 + 64 * turn; config.blockDim = 256;
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension; attribute.val.clusterDim = {cluster, 1, 1};
    config.attrs = &attribute; config.numAttrs = 1;
    cudaLaunchKernelEx(&config, scatter, sms, times, 1024u, 16);
    std::vector<unsigned> sm(config.gridDim.x);
    cudaMemcpy(sm.data(), sms, 4 * sm.size(), cudaMemcpyDeviceToHost);
    for (size_t b = 0; b < sm.size(); b++) used[cluster][sm[b]]++, gpc[root(sm[b])] = root(sm[b / cluster * cluster]);
  }
  std::map<int, std::vector<unsigned>> members;
  for (auto [id, n] : used[2]) members[root(id)].push_back(id);
  for (auto &[r, list] : members) {
    printf("gpc,%zu,", list.size());
    for (unsigned id : list) printf("%u:%d:%d ", id, used[4].count(id) ? used[4][id] : 0, used[8].count(id) ? used[8][id] : 0);
    printf("\n");
  }
  cudaFuncSetAttribute(scatter, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  cudaFuncSetAttribute(scatter, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);
  for (int shared : {200 * 1024, 100 * 1024, 60 * 1024}) for (unsigned cluster = 1; cluster <= 16; cluster++) {
    cudaLaunchConfig_t config = {};
    config.gridDim = cluster * 100; config.blockDim = 256; config.dynamicSmemBytes = shared;
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension; attribute.val.clusterDim = {cluster, 1, 1};
    config.attrs = &attribute; config.numAttrs = 1;
    int count = 0; cudaOccupancyMaxActiveClusters(&count, scatter, &config);
    printf("active,%d,%u,%d\n", shared, cluster, count);
  }
  if (auto e = cudaGetLastError()) printf("error %s\n", cudaGetErrorString(e));
}
