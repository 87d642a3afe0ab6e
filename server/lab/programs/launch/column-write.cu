// How many lines do stores reach in a cycle when each lane writes a row of its own? Under ncu.
//
// Each warp writes one word in 32 rows of a matrix, each block a square's worth: partly written sectors that meet in L2 only.

#include "kernels.cuh"

int main() {
    Byte *to = buffer(256 * MIB);
    for (int side : {1024, 2048, 4096, 4128, 8192}) {
        columns<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(to, side);
        launched("%d rows and columns", side);
    }
}
