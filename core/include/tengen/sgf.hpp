// Smart Game Format, FF[3] and FF[4]: parses the bytes of a collection into flat arrays.
//
// Reading guide. `parse` is the entry; `Parser::read_game` is the grammar, one character class per branch, with an
// explicit stack, so that nesting costs memory and never the call stack. Nodes, properties and values are stored in the
// order of the text: a node's properties run up to the next node's first one, a property's values up to the next
// property's first one. Nothing is copied: every span points into the caller's buffer.
//
// Broken files are repaired, with a note (`Mend`); only a value that never ends, nesting beyond `max_nesting`,
// rectangles beyond `allowed_expansion` and a record of another game make a game unreadable (`Fault`), and then reading
// continues at the next plausible game. Memory is at most a constant times the length of the text for any text;
// core/fuzz measures it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace tengen::sgf {

inline constexpr std::size_t max_bytes = 0x7fffffff;   // offsets are 32 bits wide
inline constexpr std::size_t max_nesting = 1'000'000;  // open parentheses at once

// Rectangles such as AB[aa:ZZ] stand for up to 2,704 points in seven bytes. The points they add beyond one per value
// are limited over all games of a text: to `free_expansion` plus `expansion_per_byte` for every byte of the text.
inline constexpr std::size_t free_expansion = 1'000'000;
inline constexpr std::size_t expansion_per_byte = 8;
inline constexpr std::size_t max_expansion = 0x7fffffff;
inline std::size_t allowed_expansion(std::size_t bytes) {
    const std::uint64_t allowed = free_expansion + expansion_per_byte * std::uint64_t{bytes};
    return allowed < max_expansion ? static_cast<std::size_t>(allowed) : max_expansion;
}

// Indices are 32 bits wide. Every node, property, value and note takes at least one byte of the text, a value takes two
// and gives at most one event over those counted as expansion.
static_assert(max_bytes <= 0x7fffffff && max_bytes / 2 + max_expansion < 0xffffffff);

struct Span {
    std::uint32_t begin = 0, end = 0;
};

struct Property {
    Span identifier;
    std::uint64_t code = 0;  // see name_code
    std::uint32_t first_value = 0;
};

struct Node {
    std::int32_t parent = -1, first_child = -1, next_sibling = -1;
    std::uint32_t first_property = 0;
    Span text;  // from ";" up to the next ";", "(" or ")"
};

// Repairs made while reading; their descriptions are in src/tengen/go/header.py.
enum class Mend : std::uint8_t {
    leading_junk,
    trailing_junk,
    missing_semicolon,
    missing_close,
    lower_case,
    repeated_property,
    stray_text,
    empty_variation,
    extra_root,
    bad_size,
    setup_outside,
    several_moves,
    bad_player,
    bad_move,
    count
};

// `colour` and `moves` are set for points outside the board: the colour of the move or stone, and the number of moves
// before it.
struct Note {
    Mend mend;
    std::uint8_t colour;
    std::uint32_t offset;
    std::uint32_t moves;
};

struct Game {
    std::int32_t number = 0;  // 1-based, unreadable games included
    std::int32_t root = -1;
    Span text;
    std::int32_t width = 19, height = 19;
    std::uint32_t first_note = 0, end_note = 0;
    std::uint32_t first_event = 0, end_event = 0;
};

struct Fault {
    std::int32_t number;
    std::uint32_t offset;
    const char* problem;
    Span shown = {};  // the value to quote, empty for none
};

struct Collection {
    std::string_view text;
    std::vector<Node> nodes;
    std::vector<Property> properties;
    std::vector<Span> values;
    std::vector<Game> games;
    std::vector<Note> notes;
    std::vector<Fault> faults;
    std::vector<std::int32_t> events;  // main lines, see sgf_moves.hpp

    std::string_view view(Span span) const { return text.substr(span.begin, span.end - span.begin); }
    std::uint32_t end_property(std::int32_t node) const {
        const auto next = static_cast<std::size_t>(node) + 1;
        return next < nodes.size() ? nodes[next].first_property : static_cast<std::uint32_t>(properties.size());
    }
    std::uint32_t end_value(std::uint32_t property) const {
        const auto next = static_cast<std::size_t>(property) + 1;
        return next < properties.size() ? properties[next].first_value : static_cast<std::uint32_t>(values.size());
    }
};

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
inline bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
inline bool is_name(char c) { return is_upper(c) || is_lower(c) || (c >= '0' && c <= '9') || c == '_'; }

// The letters of a name packed into a number, "KM" = 'K' << 8 | 'M'. Beyond eight letters it is a hash, never equal to
// the code of a short name.
constexpr std::uint64_t name_code(std::string_view letters) {
    std::uint64_t code = 0;
    for (const char c : letters) code = (letters.size() > 8 ? code * 131 : code << 8) + static_cast<unsigned char>(c);
    return letters.size() > 8 ? code | (std::uint64_t{1} << 63) : code;
}

// FF[3] allowed Black[pd] for B[pd]: lower-case letters are dropped. A name without any capital is kept whole.
inline std::string normal_name(std::string_view written) {
    std::string name;
    for (const char c : written)
        if (!is_lower(c)) name.push_back(c);
    if (!name.empty() && is_upper(name[0])) return name;
    name.assign(written);
    for (char& c : name)
        if (is_lower(c)) c = static_cast<char>(c - 'a' + 'A');
    return name;
}

class Parser {
public:
    Parser(std::string_view text, Collection& out) : text_(text), out_(out) {
        last_child_.reserve(out.nodes.capacity());
    }

    void run() {
        std::size_t at = find_start(0);
        bool junk_before = !blank(skip_mark(), at);
        while (at < text_.size()) {
            ++number_;
            const std::size_t end = read_game(at, junk_before);
            junk_before = false;
            at = find_start(end);
            if (!blank(end, at)) note_last_game(end);
        }
    }

private:
    static constexpr std::uint64_t root_names[] = {name_code("FF"), name_code("GM"), name_code("SZ"), name_code("CA"),
                                                   name_code("AP")};
    static constexpr std::uint64_t header_names[] = {
        name_code("PB"), name_code("PW"), name_code("KM"), name_code("HA"), name_code("RU"),
        name_code("RE"), name_code("DT"), name_code("EV"), name_code("GN"), name_code("AB"),
        name_code("AW"), name_code("US"), name_code("GC"), name_code("PC"), name_code("RO"),
        name_code("SO"), name_code("BR"), name_code("WR"), name_code("TM"), name_code("ST")};

    // Reads one game from its "(" on; returns its end, or where to continue after a fault.
    std::size_t read_game(std::size_t open, bool junk_before) {
        begin_game(open);
        if (junk_before) mend(Mend::leading_junk, 0);
        at_ = open;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (is_upper(c) || is_lower(c)) {
                if (node_open_ && read_plain_move()) continue;
                if (!read_property()) return resume_;
            } else if (c == ';') {
                open_node(at_);
                ++at_;
            } else if (c == '(') {
                if (root_ >= 0 && starts_with(at_, root_names)) break;
                if (stack_.size() >= max_nesting) return fail("variations are nested too deeply", at_, at_ + 1);
                close_node();
                stack_.push_back(current_);
                nodes_at_open_ = out_.nodes.size();
                ++at_;
            } else if (c == ')') {
                close_variation();
                if (stack_.empty()) return end_game(at_);
            } else {
                if (!is_space(c)) mend(Mend::stray_text, at_);
                ++at_;
            }
        }
        mend(Mend::missing_close, at_);
        return end_game(at_);
    }

    void begin_game(std::size_t open) {
        game_ = Game{};
        game_.number = number_;
        game_.text.begin = offset(open);
        game_.first_note = static_cast<std::uint32_t>(out_.notes.size());
        first_node_ = out_.nodes.size();
        first_property_ = out_.properties.size();
        first_value_ = out_.values.size();
        stack_.clear();
        seen_ = 0;
        current_ = root_ = -1;
        node_open_ = false;
        nodes_at_open_ = first_node_;
    }

    std::size_t end_game(std::size_t end) {
        close_node();
        if (root_ < 0) return fail("a game without a single node", game_.text.begin, end);
        game_.text.end = offset(end);
        game_.root = root_;
        game_.end_note = static_cast<std::uint32_t>(out_.notes.size());
        out_.games.push_back(game_);
        return end;
    }

    // Discards the game that could not be read.
    std::size_t fail(const char* problem, std::size_t at, std::size_t resume) {
        out_.nodes.resize(first_node_);
        last_child_.resize(first_node_);
        out_.properties.resize(first_property_);
        out_.values.resize(first_value_);
        out_.notes.resize(game_.first_note);
        out_.faults.push_back({number_, offset(at), problem, {}});
        return find_game(resume);
    }

    void open_node(std::size_t at) {
        close_node();
        if (current_ < 0 && root_ >= 0) {
            mend(Mend::extra_root, at);
            current_ = root_;
        }
        const auto index = static_cast<std::int32_t>(out_.nodes.size());
        Node node;
        node.parent = current_;
        node.first_property = static_cast<std::uint32_t>(out_.properties.size());
        node.text = {offset(at), offset(at)};
        out_.nodes.push_back(node);
        last_child_.push_back(-1);
        if (current_ >= 0) link(current_, index);
        if (root_ < 0) root_ = index;
        current_ = index;
        node_open_ = true;
    }

    void link(std::int32_t parent, std::int32_t child) {
        std::int32_t& last = last_child_[static_cast<std::size_t>(parent)];
        if (last < 0) out_.nodes[static_cast<std::size_t>(parent)].first_child = child;
        else out_.nodes[static_cast<std::size_t>(last)].next_sibling = child;
        last = child;
    }

    void close_node() {
        if (node_open_) out_.nodes[static_cast<std::size_t>(current_)].text.end = offset(at_);
        node_open_ = false;
    }

    void close_variation() {
        close_node();
        if (out_.nodes.size() == nodes_at_open_ && root_ >= 0) mend(Mend::empty_variation, at_);
        current_ = stack_.back();
        stack_.pop_back();
        nodes_at_open_ = static_cast<std::size_t>(-1);
        ++at_;
    }

    // The common case of `read_property`, "B[pd]" with nothing before it in the node: the same in one step.
    bool read_plain_move() {
        if (text_.size() - at_ < 6) return false;
        const char* c = text_.data() + at_;
        const bool move =
            (c[0] == 'B' || c[0] == 'W') && c[1] == '[' && is_name(c[2]) && is_name(c[3]) && c[4] == ']' && c[5] == ';';
        if (!move || out_.nodes.back().first_property != out_.properties.size()) return false;
        out_.properties.push_back(
            {{offset(at_), offset(at_ + 1)}, static_cast<std::uint64_t>(c[0]), offset(out_.values.size())});
        out_.values.push_back({offset(at_ + 2), offset(at_ + 4)});
        at_ += 5;
        return true;
    }

    // A name and its values; false when a value never ends.
    bool read_property() {
        const std::size_t begin = at_;
        bool upper = false;
        while (at_ < text_.size() && is_name(text_[at_])) upper = is_upper(text_[at_++]) || upper;
        const std::size_t end = at_;
        skip_space();
        if (at_ >= text_.size() || text_[at_] != '[') return mend(Mend::stray_text, begin), true;
        if (!node_open_) {
            mend(Mend::missing_semicolon, begin);
            open_node(begin);
        }
        if (!upper) mend(Mend::lower_case, begin);
        add_property(begin, end);
        while (at_ < text_.size() && text_[at_] == '[') {
            if (!read_value()) return false;
            skip_space();
        }
        return true;
    }

    void add_property(std::size_t begin, std::size_t end) {
        Property property;
        property.identifier = {offset(begin), offset(end)};
        property.code = code_at(begin, end);
        property.first_value = static_cast<std::uint32_t>(out_.values.size());
        const std::size_t first = out_.nodes.back().first_property;
        const std::size_t many = 64;  // beyond this many properties repetitions are merged without a note
        if (out_.properties.size() - first <= many)
            for (std::size_t i = first; i < out_.properties.size(); ++i)
                if (out_.properties[i].code == property.code) mend(Mend::repeated_property, begin);
        out_.properties.push_back(property);
    }

    bool read_value() {
        const std::size_t begin = ++at_;
        std::size_t bracket = 0;
        std::size_t end = begin < unclosed_ ? begin : text_.size();
        for (; end < text_.size() && text_[end] != ']'; ++end) {
            if (text_[end] == '\\') ++end;
            else if (text_[end] == '[') bracket = end;
        }
        const char* problem = "a value that begins here never ends: its ] is missing";
        if (end >= text_.size()) {
            if (begin < unclosed_) unclosed_ = begin;
            return resume_ = fail(problem, begin - 1, begin), false;
        }
        if (bracket != 0)
            if (const std::size_t next = swallowed_game(begin, bracket); next != 0)
                return resume_ = fail(problem, begin - 1, next), false;
        out_.values.push_back({offset(begin), offset(end)});
        at_ = end + 1;
        return true;
    }

    // "C[good game)(;GM[1]": if the value continues into the next game, returns that game's "(", otherwise 0.
    std::size_t swallowed_game(std::size_t begin, std::size_t bracket) const {
        std::size_t at = bracket;
        while (at > begin && is_upper(text_[at - 1])) --at;
        const std::size_t name = at;
        for (const char expected : {';', '(', ')'}) {
            while (at > begin && is_space(text_[at - 1])) --at;
            if (at <= begin || text_[--at] != expected) return 0;
        }
        if (!contains(root_names, code_at(name, bracket))) return 0;
        return text_.find('(', at);
    }

    // A game begins at "(" followed by ";" or a property, with any blanks or further "(" between.
    std::size_t find_start(std::size_t from) const {
        while ((from = text_.find('(', from)) < text_.size()) {
            std::size_t at = from;
            while (at < text_.size() && (is_space(text_[at]) || text_[at] == '(')) ++at;
            if (at < text_.size() && (text_[at] == ';' || property_code(at) != 0)) return from;
            from = at;
        }
        return text_.size();
    }

    // After a fault: the next "(;" whose first property belongs to the head of a game, not to a variation.
    std::size_t find_game(std::size_t from) const {
        while ((from = text_.find('(', from)) < text_.size()) {
            if (starts_with(from, root_names) || starts_with(from, header_names)) return from;
            ++from;
        }
        return text_.size();
    }

    template <std::size_t n>
    bool starts_with(std::size_t open, const std::uint64_t (&names)[n]) const {
        std::size_t at = after_space(open + 1);
        if (at >= text_.size() || text_[at] != ';') return false;
        return contains(names, property_code(after_space(at + 1)));
    }

    template <std::size_t n>
    static bool contains(const std::uint64_t (&names)[n], std::uint64_t code) {
        for (const std::uint64_t name : names)
            if (name == code) return true;
        return false;
    }

    // The code of the property at this place, 0 if there is none.
    std::uint64_t property_code(std::size_t at) const {
        const std::size_t begin = at;
        if (at >= text_.size() || !(is_upper(text_[at]) || is_lower(text_[at]))) return 0;
        while (at < text_.size() && is_name(text_[at])) ++at;
        const std::size_t end = at;
        at = after_space(at);
        return at < text_.size() && text_[at] == '[' ? code_at(begin, end) : 0;
    }

    std::uint64_t code_at(std::size_t begin, std::size_t end) const {
        const std::string_view written = text_.substr(begin, end - begin);
        std::uint64_t code = 0;
        for (const char c : written) {
            if (!is_upper(c) || written.size() > 8) return name_code(normal_name(written));
            code = code << 8 | static_cast<unsigned char>(c);
        }
        return code;
    }

    std::size_t after_space(std::size_t at) const {
        while (at < text_.size() && is_space(text_[at])) ++at;
        return at;
    }
    void skip_space() { at_ = after_space(at_); }
    std::size_t skip_mark() const { return text_.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0; }
    bool blank(std::size_t begin, std::size_t end) const { return after_space(begin) >= end; }
    static std::uint32_t offset(std::size_t at) { return static_cast<std::uint32_t>(at); }

    // Each kind of repair is noted once per game, at its first occurrence.
    void mend(Mend kind, std::size_t at) {
        const std::uint32_t bit = 1U << static_cast<unsigned>(kind);
        if ((seen_ & bit) == 0) out_.notes.push_back({kind, 0, offset(at), 0});
        seen_ |= bit;
    }

    void note_last_game(std::size_t at) {
        if (out_.games.empty() || out_.games.back().number != number_) return;
        out_.notes.push_back({Mend::trailing_junk, 0, offset(at), 0});
        out_.games.back().end_note = static_cast<std::uint32_t>(out_.notes.size());
    }

    std::string_view text_;
    Collection& out_;
    std::size_t at_ = 0, resume_ = 0;
    std::size_t unclosed_ = static_cast<std::size_t>(-1);  // no value that begins here or later ends
    std::size_t first_node_ = 0, first_property_ = 0, first_value_ = 0, nodes_at_open_ = 0;
    std::vector<std::int32_t> stack_, last_child_;
    Game game_;
    std::int32_t number_ = 0, current_ = -1, root_ = -1;
    std::uint32_t seen_ = 0;
    bool node_open_ = false;
};

}  // namespace tengen::sgf
