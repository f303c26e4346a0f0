// From parsed SGF to moves: the main line of every game as one array of events, ready to be replayed.
//
// Reading guide. `parse` reads a collection and extracts all main lines. Events are those of event.hpp.
// `MainLine::read_node` processes one node: setup first, then the player to move, then moves.
#pragma once

#include <tengen/event.hpp>
#include <tengen/sgf.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tengen::sgf {

inline constexpr std::int32_t longest_side = 52;

// 'a'..'z' are 0..25 and 'A'..'Z' 26..51; anything else is -1.
inline std::int32_t coordinate(char c) {
    if (is_lower(c)) return c - 'a';
    return is_upper(c) ? c - 'A' + 26 : -1;
}

inline std::string_view trim(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

// The number at the start of a text, and the rest of it; -1 without digits. Numbers are capped at a million.
inline std::pair<std::int32_t, std::string_view> leading_number(std::string_view text) {
    std::int32_t number = text.empty() || text[0] < '0' || text[0] > '9' ? -1 : 0;
    while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
        number = std::min(number * 10 + (text[0] - '0'), 1'000'000);
        text.remove_prefix(1);
    }
    return {number, text};
}

// SZ[19], SZ[13:9]; false when it is neither (19 x 19 is then assumed by the caller).
inline bool read_size(std::string_view text, std::int32_t& width, std::int32_t& height) {
    const auto [first, rest] = leading_number(trim(text));
    std::int32_t second = first;
    std::string_view tail = rest;
    if (!rest.empty() && rest[0] == ':') std::tie(second, tail) = leading_number(trim(rest.substr(1)));
    if (first < 1 || first > longest_side || second < 1 || second > longest_side || !trim(tail).empty()) return false;
    width = first;
    height = second;
    return true;
}

class MainLine {
public:
    // `expansion` is the number of points that rectangles may still add; it is counted down.
    MainLine(Collection& out, Game& game, std::size_t& expansion) : out_(out), game_(game), expansion_(expansion) {}

    // Appends the game's events; false, with a fault, when the game cannot be played through.
    bool run() {
        const std::size_t start = out_.events.size();
        game_.first_event = static_cast<std::uint32_t>(start);
        bool fine = read_head();
        for (std::int32_t node = game_.root; fine && node >= 0;
             node = out_.nodes[static_cast<std::size_t>(node)].first_child)
            fine = read_node(node);
        if (!fine) out_.events.resize(start);
        game_.end_event = static_cast<std::uint32_t>(out_.events.size());
        return fine;
    }

    const std::vector<Note>& notes() const { return notes_; }

private:
    bool read_head() {
        const Span* size = root_value(name_code("SZ"));
        if (size != nullptr && !read_size(out_.view(*size), game_.width, game_.height)) note(Mend::bad_size, *size);
        const Span* kind = root_value(name_code("GM"));
        if (kind == nullptr) return true;
        const auto [number, rest] = leading_number(trim(out_.view(*kind)));
        return number < 0 || number == 1 || !rest.empty() || fault("not a game of Go: GM is not 1", *kind);
    }

    // The first value of the root's first property of that name.
    const Span* root_value(std::uint64_t code) const {
        for (std::uint32_t p = first(game_.root); p < out_.end_property(game_.root); ++p)
            if (out_.properties[p].code == code) return &out_.values[out_.properties[p].first_value];
        return nullptr;
    }

    bool read_node(std::int32_t node) {
        const std::uint32_t begin = first(node), end = out_.end_property(node);
        const bool lone_move = end - begin == 1;
        std::int32_t moves_here = 0;
        for (std::uint32_t p = begin; !lone_move && p < end; ++p)
            if (!read_setup(p)) return false;
        for (std::uint32_t p = begin; p < end; ++p) {
            const std::uint64_t code = out_.properties[p].code;
            if (code == name_code("B") || code == name_code("W")) {
                read_moves(p, code == name_code("B") ? 1 : 2, moves_here);
            } else if (lone_move && !read_setup(p)) {
                return false;
            }
        }
        return true;
    }

    // A move outside the board is left out; the other player is then to move.
    void read_moves(std::uint32_t property, std::int32_t colour, std::int32_t& moves_here) {
        for (std::uint32_t v = out_.properties[property].first_value; v < out_.end_value(property); ++v) {
            const std::int32_t point = read_point(out_.view(out_.values[v]));
            if (point < 0) {
                note_point(Mend::bad_move, out_.values[v], colour);
                out_.events.push_back(Event::packed(Event::to_play, 3 - colour, 0));
                continue;
            }
            if (++moves_here > 1) note(Mend::several_moves, out_.values[v]);
            ++moves_;
            out_.events.push_back(Event::packed(Event::move, colour, point));
        }
    }

    bool read_setup(std::uint32_t property) {
        switch (out_.properties[property].code) {
            case name_code("AE"): return place(property, 0);
            case name_code("AB"): return place(property, 1);
            case name_code("AW"): return place(property, 2);
            case name_code("PL"): return read_turn(property), true;
            default: return true;
        }
    }

    void read_turn(std::uint32_t property) {
        const Span value = out_.values[out_.properties[property].first_value];
        const std::string_view text = trim(out_.view(value));
        const char c = text.empty() ? ' ' : text[0];
        const bool black = c == 'B' || c == 'b' || c == '1', white = c == 'W' || c == 'w' || c == '2';
        if (black || white) out_.events.push_back(Event::packed(Event::to_play, black ? 1 : 2, 0));
        else note(Mend::bad_player, value);
    }

    bool place(std::uint32_t property, std::int32_t colour) {
        for (std::uint32_t v = out_.properties[property].first_value; v < out_.end_value(property); ++v)
            if (!place_value(out_.values[v], colour)) return false;
        return true;
    }

    // One point, or the rectangle "aa:cc" whose corners may be given in any order.
    bool place_value(Span value, std::int32_t colour) {
        const std::string_view text = trim(out_.view(value));
        const bool range = text.size() == 5 && text[2] == ':';
        if (text.size() != 2 && !range) return note_point(Mend::setup_outside, value, colour), true;
        const std::size_t second = range ? 3 : 0;
        const auto [left, right] = std::minmax({coordinate(text[0]), coordinate(text[second])});
        const auto [top, bottom] = std::minmax({coordinate(text[1]), coordinate(text[second + 1])});
        if (left < 0 || top < 0 || right >= game_.width || bottom >= game_.height)
            note_point(Mend::setup_outside, value, colour);
        if (left < 0 || top < 0 || left >= game_.width || top >= game_.height) return true;
        const std::int32_t end_row = std::min(bottom + 1, game_.height), end_column = std::min(right + 1, game_.width);
        const auto points = static_cast<std::size_t>((end_row - top) * (end_column - left));
        if (points - 1 > expansion_) return fault("too many stones are set up", value);
        expansion_ -= points - 1;
        for (std::int32_t row = top; row < end_row; ++row)
            for (std::int32_t column = left; column < end_column; ++column)
                out_.events.push_back(Event::packed(Event::setup, colour, row * game_.width + column));
        return true;
    }

    // A point of the board, a pass ([] anywhere, [tt] on boards up to 19 x 19), or -1.
    std::int32_t read_point(std::string_view text) const {
        if (text.size() != 2) text = trim(text);
        const std::int32_t pass = game_.width * game_.height;
        if (text.empty()) return pass;
        if (text.size() != 2) return -1;
        const std::int32_t column = coordinate(text[0]), row = coordinate(text[1]);
        if (column >= 0 && column < game_.width && row >= 0 && row < game_.height) return row * game_.width + column;
        return text == "tt" && game_.width <= 19 && game_.height <= 19 ? pass : -1;
    }

    std::uint32_t first(std::int32_t node) const { return out_.nodes[static_cast<std::size_t>(node)].first_property; }

    // Noted once per game, at the first occurrence.
    void note(Mend kind, Span where) {
        const std::uint32_t bit = 1U << static_cast<unsigned>(kind);
        if ((seen_ & bit) == 0) notes_.push_back({kind, 0, where.begin, 0});
        seen_ |= bit;
    }

    // Noted every time.
    void note_point(Mend kind, Span where, std::int32_t colour) {
        notes_.push_back({kind, static_cast<std::uint8_t>(colour), where.begin, moves_});
    }

    bool fault(const char* problem, Span where) {
        out_.faults.push_back({game_.number, where.begin, problem, where});
        return false;
    }

    Collection& out_;
    Game& game_;
    std::size_t& expansion_;
    std::vector<Note> notes_;
    std::uint32_t seen_ = 0, moves_ = 0;
};

// The opening of a game: the stones set up before the first move, and Black's moves before White's first.
struct Opening {
    std::int32_t black = 0, white = 0, black_moves = 0;
    bool white_first = false;
};

inline Opening opening(const Collection& parsed, const Game& game) {
    Opening found;
    std::vector<std::int32_t> stones(static_cast<std::size_t>(game.width * game.height) + 1);
    const auto event = [&](std::uint32_t i) { return Event(parsed.events[i]); };
    std::uint32_t i = game.first_event;
    for (; i < game.end_event && event(i).kind != Event::move; ++i)
        if (event(i).kind == Event::setup) stones[static_cast<std::size_t>(event(i).index)] = event(i).colour;
    found.black = static_cast<std::int32_t>(std::count(stones.begin(), stones.end(), BLACK));
    found.white = static_cast<std::int32_t>(std::count(stones.begin(), stones.end(), WHITE));
    found.white_first = i < game.end_event && event(i).colour == WHITE;
    const std::int32_t pass = game.width * game.height;
    for (; i < game.end_event; ++i) {
        if (event(i).kind == Event::to_play && event(i).colour == BLACK) return found;  // White was left out
        if (event(i).kind != Event::move) continue;
        if (event(i).colour != BLACK || event(i).index == pass) return found;
        ++found.black_moves;
    }
    found.black_moves = 0;  // White never moves: a diagram, not a handicap game
    return found;
}

// Extracts every main line; a game that cannot be played through leaves the collection and becomes a fault.
inline void extract_main_lines(Collection& out) {
    const std::vector<Note> parsed = std::move(out.notes);
    out.notes.clear();
    std::size_t kept = 0, expansion = allowed_expansion(out.text.size());
    for (std::size_t i = 0; i < out.games.size(); ++i) {
        Game game = out.games[i];
        MainLine line(out, game, expansion);
        if (!line.run()) continue;
        const auto begin = static_cast<std::uint32_t>(out.notes.size());
        out.notes.insert(out.notes.end(), parsed.begin() + static_cast<std::ptrdiff_t>(game.first_note),
                         parsed.begin() + static_cast<std::ptrdiff_t>(game.end_note));
        out.notes.insert(out.notes.end(), line.notes().begin(), line.notes().end());
        game.first_note = begin;
        game.end_note = static_cast<std::uint32_t>(out.notes.size());
        out.games[kept++] = game;
    }
    out.games.resize(kept);
    std::stable_sort(out.faults.begin(), out.faults.end(),
                     [](const Fault& a, const Fault& b) { return a.number < b.number; });
}

// Reads a whole collection. The text must outlive the result.
inline Collection parse(std::string_view text) {
    Collection out;
    out.text = text;
    if (text.size() > max_bytes) {
        out.faults.push_back({1, 0, "more than two gigabytes in one file", {}});
        return out;
    }
    out.nodes.reserve(text.size() / 6 + 4);
    out.properties.reserve(text.size() / 6 + 4);
    out.values.reserve(text.size() / 6 + 4);
    out.events.reserve(text.size() / 6 + 4);
    Parser(text, out).run();
    extract_main_lines(out);
    return out;
}

}  // namespace tengen::sgf
