// Mutates records and reads them: no input may crash the reader, make it read outside the text, slow it down, or make
// it take more memory than a constant times its length.
//
//   sgf_fuzz [cases] [seed]
//
// Built with -DTENGEN_FUZZ=ON -DTENGEN_SANITIZE=ON. Every span, link and event that comes out is checked; a file that
// takes longer than `patience`, or more memory than `allowed_memory` at its peak, is a failure too. Before the mutated
// records come the hostile shapes: short patterns repeated until the file is a megabyte long.
#include <tengen/sgf_moves.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

namespace {

// What is allocated now, and the most since `peak` was last set; every block carries its size in front.
std::size_t live = 0, peak = 0;
constexpr std::size_t front = alignof(std::max_align_t);

}  // namespace

// All forms are replaced: a sanitizer brings its own of each.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    void* block = std::malloc(size + front);
    if (block == nullptr) return nullptr;
    *static_cast<std::size_t*>(block) = size;
    live += size;
    peak = std::max(peak, live);
    return static_cast<char*>(block) + front;
}
void* operator new(std::size_t size) {
    if (void* place = operator new(size, std::nothrow)) return place;
    throw std::bad_alloc();
}
void* operator new[](std::size_t size, const std::nothrow_t& never) noexcept { return operator new(size, never); }
void* operator new[](std::size_t size) { return operator new(size); }

void operator delete(void* place) noexcept {
    if (place == nullptr) return;
    void* block = static_cast<char*>(place) - front;
    live -= *static_cast<std::size_t*>(block);
    std::free(block);
}
void operator delete(void* place, std::size_t) noexcept { operator delete(place); }
void operator delete(void* place, const std::nothrow_t&) noexcept { operator delete(place); }
void operator delete[](void* place) noexcept { operator delete(place); }
void operator delete[](void* place, std::size_t) noexcept { operator delete(place); }
void operator delete[](void* place, const std::nothrow_t&) noexcept { operator delete(place); }

namespace {

namespace sgf = tengen::sgf;
using Chance = std::mt19937_64;

constexpr double patience = 2.0;  // seconds of the processor for one file, sanitizers included

// Bytes at the peak of reading: a node takes 28 and a text of nothing but nodes one byte for each, and a growing array
// is there twice for a moment. Points of rectangles beyond the first million are paid for by the bytes of the text,
// those before are the constant.
constexpr std::size_t memory_per_byte = 100, free_memory = 16 * sgf::free_expansion;
constexpr std::size_t allowed_memory(std::size_t bytes) { return free_memory + memory_per_byte * bytes; }

struct Shape {
    const char* name;
    std::string before, repeated, after;
};

const std::vector<Shape> hostile = {
    {"rectangles in many games", "", "(;SZ[52]AB[aa:ZZ])", ""},
    {"rectangles in one game", "(;SZ[52]AB", "[aa:ZZ]", ")"},
    {"rectangles in many nodes", "(;SZ[52]", ";AE[aa:ZZ]", ")"},
    {"many rectangles in many games", "", "(;SZ[52]AB[aa:ZZ][aa:ZY][aa:YZ][ab:ZZ][ba:ZZ][bb:ZZ]AW[aa:ZZ][bb:YY])", ""},
    {"small rectangles", "(;AB", "[aa:bb]", ")"},
    {"rectangles on boards of 19", "", "(;AB[aa:ss])", ""},
    {"games", "", "(;)", ""},
    {"games with moves", "", "(;B[])", ""},
    {"games without a semicolon", "", "(b[]", ""},
    {"games with everything mended", "", "(b[a]B[]x;SZ[]PL[x]()AB[zz]B[zz]B[zz];)(;)", ""},
    {"nodes", "(", ";", ")"},
    {"nodes in variations", "(;", "(;)", ")"},
    {"nested variations", "", "(;", ""},
    {"nesting", "(;", "(", ""},
    {"empty variations", "(;", "()", ")"},
    {"second roots", "((;)", "(;)", ")"},
    {"properties", "(;", "A[]", ")"},
    {"different properties", "(;", "AA[]AC[]AD[]Ab[]", ")"},
    {"values", "(;A", "[]", ")"},
    {"moves", "(;B", "[]", ")"},
    {"moves outside the board", "(;B", "[z]", ")"},
    {"stones outside the board", "(;AB", "[z]", ")"},
    {"a long value", "(;C[", "x", "])"},
    {"an escaped value", "(;C[", "\\]", "])"},
    {"a value that never ends", "(;C[", "x", ""},
    {"a long name", "(;", "A", "[])"},
    {"a long name in lower case", "(;", "a", "[])"},
    {"names", "(;", "a ", ")"},
    {"values that never end", "", "(;GM[", ""},
    {"swallowed games", "", "(;C[)(;GM[]", ""},
    {"records of other games", "", "(;GM[2])", ""},
    {"stray text", "(;", "?", ")"},
    {"closing parentheses", "(;)", ")", ""},
    {"text without a game", "", "x(", ""},
};

const std::vector<std::string> seeds = {
    "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6.5]PB[a]PW[b]RE[B+3.5];B[ee];W[cc](;B[gg]C[a \\] b])(;B[gc];W[]))",
    "(;SZ[19]HA[2]AB[pd][dp]KM[0.5]PL[W];W[dd];B[pp];W[tt];B[tt]TB[aa:cc]TW[ss])",
    "(;SZ[9];B[aa])(;SZ[13:9];B[mi];W[aa])\n(;SZ[9]AE[aa]AB[bb]AW[cc];B[dd]W[ee])",
    "(;GaMe[1]SiZe[9];Black[aa];White[bb]) junk (SZ[5]b[aa]",
    "(;SZ[52]AB[aa:ZZ];B[zZ];W[tt]C[\xbe\xf5\\]\xe9\\\n])",
    "(;GM[1]C[never ends)(;GM[1]SZ[9];B[aa])",
    "",
};
const std::vector<std::string> grafts = {"(",
                                         ")",
                                         ";",
                                         "[",
                                         "]",
                                         "\\",
                                         ":",
                                         "(;",
                                         "SZ[99999999999999999999]",
                                         "SZ[1:52]",
                                         "AB[aa:ZZ]",
                                         "(;GM[1]",
                                         "C[",
                                         "B[]",
                                         "\xff\xfe",
                                         "\xe5\xbc",
                                         std::string(1, '\0'),
                                         "PL[x]",
                                         "AE[zz:aa]"};

std::size_t below(Chance& chance, std::size_t bound) {
    return bound == 0 ? 0 : static_cast<std::size_t>(chance() % bound);
}

std::string mutated(Chance& chance) {
    std::string text = seeds[below(chance, seeds.size())];
    for (std::size_t wounds = 1 + below(chance, 6); wounds > 0; --wounds) {
        const std::size_t at = below(chance, text.size() + 1);
        switch (below(chance, 7)) {
            case 0: text.resize(at); break;
            case 1:
                if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(chance, 8)));
                break;
            case 2: text.insert(at, seeds[below(chance, seeds.size())]); break;
            case 3: text.insert(at, grafts[below(chance, grafts.size())]); break;
            case 4: text.erase(at, below(chance, 8)); break;
            case 5:
                if (at < text.size()) text[at] = static_cast<char>(chance());
                break;
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
        require(node.first_child == -1 || (node.first_child > i && node.first_child < count),
                "a child comes after its parent");
        require(node.next_sibling == -1 || (node.next_sibling > i && node.next_sibling < count),
                "siblings are in order");
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
        require(game.end_event <= parsed.events.size() && game.end_note <= parsed.notes.size(),
                "a game has its events");
        for (std::uint32_t i = game.first_event; i < game.end_event; ++i) {
            const tengen::Event event(parsed.events[i]);
            require(event.kind <= 2 && event.colour <= 2, "an event has a kind and a colour");
            require(event.index >= 0 && event.index <= game.width * game.height, "an event is on the board");
            moves += event.kind == tengen::Event::move;
        }
    }
    for (const sgf::Fault& fault : parsed.faults)
        require(fault.offset <= parsed.text.size(), "a fault lies inside the text");
    require(parsed.notes.size() <= parsed.text.size(), "there are no more notes than bytes");
    return moves;
}

struct Totals {
    std::size_t games = 0, faults = 0, moves = 0;
    double slowest = 0, most_per_byte = 0;
};

// Reads one file and checks what comes out, how long it takes and how much memory.
void read(const std::string& text, const char* name, Totals& totals) {
    // An exact copy on the heap, so that reading one byte too far is seen.
    const std::unique_ptr<char[]> exact(new char[text.size()]);
    text.copy(exact.get(), text.size());
    const std::size_t before = peak = live;
    const std::clock_t start = std::clock();
    const sgf::Collection parsed = sgf::parse({exact.get(), text.size()});
    const double taken = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    const std::size_t memory = peak - before;
    if (taken >= patience || memory > allowed_memory(text.size())) {
        std::fprintf(
            stderr, "sgf_fuzz: %s: %zu bytes took %.3f s and %zu bytes of memory; at most %.1f s and %zu are allowed\n",
            name, text.size(), taken, memory, patience, allowed_memory(text.size()));
        std::abort();
    }
    check_nodes(parsed);
    totals.moves += check_games(parsed);
    totals.games += parsed.games.size();
    totals.faults += parsed.faults.size();
    totals.slowest = std::max(totals.slowest, taken);
    const double length = static_cast<double>(std::max<std::size_t>(text.size(), 1));
    totals.most_per_byte = std::max(totals.most_per_byte, static_cast<double>(memory) / length);
}

// Every shape in several lengths, so that what grows faster than the text is seen.
void read_hostile(Totals& totals) {
    for (const Shape& shape : hostile)
        for (const std::size_t length : {std::size_t{1} << 10, std::size_t{200'000}, std::size_t{1} << 20}) {
            std::string text = shape.before;
            while (text.size() < length) text += shape.repeated;
            Totals here;
            read(text + shape.after, shape.name, here);
            if (length == std::size_t{1} << 20)
                std::printf("sgf_fuzz: %-32s %6.1f bytes of memory per byte, %.3f s per MiB\n", shape.name,
                            here.most_per_byte, here.slowest);
            totals.slowest = std::max(totals.slowest, here.slowest);
        }
}

}  // namespace

int main(int count, char** arguments) {
    const unsigned long cases = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 100'000;
    Chance chance(count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 20'240'101);
    Totals totals;
    read_hostile(totals);
    for (unsigned long i = 0; i < cases; ++i) read(mutated(chance), "a mutated record", totals);
    std::printf("sgf_fuzz: %lu files, %zu games, %zu moves, %zu unreadable games, slowest %.3f s\n", cases,
                totals.games, totals.moves, totals.faults, totals.slowest);
    return 0;
}
