// Mutates records and reads them: no input may crash the reader, make it read outside the text, or slow it down.
//
//   sgf_fuzz [cases] [seed]
//
// Built with -DTENGEN_FUZZ=ON -DTENGEN_SANITIZE=ON. Every span, link and event that comes out is checked; a file that
// takes longer than `patience` is a failure too.
#include <tengen/sgf_moves.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

namespace sgf = tengen::sgf;
using Chance = std::mt19937_64;

constexpr double patience = 2.0;  // seconds for one file, sanitizers included

const std::vector<std::string> seeds = {
    "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6.5]PB[a]PW[b]RE[B+3.5];B[ee];W[cc](;B[gg]C[a \\] b])(;B[gc];W[]))",
    "(;SZ[19]HA[2]AB[pd][dp]KM[0.5]PL[W];W[dd];B[pp];W[tt];B[tt]TB[aa:cc]TW[ss])",
    "(;SZ[9];B[aa])(;SZ[13:9];B[mi];W[aa])\n(;SZ[9]AE[aa]AB[bb]AW[cc];B[dd]W[ee])",
    "(;GaMe[1]SiZe[9];Black[aa];White[bb]) junk (SZ[5]b[aa]",
    "(;SZ[52]AB[aa:ZZ];B[zZ];W[tt]C[\xbe\xf5\\]\xe9\\\n])",
    "(;GM[1]C[never ends)(;GM[1]SZ[9];B[aa])",
    "",
};
const std::vector<std::string> grafts = {"(", ")", ";", "[", "]", "\\", ":", "(;", "SZ[99999999999999999999]", "SZ[1:52]", "AB[aa:ZZ]",
                                         "(;GM[1]", "C[", "B[]", "\xff\xfe", "\xe5\xbc", std::string(1, '\0'), "PL[x]", "AE[zz:aa]"};

std::size_t below(Chance& chance, std::size_t bound) { return bound == 0 ? 0 : static_cast<std::size_t>(chance() % bound); }

std::string mutated(Chance& chance) {
    std::string text = seeds[below(chance, seeds.size())];
    for (std::size_t wounds = 1 + below(chance, 6); wounds > 0; --wounds) {
        const std::size_t at = below(chance, text.size() + 1);
        switch (below(chance, 7)) {
            case 0: text.resize(at); break;
            case 1: if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(chance, 8))); break;
            case 2: text.insert(at, seeds[below(chance, seeds.size())]); break;
            case 3: text.insert(at, grafts[below(chance, grafts.size())]); break;
            case 4: text.erase(at, below(chance, 8)); break;
            case 5: if (at < text.size()) text[at] = static_cast<char>(chance()); break;
            default: {
                const std::string graft = grafts[below(chance, grafts.size())];
                std::string many;
                for (std::size_t n = below(chance, 50) == 0 ? 20'000 : below(chance, 100); n > 0; --n) many += graft;
                text.insert(at, many);
            }
        }
    }
    return text;
}

void require(bool fine, const char* what) {
    if (fine) return;
    std::fprintf(stderr, "sgf_fuzz: %s\n", what);
    std::abort();
}

void check_nodes(const sgf::Collection& parsed) {
    const auto count = static_cast<std::int32_t>(parsed.nodes.size());
    const auto inside = [&](sgf::Span span) { return span.begin <= span.end && span.end <= parsed.text.size(); };
    for (std::int32_t i = 0; i < count; ++i) {
        const sgf::Node& node = parsed.nodes[static_cast<std::size_t>(i)];
        require(node.parent < i && node.parent >= -1, "a parent comes before its child");
        require(node.first_child == -1 || (node.first_child > i && node.first_child < count), "a child comes after its parent");
        require(node.next_sibling == -1 || (node.next_sibling > i && node.next_sibling < count), "siblings are in order");
        require(inside(node.text), "a node lies inside the text");
        require(node.first_property <= parsed.end_property(i), "properties are in order");
    }
    for (std::uint32_t p = 0; p < parsed.properties.size(); ++p) {
        require(inside(parsed.properties[p].identifier), "a name lies inside the text");
        require(parsed.properties[p].first_value < parsed.end_value(p), "a property has a value");
    }
    for (const sgf::Span value : parsed.values) require(inside(value), "a value lies inside the text");
}

std::size_t check_games(const sgf::Collection& parsed) {
    std::size_t moves = 0;
    for (const sgf::Game& game : parsed.games) {
        require(game.width >= 1 && game.width <= 52 && game.height >= 1 && game.height <= 52, "a board has a size");
        require(game.end_event <= parsed.events.size() && game.end_note <= parsed.notes.size(), "a game has its events");
        for (std::uint32_t i = game.first_event; i < game.end_event; ++i) {
            const std::int32_t event = parsed.events[i];
            require((event & 3) <= 2 && (event >> 2 & 3) <= 2, "an event has a kind and a colour");
            require(event >> 4 >= 0 && event >> 4 <= game.width * game.height, "an event is on the board");
            moves += (event & 3) == sgf::move_kind;
        }
    }
    for (const sgf::Fault& fault : parsed.faults) require(fault.offset <= parsed.text.size(), "a fault lies inside the text");
    return moves;
}

}  // namespace

int main(int count, char** arguments) {
    const unsigned long cases = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 100'000;
    Chance chance(count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 20'240'101);
    std::size_t games = 0, faults = 0, moves = 0;
    double slowest = 0;
    for (unsigned long i = 0; i < cases; ++i) {
        const std::string text = mutated(chance);
        // An exact copy on the heap, so that reading one byte too far is seen.
        const std::unique_ptr<char[]> exact(new char[text.size()]);
        text.copy(exact.get(), text.size());
        const auto start = std::chrono::steady_clock::now();
        const sgf::Collection parsed = sgf::parse({exact.get(), text.size()});
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        slowest = std::max(slowest, taken.count());
        require(taken.count() < patience, "a file took too long");
        check_nodes(parsed);
        moves += check_games(parsed);
        games += parsed.games.size();
        faults += parsed.faults.size();
    }
    std::printf("sgf_fuzz: %lu files, %zu games, %zu moves, %zu unreadable games, slowest %.3f s\n", cases, games, moves, faults,
                slowest);
    return 0;
}
