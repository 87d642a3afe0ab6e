// Runs the same launches of two cubins on random inputs. Compares the buffers byte for byte, and measures the cycles.
//
//   compare A.cubin B.cubin LAUNCHES [--mean M] [--worst W] [--only TEXT] [--contention N [--seconds S]]
//
// Prints `program,warps,identical,cycles_a,cycles_b,ratio,median_a,median_b,note`, and a summary on standard error.
// `identical` is `yes`, `no`, `unordered` (warps race for everything that the launch writes, so nothing was compared), `unsteady`
// (A also differs from itself), or `failed`. `cycles_a` and `cycles_b` are the minima over all runs of a launch. The exit status is 0
// if no launch is `no`, `unsteady` or `failed`, and the geometric mean and the maximum of the ratios B / A are within the given
// limits. It is 2 if nothing could run, otherwise 1.
//
// With `--contention`, nothing is timed. Every launch runs N times with noise, each time on other random inputs, and the outputs of
// every repetition are compared. With `--seconds`, no repetition begins after S seconds. Notes state the number of repetitions, and
// a launch without any is `failed`.
//
// A worker process uses the GPU. If it dies or is silent for too long, its launch has failed, and another worker continues with the
// next launch.

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <map>

#include "pair.cuh"

namespace {

constexpr int LONGEST_SILENCE_MS = 60'000;
constexpr int MOST_FAILURES = 40;
constexpr size_t WORST_SHOWN = 8;

struct Options {
    std::vector<std::string> files;
    std::string only;
    double mean = 0, worst = 0;
    int repetitions = 0;
    double seconds = 0;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

    std::chrono::steady_clock::time_point deadline() const {
        using namespace std::chrono;
        return seconds ? begin + duration_cast<steady_clock::duration>(duration<double>(seconds)) : steady_clock::time_point::max();
    }
};

struct Row {
    const Launch *launch = nullptr;
    std::string identical = "failed", note;
    Count cycles_a = 0, cycles_b = 0, median_a = 0, median_b = 0;

    bool is_wrong() const { return identical == "no" || identical == "unsteady" || identical == "failed"; }
    bool is_timed() const { return cycles_a && cycles_b; }
    double ratio() const { return double(cycles_b) / double(cycles_a); }
};

std::string without_commas(std::string note) {
    std::replace(note.begin(), note.end(), ',', ';');
    return note;
}

Result compared(const Options &options, const Cubin &a, const Cubin &b, const Launch &launch) {
    if (!options.repetitions) return Pair(a, b, launch, false).result();
    if (std::chrono::steady_clock::now() > options.deadline()) throw Failure("not run: the time limit was reached");
    return Pair(a, b, launch, true).contended(options.repetitions, options.deadline());
}

// The line that a worker sends for a launch. Commas in the note become semicolons.
std::string line(const Result &result) {
    if (result.cycles_a.empty()) return std::string(result.identical) + ",0,0,0,0," + without_commas(result.note) + '\n';
    auto least = [](const std::vector<Count> &all) { return std::to_string(*std::min_element(all.begin(), all.end())); };
    return std::string(result.identical) + ',' + least(result.cycles_a) + ',' + least(result.cycles_b) + ',' +
           std::to_string(median(result.cycles_a)) + ',' + std::to_string(median(result.cycles_b)) + ',' + without_commas(result.note) + '\n';
}

void send(int pipe, const std::string &text) {
    for (size_t sent = 0; sent < text.size();) {
        ssize_t wrote = write(pipe, text.data() + sent, text.size() - sent);
        if (wrote <= 0) std::_Exit(1);
        sent += size_t(wrote);
    }
}

// Runs the launches from number `from` on, and ends the process. It skips the driver's cleanup at exit, which would wait for a kernel
// that does not end.
[[noreturn]] void work(const Options &options, const std::vector<Launch> &launches, size_t from, int pipe) {
    bool is_ready = false;
    try {
        // The first call of the runtime creates the context.
        check(cudaFree(nullptr));
        Cubin a("a", options.files[0].c_str()), b("b", options.files[1].c_str());
        is_ready = true;
        for (size_t at = from; at < launches.size(); ++at) send(pipe, line(compared(options, a, b, launches[at])));
    } catch (const Failure &failure) {
        send(pipe, (is_ready ? "failed,0,0,0,0," : "none,") + without_commas(failure.what()) + '\n');
    }
    std::_Exit(0);
}

// Receives the next line of a worker, without the newline. Returns false if the worker has ended, or has sent nothing for
// `LONGEST_SILENCE_MS`.
bool receive(int pipe, std::string &buffered, std::string &line) {
    for (;;) {
        size_t end = buffered.find('\n');
        if (end != std::string::npos) {
            line = buffered.substr(0, end);
            buffered.erase(0, end + 1);
            return true;
        }
        pollfd waited{pipe, POLLIN, 0};
        char bytes[4096];
        if (poll(&waited, 1, LONGEST_SILENCE_MS) <= 0) return false;
        ssize_t got = read(pipe, bytes, sizeof bytes);
        if (got <= 0) return false;
        buffered.append(bytes, size_t(got));
    }
}

Row row(const Launch &launch, const std::string &line) {
    Row row;
    row.launch = &launch;
    std::vector<std::string> parts = reading::split(line, ',');
    parts.resize(6);
    row.identical = parts[0];
    Count *const numbers[] = {&row.cycles_a, &row.cycles_b, &row.median_a, &row.median_b};
    for (size_t at = 0; at < 4; ++at) *numbers[at] = std::strtoull(parts[at + 1].c_str(), nullptr, 10);
    row.note = parts[5];
    return row;
}

void print(const Row &row) {
    std::printf("%s,%u,%s", row.launch->name.c_str(), row.launch->warps(), row.identical.c_str());
    if (row.is_timed())
        std::printf(",%llu,%llu,%.4f,%llu,%llu", row.cycles_a, row.cycles_b, row.ratio(), row.median_a, row.median_b);
    else
        std::printf(",,,,,");
    std::printf(",%s\n", row.note.c_str());
    std::fflush(stdout);
}

// Runs a worker from the first launch without a row on. Returns false if no worker can be started, or if the worker cannot use the
// GPU or load a cubin.
bool run_worker(const Options &options, const std::vector<Launch> &launches, std::vector<Row> &rows) {
    int ends[2];
    if (pipe(ends)) return false;
    std::fflush(nullptr);
    pid_t worker = fork();
    if (worker < 0) return false;
    if (!worker) {
        close(ends[0]);
        work(options, launches, rows.size(), ends[1]);
    }
    close(ends[1]);
    std::string buffered, text;
    bool is_there = true;
    while (is_there && rows.size() < launches.size()) {
        const Launch &launch = launches[rows.size()];
        if (!receive(ends[0], buffered, text)) text = "failed,0,0,0,0,the worker process died or stopped responding";
        is_there = text.compare(0, 5, "none,") != 0;
        if (!is_there) {
            std::fprintf(stderr, "%s\n", text.c_str() + 5);
            break;
        }
        rows.push_back(row(launch, text));
        print(rows.back());
        if (rows.back().identical == "failed") break;
    }
    kill(worker, SIGKILL);
    waitpid(worker, nullptr, 0);
    close(ends[0]);
    return is_there;
}

double geometric_mean(const std::vector<const Row *> &rows) {
    double logarithms = 0;
    for (const Row *row : rows) logarithms += std::log(row->ratio());
    return rows.empty() ? 1 : std::exp(logarithms / double(rows.size()));
}

// Prints a summary of the rows. Returns true if all launches ran, no row is wrong, and the ratios are within the limits.
bool conclude(const Options &options, const std::vector<Row> &rows, size_t launches) {
    std::map<std::string, size_t> verdicts;
    std::map<uint32_t, std::vector<const Row *>> by_warps;
    std::vector<const Row *> timed;
    size_t wrong = launches - rows.size();
    for (const Row &row : rows) {
        ++verdicts[row.identical];
        wrong += row.is_wrong();
        if (!row.is_timed()) continue;
        timed.push_back(&row);
        by_warps[row.launch->warps()].push_back(&row);
    }
    std::fprintf(stderr, "%zu launches", launches);
    for (const auto &[verdict, count] : verdicts) std::fprintf(stderr, ", %zu %s", count, verdict.c_str());
    if (rows.size() < launches) std::fprintf(stderr, ", %zu not run", launches - rows.size());
    std::fprintf(stderr, "\n");
    for (const Row &row : rows)
        if (row.is_wrong()) std::fprintf(stderr, "  %s: %s: %s\n", row.launch->name.c_str(), row.identical.c_str(), row.note.c_str());
    if (options.repetitions) {
        size_t crowded = std::count_if(rows.begin(), rows.end(), [](const Row &row) { return row.note.find("; 0 with noise") != std::string::npos; });
        if (crowded) std::fprintf(stderr, "%zu launches had no repetition with noise\n", crowded);
        return !wrong;
    }
    if (timed.empty()) return false;
    std::sort(timed.begin(), timed.end(), [](const Row *one, const Row *other) { return one->ratio() > other->ratio(); });
    double mean = geometric_mean(timed), worst = timed[0]->ratio();
    std::fprintf(stderr, "cycles of B / A: geometric mean %.4f, worst %.4f\n", mean, worst);
    for (const auto &[warps, some] : by_warps)
        std::fprintf(stderr, "  %2u warps per block: %.4f (%zu launches)\n", warps, geometric_mean(some), some.size());
    for (size_t at = 0; at < std::min(WORST_SHOWN, timed.size()); ++at)
        std::fprintf(stderr, "  %.4f %s, %u warps: %llu became %llu\n", timed[at]->ratio(), timed[at]->launch->name.c_str(),
                     timed[at]->launch->warps(), timed[at]->cycles_a, timed[at]->cycles_b);
    bool is_slow = (options.mean && mean > options.mean) || (options.worst && worst > options.worst);
    if (is_slow) std::fprintf(stderr, "above the limits: mean %.4f, worst %.4f\n", options.mean, options.worst);
    return !wrong && !is_slow;
}

int usage() {
    std::fprintf(stderr, "expected A.cubin B.cubin LAUNCHES [--mean M] [--worst W] [--only TEXT] [--contention N [--seconds S]]\n");
    return 2;
}

bool parse(int count, char **words, Options &options) {
    for (int at = 1; at < count; ++at) {
        std::string word = words[at];
        if (word.compare(0, 2, "--")) {
            options.files.push_back(word);
            continue;
        }
        if (++at == count) return false;
        if (word == "--only")
            options.only = words[at];
        else if (word == "--mean")
            options.mean = std::atof(words[at]);
        else if (word == "--worst")
            options.worst = std::atof(words[at]);
        else if (word == "--contention")
            options.repetitions = std::max(1, std::atoi(words[at]));
        else if (word == "--seconds")
            options.seconds = std::atof(words[at]);
        else
            return false;
    }
    return options.files.size() == 3;
}

}  // namespace

int main(int count, char **words) {
    Options options;
    if (!parse(count, words, options)) return usage();
    std::vector<Launch> launches;
    try {
        launches = read_launches(options.files[2]);
    } catch (const std::runtime_error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    auto is_other = [&](const Launch &launch) { return launch.name.find(options.only) == std::string::npos; };
    launches.erase(std::remove_if(launches.begin(), launches.end(), is_other), launches.end());
    std::printf("program,warps,identical,cycles_a,cycles_b,ratio,median_a,median_b,note\n");
    std::vector<Row> rows;
    for (int failures = 0; rows.size() < launches.size() && failures < MOST_FAILURES; ++failures)
        if (!run_worker(options, launches, rows)) break;
    if (rows.empty()) return 2;
    return conclude(options, rows, launches.size()) ? 0 : 1;
}
