// A seeded source of random numbers that gives the same sequence on every machine (the standard
// library's distributions do not promise that).
#ifndef YAFF_TESTS_JUDGE_RANDOM_H
#define YAFF_TESTS_JUDGE_RANDOM_H

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace judge {

class Random {
  public:
    // The seed is mixed, or neighbouring seeds would give one sequence, shifted.
    explicit Random(uint64_t seed) : state_(seed)
    {
        state_ = next();
    }

    // splitmix64
    uint64_t next()
    {
        uint64_t z = state_ += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        return z ^ (z >> 31);
    }

    // 0 .. n-1; n is not 0.
    uint32_t below(size_t n)
    {
        return static_cast<uint32_t>(next() % n);
    }

    // low .. high, both included.
    uint32_t between(uint32_t low, uint32_t high)
    {
        return low + below(static_cast<size_t>(high) - low + 1);
    }

    bool chance(unsigned percent)
    {
        return below(100) < percent;
    }

    template <typename T> const T &pick(const std::vector<T> &from)
    {
        return from[below(from.size())];
    }

    template <typename T> void shuffle(std::vector<T> &v)
    {
        for (size_t i = v.size(); i > 1; i--) std::swap(v[i - 1], v[below(i)]);
    }

  private:
    uint64_t state_;
};

} // namespace judge

#endif
