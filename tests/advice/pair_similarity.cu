// The likeness of many pairs of vectors, such as a text and its translation: their dot product over both
// their lengths. A block does a pair, and adds up the three dot products together.
//
// Re-written from NVIDIA's sample scalarProd.

#include "bench.h"

constexpr int THREADS = 256;

__global__ void pair_similarity(const float *__restrict__ texts, const float *__restrict__ translations,
                                float *__restrict__ similarities, int dimensions) {
    __shared__ float cross[THREADS];
    __shared__ float text_square[THREADS];
    __shared__ float translation_square[THREADS];

    const int thread = threadIdx.x;
    const float *text = texts + (size_t)blockIdx.x * dimensions;
    const float *translation = translations + (size_t)blockIdx.x * dimensions;
    float own_cross = 0.0f, own_text = 0.0f, own_translation = 0.0f;
    for (int i = thread; i < dimensions; i += THREADS) {
        own_cross += text[i] * translation[i];
        own_text += text[i] * text[i];
        own_translation += translation[i] * translation[i];
    }
    cross[thread] = own_cross;
    text_square[thread] = own_text;
    translation_square[thread] = own_translation;
    __syncthreads();

    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (thread < half) {
            cross[thread] += cross[thread + half];
            text_square[thread] += text_square[thread + half];
            translation_square[thread] += translation_square[thread + half];
        }
        __syncthreads();
    }

    if (thread == 0) {
        similarities[blockIdx.x] = cross[0] * rsqrtf(text_square[0] * translation_square[0]);
    }
}

int main() {
    const int pairs = 1 << 16;
    const int dimensions = 768;

    Random random(27);
    std::vector<float> texts((size_t)pairs * dimensions), translations(texts.size());
    for (size_t i = 0; i < texts.size(); i++) {
        texts[i] = random.between(-1.0f, 1.0f);
        translations[i] = texts[i] + random.between(-1.0f, 1.0f);
    }
    float *d_texts = to_device(texts);
    float *d_translations = to_device(translations);
    float *d_similarities = device_array<float>(pairs);

    const float milliseconds = measure(
        [&] { pair_similarity<<<pairs, THREADS>>>(d_texts, d_translations, d_similarities, dimensions); });

    const std::vector<float> similarities = to_host(d_similarities, pairs);
    bool ok = true;
    for (int pair = 0; pair < pairs; pair++) {
        double cross = 0.0, text_square = 0.0, translation_square = 0.0;
        for (int d = 0; d < dimensions; d++) {
            const double text = texts[(size_t)pair * dimensions + d];
            const double translation = translations[(size_t)pair * dimensions + d];
            cross += text * translation;
            text_square += text * text;
            translation_square += translation * translation;
        }
        ok = ok && close(similarities[pair], cross / std::sqrt(text_square * translation_square), 1e-4, 1.0);
    }
    return report("pair_similarity", ok, milliseconds);
}
