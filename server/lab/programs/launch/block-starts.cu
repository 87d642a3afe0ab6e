// How long after one block does an SM with enough room start the next?
//
// The first thread of each block stores the clock and the SM. The starts on each SM are sorted, and the mean distance is printed
// between those of the blocks that fit on the SM at the same time.

#include "kernels.cuh"

int main() {
    const int blocks = 8 * sms();
    Word *out = buffer<Word>(12 * blocks);
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
        for (int time = 0; time < 2; time++)
            stamp<<<blocks, threads>>>(out);
        check(cudaDeviceSynchronize());
        const auto stamps = fetched(out, 3 * blocks);
        // Blocks that fit on an SM at the same time, at most its 8 blocks of the grid.
        const size_t resident = std::min(2048 / threads, 8);
        double sum = 0;
        int counted = 0;
        for (int sm = 0; sm < sms(); sm++) {
            std::vector<Word> starts;
            for (int block = 0; block < blocks; block++)
                if (stamps[3 * block + 1] == Word(sm))
                    starts.push_back(stamps[3 * block]);
            std::sort(starts.begin(), starts.end(), is_before);
            if (starts.size() < resident)
                continue;
            sum += double(starts[resident - 1] - starts[0]) / (resident - 1);
            counted++;
        }
        std::printf("%d warps a block,cycles from one to the next %.1f\n", threads / 32, counted ? sum / counted : 0.0);
    }
}
