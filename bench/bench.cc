// Runs the groups: checks that the cases of each agree, times them in interleaved rounds, writes
// JSON.
//
//     bench [--quick] [--rounds N] [--ms N] [--only TEXT]... [--json FILE]
//     bench --list                          all cases: group/case, rotation, bytes per unit
//     bench --loop GROUP/CASE TURNS         runs a case so many full rotations and nothing else
#include "bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

namespace bench {

namespace {

struct Declared {
    std::string name;
    Setup setup;
};

std::vector<Declared> &groups()
{
    static std::vector<Declared> all;
    return all;
}

bool is_quick = false;

struct Options {
    unsigned rounds = 21;
    double ms = 4;
    std::vector<std::string> only;
    const char *json = nullptr;
    bool list = false;
    std::string loop;
    uint64_t turns = 0;
};

double now_ns()
{
    using namespace std::chrono;
    return static_cast<double>(
        duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct Result {
    std::vector<double> ns; // per unit, one of each round
};

// How many units fill `ms` milliseconds: a multiple of the rotation. At least eight of it, since
// the first goes through caches and branch predictors that another case has just used.
uint64_t calibrate(const Case &c, uint64_t rotation, double ms)
{
    for (uint64_t n = rotation;; n *= 2) {
        double start = now_ns();
        c.run(n);
        double took = now_ns() - start;
        if (took < ms * 1e6 / 4 && n < UINT64_MAX / 4) continue;
        double wanted = static_cast<double>(n) * ms * 1e6 / took;
        uint64_t least = rotation > 1 ? 8 : 1;
        return std::max(least, static_cast<uint64_t>(wanted) / rotation) * rotation;
    }
}

void check_answers(const Group &g)
{
    uint64_t expected = 0, n = g.rotation * (1 + 99 / g.rotation);
    for (size_t i = 0; i < g.cases.size(); i++) {
        uint64_t answer = g.cases[i].run(n);
        if (i == 0) expected = answer;
        if (answer == expected) continue;
        std::fprintf(stderr, "%s: %s answers %llu, %s answers %llu\n", g.name.c_str(),
                     g.cases[i].name.c_str(), static_cast<unsigned long long>(answer),
                     g.cases[0].name.c_str(), static_cast<unsigned long long>(expected));
        std::exit(1);
    }
}

std::vector<Result> time_cases(const Group &g, const Options &options)
{
    std::vector<Result> results(g.cases.size());
    std::vector<uint64_t> n;
    for (const Case &c : g.cases) n.push_back(calibrate(c, g.rotation, options.ms));
    for (unsigned round = 0; round < options.rounds; round++) {
        for (size_t k = 0; k < g.cases.size(); k++) {
            size_t i = (k + round) % g.cases.size(); // no case always follows the same one
            double start = now_ns();
            g.cases[i].run(n[i]);
            results[i].ns.push_back((now_ns() - start) / static_cast<double>(n[i]));
        }
    }
    return results;
}

// What one unit allocates once everything is warm.
Allocations count_case(const Case &c, uint64_t rotation)
{
    c.run(rotation);
    Allocations before = allocations();
    c.run(rotation);
    Allocations after = allocations();
    return {after.mallocs - before.mallocs, after.reallocs - before.reallocs,
            after.bytes - before.bytes};
}

std::string quoted(const std::string &s)
{
    std::string out = "\"";
    for (char c : s) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

std::string number(double v)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", std::isfinite(v) ? v : 0.0);
    return text;
}

std::string json_case(const Group &g, const Case &c, const Result &r, const Result &base)
{
    std::vector<double> ratios;
    for (size_t i = 0; i < r.ns.size(); i++) ratios.push_back(r.ns[i] / base.ns[i]);
    double least = *std::min_element(r.ns.begin(), r.ns.end());
    double base_least = *std::min_element(base.ns.begin(), base.ns.end());
    std::printf("  %-44s %12.2f %12.2f ns/%s %8.3f x", c.name.c_str(), least, median(r.ns),
                g.unit.c_str(), median(ratios));
    double bytes = c.bytes > 0 ? c.bytes : g.bytes;
    if (bytes > 0) std::printf(" %9.3f ns/B", least / bytes);
    std::printf("\n");
    return "{\"name\": " + quoted(c.name) + ", \"min_ns\": " + number(least) +
           ", \"median_ns\": " + number(median(r.ns)) + ", \"ratio\": " + number(median(ratios)) +
           ", \"ratio_of_mins\": " + number(least / base_least) + ", \"bytes\": " + number(bytes) +
           "}";
}

std::string json_count(const Group &g, const Case &c, Allocations a)
{
    double turns = static_cast<double>(g.rotation);
    std::printf("  %-44s %9.2f allocations %9.2f reallocations %12.1f bytes per %s\n",
                c.name.c_str(), static_cast<double>(a.mallocs) / turns,
                static_cast<double>(a.reallocs) / turns, static_cast<double>(a.bytes) / turns,
                g.unit.c_str());
    return "{\"name\": " + quoted(c.name) +
           ", \"mallocs\": " + number(static_cast<double>(a.mallocs) / turns) +
           ", \"reallocs\": " + number(static_cast<double>(a.reallocs) / turns) +
           ", \"bytes_asked\": " + number(static_cast<double>(a.bytes) / turns) + "}";
}

std::string run_group(const Group &g, const Options &options)
{
    std::string cases, facts;
    std::printf("%s\n", g.name.c_str());
    check_answers(g);
    std::vector<Result> results;
    if (!counts_allocations()) results = time_cases(g, options);
    for (size_t i = 0; i < g.cases.size(); i++) {
        cases += cases.empty() ? "\n    " : ",\n    ";
        cases += counts_allocations()
                     ? json_count(g, g.cases[i], count_case(g.cases[i], g.rotation))
                     : json_case(g, g.cases[i], results[i], results[0]);
    }
    for (const Fact &f : g.facts) {
        facts += facts.empty() ? "\n    " : ",\n    ";
        facts += "{\"row\": " + quoted(f.row) + ", \"column\": " + quoted(f.column) +
                 ", \"value\": " + number(f.value) + "}";
        std::printf("  %-30s %-30s %12.1f\n", f.row.c_str(), f.column.c_str(), f.value);
    }
    std::fflush(stdout);
    return "{\"name\": " + quoted(g.name) + ", \"unit\": " + quoted(g.unit) +
           ", \"note\": " + quoted(g.note) + ", \"bytes\": " + number(g.bytes) +
           ", \"rotation\": " + number(static_cast<double>(g.rotation)) + ", \"cases\": [" + cases +
           "], \"facts\": [" + facts + "]}";
}

bool wanted(const std::string &name, const Options &options)
{
    if (options.only.empty()) return true;
    for (const std::string &text : options.only)
        if (name.find(text) != std::string::npos) return true;
    return false;
}

// For an outside counter of instructions: nothing but set-up and the loop. The first rotation warms
// up.
int loop(const Options &options)
{
    for (const Declared &d : groups()) {
        if (options.loop.compare(0, d.name.size() + 1, d.name + "/") != 0) continue;
        Group g(d.name);
        d.setup(g);
        for (const Case &c : g.cases) {
            if (d.name + "/" + c.name != options.loop) continue;
            c.run(g.rotation);
            c.run(g.rotation * options.turns);
            return 0;
        }
    }
    std::fprintf(stderr, "no case %s\n", options.loop.c_str());
    return 2;
}

int run(const Options &options)
{
    std::string json;
    for (const Declared &d : groups()) {
        if (!wanted(d.name, options)) continue;
        Group g(d.name);
        d.setup(g);
        if (options.list) {
            for (const Case &c : g.cases)
                std::printf("%s/%s\t%.0f\t%.6f\n", d.name.c_str(), c.name.c_str(),
                            static_cast<double>(g.rotation), c.bytes > 0 ? c.bytes : g.bytes);
        } else {
            json += (json.empty() ? "\n  " : ",\n  ") + run_group(g, options);
        }
    }
    if (!options.json) return 0;
    std::FILE *f = std::fopen(options.json, "w");
    if (!f ||
        std::fprintf(f, "{\"compiler\": %s, \"quick\": %s, \"groups\": [%s]}\n",
                     quoted(BENCH_COMPILER).c_str(), is_quick ? "true" : "false",
                     json.c_str()) < 0 ||
        std::fclose(f) != 0) {
        std::perror(options.json);
        return 1;
    }
    return 0;
}

} // namespace

bool declare(std::string name, Setup setup)
{
    groups().push_back({std::move(name), std::move(setup)});
    return true;
}

bool quick()
{
    return is_quick;
}

void expect(bool condition, const char *what)
{
    if (condition) return;
    std::fprintf(stderr, "wrong: %s\n", what);
    std::exit(1);
}

// Replaced by those of count_alloc.cc in the program that counts.
__attribute__((weak)) Allocations allocations()
{
    return {};
}

__attribute__((weak)) bool counts_allocations()
{
    return false;
}

} // namespace bench

int main(int argc, char **argv)
{
    bench::Options options;
    for (int i = 1; i < argc; i++) {
        std::string a = argv[i];
        if (a == "--quick") {
            bench::is_quick = true;
            options.rounds = 5;
            options.ms = 1;
        } else if (a == "--list") {
            options.list = bench::is_quick = true;
        } else if (a == "--rounds" && i + 1 < argc) {
            options.rounds = static_cast<unsigned>(std::max(1, std::atoi(argv[++i])));
        } else if (a == "--ms" && i + 1 < argc) {
            options.ms = std::max(0.1, std::atof(argv[++i]));
        } else if (a == "--only" && i + 1 < argc) {
            options.only.push_back(argv[++i]);
        } else if (a == "--json" && i + 1 < argc) {
            options.json = argv[++i];
        } else if (a == "--loop" && i + 2 < argc) {
            options.loop = argv[++i];
            options.turns = std::strtoull(argv[++i], nullptr, 10);
        } else {
            std::fprintf(stderr, "bench: what is %s?\n", argv[i]);
            return 2;
        }
    }
    std::sort(bench::groups().begin(), bench::groups().end(),
              [](const bench::Declared &x, const bench::Declared &y) { return x.name < y.name; });
    return options.loop.empty() ? bench::run(options) : bench::loop(options);
}
