// What do accesses with data-dependent addresses cost at worst: all lanes on one word, or each on a random sector? Under ncu.
//
// Each thread does one operation, then eight. "One word": all threads access the same word. "Side by side": 32 adjacent words, the
// same for every warp. "One sector each": 32 adjacent sectors, the same for every warp. "By chance": random sectors of 4 KiB, which
// stay in L2, and of more than L2 holds.

#include "kernels.cuh"

enum class Op { Load, Store, StoreSector, Add, AddReturned, AddWide, AddFloat, AddDouble, AddHalves, Max, Exchange, Swap };

constexpr const char *NAMES[] = {"load",       "store",        "store 16 bytes", "red.add.u32", "atom.add.u32", "red.add.u64",
                                 "red.add.f32", "red.add.f64", "red.add.f16x2",  "red.max.s32", "atom.exch.b32", "atom.cas.b32"};

template <Op op>
__device__ Word does(Byte *at, Word value) {
    Word old = 0;
    switch (op) {
        case Op::Load: return load<4, L2>(at);
        case Op::Store: store<4>(at, value); break;
        case Op::StoreSector: store<16>(at, value); break;
        case Op::Add: asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory"); break;
        case Op::AddReturned: asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(at), "r"(value) : "memory"); break;
        case Op::AddWide: asm volatile("red.global.add.u64 [%0], %1;" ::"l"(at), "l"(uint64_t(value)) : "memory"); break;
        case Op::AddFloat: asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(float(value)) : "memory"); break;
        case Op::AddDouble: asm volatile("red.global.add.f64 [%0], %1;" ::"l"(at), "d"(double(value)) : "memory"); break;
        case Op::AddHalves: asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(at), "r"(value & 0x3c003c00) : "memory"); break;
        case Op::Max: asm volatile("red.global.max.s32 [%0], %1;" ::"l"(at), "r"(value) : "memory"); break;
        case Op::Exchange: asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(at), "r"(value) : "memory"); break;
        case Op::Swap: asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(at), "r"(value), "r"(value + 1) : "memory"); break;
    }
    return old;
}

// Operation `i` of a thread accesses lane x `stride` or, if `sectors` is not 0, a random one of that number of sectors.
template <Op op>
__global__ void operations(Byte *to, Bytes stride, Bytes sectors, int count) {
    const Word thread = blockIdx.x * blockDim.x + threadIdx.x;
    Word sum = 0;
    for (int i = 0; i < count; i++) {
        const uint64_t random = (uint64_t(thread) + uint64_t(i) * (gridDim.x * blockDim.x) + 1) * 0x9e3779b97f4a7c15u;
        const Bytes at = sectors ? (random ^ random >> 29) * 0xbf58476d1ce4e5b9u % sectors * 32 : thread % 32 * stride;
        sum += does<op>(to + at, thread);
    }
    if (is_odd_one(sum)) store<4>(to, sum);
}

template <Op op>
void all(Byte *to, const std::vector<Bytes> &sizes) {
    auto one = [&](const char *where, Bytes stride, Bytes bytes) {
        for (int count : {1, 8}) {
            operations<op><<<8 * sms(), 256>>>(to, stride, bytes / 32, count);
            launched("%s; %s %llu KiB; %d each", NAMES[int(op)], where, bytes / KIB, count);
        }
    };
    one("one word", 0, 0);
    one("side by side", op == Op::StoreSector ? 16 : op == Op::AddWide || op == Op::AddDouble ? 8 : 4, 0);
    one("one sector each", 32, 0);
    for (Bytes bytes : sizes) one("by chance in", 0, bytes);
}

int main() {
    Byte *to = buffer(4096 * MIB);
    const std::vector<Bytes> few = {4 * KIB, 16 * MIB, 64 * MIB}, many = {4 * KIB, 16 * MIB, 64 * MIB, 256 * MIB, 1024 * MIB, 4096 * MIB};
    all<Op::Load>(to, many);
    all<Op::Store>(to, many);
    all<Op::StoreSector>(to, many);
    all<Op::Add>(to, many);
    all<Op::AddReturned>(to, few);
    all<Op::AddWide>(to, few);
    all<Op::AddFloat>(to, few);
    all<Op::AddDouble>(to, few);
    all<Op::AddHalves>(to, few);
    all<Op::Max>(to, few);
    all<Op::Exchange>(to, few);
    all<Op::Swap>(to, few);
}
