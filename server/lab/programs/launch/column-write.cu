// How many lines per cycle do stores reach if each lane writes to a different row? Under ncu.
//
// Each warp writes one word in each of 32 rows of a matrix, and the 8 warps of a block a sector in each: L2 merges the parts.

#include "kernels.cuh"

int main() {
    Byte *to = buffer(256 * MIB);
    for (int side : {1024, 2048, 4096, 4128, 8192}) {
        columns<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(to, side);
        launched("%d rows and columns", side);
    }
}
