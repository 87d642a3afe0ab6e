// Tensor maps over a buffer, for TMA copies.
#pragma once

#include <cuda.h>

#include "launches.h"
#include "memory.cuh"

// Encodes a map of densely packed elements at `base`. Elements outside the tensor are read as zeros.
inline CUtensorMap encoded(const TensorMap &map, void *base) {
    static const struct {
        const char *name;
        CUtensorMapDataType type;
        uint32_t bytes;
    } TYPES[] = {{"u8", CU_TENSOR_MAP_DATA_TYPE_UINT8, 1},     {"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2},
                 {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2}, {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4},
                 {"tf32", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4}, {"i32", CU_TENSOR_MAP_DATA_TYPE_INT32, 4}};
    static const struct {
        uint32_t bytes;
        CUtensorMapSwizzle swizzle;
    } SWIZZLES[] = {{0, CU_TENSOR_MAP_SWIZZLE_NONE},
                    {32, CU_TENSOR_MAP_SWIZZLE_32B},
                    {64, CU_TENSOR_MAP_SWIZZLE_64B},
                    {128, CU_TENSOR_MAP_SWIZZLE_128B}};
    static decltype(&cuTensorMapEncodeTiled) encode = [] {
        void *entry = nullptr;
        cudaDriverEntryPointQueryResult found;
        check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
        return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry);
    }();
    const auto *type = std::find_if(std::begin(TYPES), std::end(TYPES), [&](const auto &known) { return map.type == known.name; });
    const auto *swizzle = std::find_if(std::begin(SWIZZLES), std::end(SWIZZLES), [&](const auto &known) { return map.swizzle == known.bytes; });
    if (type == std::end(TYPES) || swizzle == std::end(SWIZZLES)) throw Failure("has a tensor map of an unknown type or swizzle");
    std::vector<cuuint64_t> sides(map.sides.begin(), map.sides.end()), strides;
    std::vector<cuuint32_t> box(map.box.begin(), map.box.end()), steps(map.sides.size(), 1);
    cuuint64_t bytes = type->bytes;
    for (size_t at = 0; at + 1 < sides.size(); ++at) strides.push_back(bytes *= sides[at]);
    CUtensorMap result;
    if (encode(&result, type->type, cuuint32_t(sides.size()), base, sides.data(), strides.data(), box.data(), steps.data(),
               CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle->swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        throw Failure("has a tensor map that the driver rejects");
    return result;
}
