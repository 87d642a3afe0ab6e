// Reads a description of launches: one launch per line, words separated by spaces. lab/programs/compare/README.md documents the
// notation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// Content of a buffer before a launch. Kinds from `Below` on have a `bound`: the values are less than it, or it is the number of
// entries per row.
enum class Content { Zero, Clocks, Unit, Signed, Double, Half, Brain, Bits, Below, Bytes, Rows, UnevenRows };

struct Filling {
    Content content;
    uint32_t bound;
};

// A tensor map over a buffer. `sides` and `box` are in elements, the fastest-varying dimension first. `swizzle` is in bytes; 0 means no
// swizzle.
struct TensorMap {
    std::string type;
    std::vector<uint32_t> sides, box;
    uint32_t swizzle = 0;
};

struct Argument {
    // Contents that successive seeds use in turn. Empty for a number.
    std::vector<Filling> fillings;
    // Number of elements, and their total size in bytes.
    size_t count = 0, bytes = 0;
    // Warps or blocks race for the contents, so two correct programs may leave different bytes.
    bool is_racing = false;
    // The bytes of a number, as the kernel receives them.
    uint64_t number = 0;
    // Tensor map over the buffer, which the kernel receives instead of the address. Without sides, the kernel receives the address.
    TensorMap map;

    bool is_buffer() const { return !fillings.empty(); }
    bool is_clocks() const { return is_buffer() && fillings[0].content == Content::Clocks; }
    bool is_compared() const { return is_buffer() && !is_racing && !is_clocks(); }
};

struct Launch {
    std::string name, function;
    std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
    uint32_t dynamic_shared = 0;
    // The kernel reads shared memory that it has not written, so shared memory is filled before the launch.
    bool reads_stale_shared = false;
    std::vector<Argument> arguments;

    uint32_t threads() const { return block[0] * block[1] * block[2]; }
    bool is_clustered() const { return cluster[0] * cluster[1] * cluster[2] > 1; }
    uint64_t blocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
    uint32_t warps() const { return (threads() + 31) / 32; }
};

struct Expected : std::runtime_error {
    explicit Expected(const std::string &what) : std::runtime_error("expected " + what) {}
};

namespace reading {

inline std::vector<std::string> split(const std::string &text, char at) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
    return parts;
}

inline uint64_t whole(const std::string &text) {
    char *end = nullptr;
    uint64_t value = std::strtoull(text.c_str(), &end, 0);
    if (text.empty() || *end || text[0] == '-') throw Expected("a whole number, not `" + text + "`");
    return value;
}

inline std::array<uint32_t, 3> extent(const std::string &text) {
    std::array<uint32_t, 3> sides{1, 1, 1};
    std::vector<std::string> parts = split(text, ',');
    if (parts.empty() || parts.size() > 3) throw Expected("one to three sides, not `" + text + "`");
    for (size_t at = 0; at < parts.size(); ++at) sides[at] = uint32_t(whole(parts[at]));
    return sides;
}

inline Filling filling(const std::string &text) {
    static const struct {
        const char *name;
        Content content;
    } NAMES[] = {{"zero", Content::Zero},     {"clocks", Content::Clocks}, {"unit", Content::Unit},
                 {"signed", Content::Signed}, {"double", Content::Double}, {"half", Content::Half},
                 {"bfloat", Content::Brain},  {"bits", Content::Bits},     {"below", Content::Below},
                 {"bytes", Content::Bytes},   {"rows", Content::Rows},     {"uneven-rows", Content::UnevenRows}};
    size_t sign = text.find('=');
    std::string name = text.substr(0, sign);
    for (const auto &known : NAMES) {
        if (name != known.name) continue;
        bool is_bound = known.content >= Content::Below;
        if (is_bound != (sign != std::string::npos)) throw Expected(name + (is_bound ? "=NUMBER" : " without `=NUMBER`"));
        uint32_t bound = is_bound ? uint32_t(whole(text.substr(sign + 1))) : 0;
        if (is_bound && !bound) throw Expected("a bound greater than 0 in `" + text + "`");
        return {known.content, bound};
    }
    throw Expected("a content or a type of number, not `" + name + "`");
}

inline size_t element_bytes(Content content) {
    switch (content) {
        case Content::Bytes: return 1;
        case Content::Half:
        case Content::Brain: return 2;
        case Content::Double:
        case Content::Clocks: return 8;
        default: return 4;
    }
}

template <class Number>
uint64_t as_bytes(Number number) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, &number, sizeof number);
    return bytes;
}

// Parses `text` as a number and stores its bytes. Returns false if `type` is not a type of number.
inline bool number(const std::string &type, const std::string &text, uint64_t &bytes) {
    char *end = nullptr;
    if (type == "i32")
        bytes = as_bytes(int32_t(std::strtoll(text.c_str(), &end, 0)));
    else if (type == "i64")
        bytes = as_bytes(int64_t(std::strtoll(text.c_str(), &end, 0)));
    else if (type == "f32")
        bytes = as_bytes(std::strtof(text.c_str(), &end));
    else if (type == "f64")
        bytes = as_bytes(std::strtod(text.c_str(), &end));
    else
        return false;
    if (text.empty() || *end) throw Expected("a number, not `" + text + "`");
    return true;
}

inline Argument argument(std::string word) {
    static const std::string RACING = "racing:";
    Argument argument;
    if (word.compare(0, RACING.size(), RACING) == 0) {
        argument.is_racing = true;
        word.erase(0, RACING.size());
    }
    size_t colon = word.find(':');
    if (colon == std::string::npos) throw Expected("CONTENT:ELEMENTS or TYPE:NUMBER, not `" + word + "`");
    std::string kind = word.substr(0, colon), value = word.substr(colon + 1);
    if (number(kind, value, argument.number)) return argument;
    for (const std::string &part : split(kind, '|')) argument.fillings.push_back(filling(part));
    if (argument.fillings.empty()) throw Expected("a content before `:`");
    size_t element = element_bytes(argument.fillings[0].content);
    for (const Filling &filling : argument.fillings)
        if (element_bytes(filling.content) != element) throw Expected("elements of one size in `" + kind + "`");
    argument.count = whole(value);
    argument.bytes = argument.count * element;
    if (!argument.bytes) throw Expected("at least one element in `" + word + "`");
    return argument;
}

inline std::vector<uint32_t> sides(const std::string &text) {
    std::vector<uint32_t> sides;
    for (const std::string &part : split(text, 'x')) sides.push_back(uint32_t(whole(part)));
    return sides;
}

// Reads `TYPE,SIDES,BOX,SWIZZLE:CONTENT:ELEMENTS`.
inline Argument mapped(const std::string &text) {
    size_t colon = text.find(':');
    std::vector<std::string> parts = split(text.substr(0, colon), ',');
    if (parts.size() != 4 || colon == std::string::npos) throw Expected("tensor=TYPE,SIDES,BOX,SWIZZLE:CONTENT:ELEMENTS");
    Argument result = argument(text.substr(colon + 1));
    result.map = {parts[0], sides(parts[1]), sides(parts[2]), uint32_t(whole(parts[3]))};
    if (!result.is_buffer() || result.map.sides.empty() || result.map.sides.size() != result.map.box.size())
        throw Expected("a buffer, and as many sides of the box as of the tensor, in `" + text + "`");
    return result;
}

inline Launch launch(const std::string &line) {
    Launch launch;
    std::istringstream words(line);
    words >> launch.name >> launch.function;
    if (launch.function.empty()) throw Expected("NAME FUNCTION");
    for (std::string word; words >> word;) {
        size_t sign = word.find('='), colon = word.find(':');
        if (sign == std::string::npos || colon < sign) {
            launch.arguments.push_back(argument(word));
            continue;
        }
        std::string key = word.substr(0, sign), value = word.substr(sign + 1);
        if (key == "grid")
            launch.grid = extent(value);
        else if (key == "block")
            launch.block = extent(value);
        else if (key == "cluster")
            launch.cluster = extent(value);
        else if (key == "shared")
            launch.dynamic_shared = uint32_t(whole(value));
        else if (key == "tensor")
            launch.arguments.push_back(mapped(value));
        else if (key == "stale-shared")
            launch.reads_stale_shared = whole(value) != 0;
        else
            launch.arguments.push_back(argument(word));
    }
    return launch;
}

}  // namespace reading

// Reads all launches of a file. A syntax error is thrown with file, line and what was expected.
inline std::vector<Launch> read_launches(const std::string &path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    std::vector<Launch> launches;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        line.erase(std::min(line.find('#'), line.size()));
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        try {
            launches.push_back(reading::launch(line));
        } catch (const Expected &expected) {
            throw std::runtime_error(path + ":" + std::to_string(number) + ": " + expected.what());
        }
    }
    return launches;
}
