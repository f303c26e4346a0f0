// Binds sgf.hpp and sgf_moves.hpp: a collection as one native object with accessors for games and nodes.
#include "bindings.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <tengen/sgf_moves.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace {

namespace sgf = tengen::sgf;
using tengen::Event;

// The parsed arrays together with the bytes they point into.
struct Records {
    nb::bytes text;
    sgf::Collection parsed;
};

using Events = nb::ndarray<nb::numpy, const std::int32_t, nb::ndim<1>, nb::c_contig>;

Records* parse_sgf(nb::bytes text) {
    const std::string_view view(text.c_str(), text.size());
    sgf::Collection parsed;
    {
        nb::gil_scoped_release released;
        parsed = sgf::parse(view);
    }
    return new Records{std::move(text), std::move(parsed)};
}

nb::str to_text(std::string_view view) {
    PyObject* text = PyUnicode_DecodeUTF8(view.data(), static_cast<Py_ssize_t>(view.size()), "replace");
    if (text == nullptr) throw nb::python_error();
    return nb::steal<nb::str>(text);
}

const sgf::Game& game_at(const Records& records, std::int64_t index) {
    if (index < 0 || index >= static_cast<std::int64_t>(records.parsed.games.size()))
        throw nb::index_error("no such game");
    return records.parsed.games[static_cast<std::size_t>(index)];
}

const sgf::Node& node_at(const Records& records, std::int64_t index) {
    if (index < 0 || index >= static_cast<std::int64_t>(records.parsed.nodes.size()))
        throw nb::index_error("no such node");
    return records.parsed.nodes[static_cast<std::size_t>(index)];
}

nb::tuple game_head(const Records& records, std::int64_t index) {
    const sgf::Game& game = game_at(records, index);
    return nb::make_tuple(game.number, game.root, game.width, game.height, game.text.begin, game.text.end);
}

nb::object game_events(nb::handle_t<Records> self, std::int64_t index) {
    const Records& records = nb::cast<const Records&>(self);
    const sgf::Game& game = game_at(records, index);
    const std::size_t count = game.end_event - game.first_event;
    return nb::cast(Events(records.parsed.events.data() + game.first_event, {count}, self));
}

// The moves of the main line, each the entry of `table` at Event::table_index().
nb::list game_moves(const Records& records, std::int64_t index, nb::list table) {
    const sgf::Game& game = game_at(records, index);
    if (table.size() != 4 * (static_cast<std::size_t>(game.width * game.height) + 1))
        throw nb::value_error("a table of another board");
    nb::list moves;
    for (std::uint32_t i = game.first_event; i < game.end_event; ++i)
        if (const Event event(records.parsed.events[i]); event.kind == Event::move)
            moves.append(nb::handle(PyList_GetItem(table.ptr(), event.table_index())));
    return moves;
}

std::int64_t move_count(const Records& records, std::int64_t index) {
    const sgf::Game& game = game_at(records, index);
    const auto first = records.parsed.events.begin();
    return std::count_if(first + game.first_event, first + game.end_event,
                         [](std::int32_t code) { return Event(code).kind == Event::move; });
}

nb::tuple game_opening(const Records& records, std::int64_t index) {
    const sgf::Opening opening = sgf::opening(records.parsed, game_at(records, index));
    return nb::make_tuple(opening.black, opening.white, opening.black_moves, opening.white_first);
}

nb::list game_notes(const Records& records, std::int64_t index) {
    const sgf::Game& game = game_at(records, index);
    nb::list notes;
    for (std::uint32_t i = game.first_note; i < game.end_note; ++i) {
        const sgf::Note& note = records.parsed.notes[i];
        notes.append(
            nb::make_tuple(static_cast<int>(note.mend), note.offset, static_cast<int>(note.colour), note.moves));
    }
    return notes;
}

nb::list faults(const Records& records) {
    nb::list list;
    for (const sgf::Fault& fault : records.parsed.faults) {
        std::string problem = fault.problem;
        if (const std::string_view shown = records.parsed.view(fault.shown); !shown.empty())
            problem.append(" [").append(shown.substr(0, 20)).append("]");
        list.append(nb::make_tuple(fault.number, fault.offset, to_text(problem)));
    }
    return list;
}

nb::list children(const Records& records, std::int64_t index) {
    nb::list list;
    for (std::int32_t child = node_at(records, index).first_child; child >= 0;
         child = node_at(records, child).next_sibling)
        list.append(child);
    return list;
}

nb::list main_line(const Records& records, std::int64_t index) {
    nb::list list;
    for (std::int32_t node = game_at(records, index).root; node >= 0; node = node_at(records, node).first_child)
        list.append(node);
    return list;
}

nb::list properties(const Records& records, std::int64_t index) {
    const sgf::Collection& parsed = records.parsed;
    nb::list list;
    const std::uint32_t end = (node_at(records, index), parsed.end_property(static_cast<std::int32_t>(index)));
    for (std::uint32_t p = node_at(records, index).first_property; p < end; ++p) {
        nb::list values;
        for (std::uint32_t v = parsed.properties[p].first_value; v < parsed.end_value(p); ++v)
            values.append(to_text(parsed.view(parsed.values[v])));
        list.append(nb::make_tuple(sgf::normal_name(parsed.view(parsed.properties[p].identifier)), values));
    }
    return list;
}

// The first raw value of each named property of a node, or None. Names have at most eight letters.
nb::tuple first_values(const Records& records, std::int64_t index, nb::tuple names) {
    const sgf::Collection& parsed = records.parsed;
    const sgf::Node& node = node_at(records, index);
    const std::uint32_t end = parsed.end_property(static_cast<std::int32_t>(index));
    nb::list found;
    for (nb::handle name : names) {
        const std::uint64_t code = sgf::name_code(nb::cast<std::string_view>(name));
        std::uint32_t p = node.first_property;
        while (p < end && parsed.properties[p].code != code) ++p;
        if (p < end) found.append(to_text(parsed.view(parsed.values[parsed.properties[p].first_value])));
        else found.append(nb::none());
    }
    return nb::tuple(found);
}

// From the name to the last "]" of a node's first property of that name, or None.
nb::object property_span(const Records& records, std::int64_t index, std::string_view name) {
    const sgf::Collection& parsed = records.parsed;
    const std::uint64_t code = sgf::name_code(name);
    std::uint32_t p = node_at(records, index).first_property;
    for (; p < parsed.end_property(static_cast<std::int32_t>(index)); ++p)
        if (parsed.properties[p].code == code)
            return nb::make_tuple(parsed.properties[p].identifier.begin,
                                  parsed.values[parsed.end_value(p) - 1].end + 1);
    return nb::none();
}

nb::tuple node_span(const Records& records, std::int64_t index) {
    const sgf::Span span = node_at(records, index).text;
    return nb::make_tuple(span.begin, span.end);
}

}  // namespace

void bind_sgf(nb::module_& module) {
    nb::class_<Records>(module, "Records", "A parsed collection of SGF games; nodes and games are accessed by index.")
        .def("__len__", [](const Records& records) { return records.parsed.games.size(); })
        .def_ro("text", &Records::text, "The UTF-8 bytes that were parsed.")
        .def_prop_ro(
            "node_count", [](const Records& records) { return records.parsed.nodes.size(); },
            "The number of nodes of the collection.")
        .def("head", &game_head, nb::arg("game"), "(number, root, width, height, begin, end) of a game.")
        .def("events", &game_events, nb::arg("game"), "The main line, see tengen.go.events.")
        .def("moves", &game_moves, nb::arg("game"), nb::arg("table"),
             "The moves of the main line, as entries of a table of all moves.")
        .def("move_count", &move_count, nb::arg("game"), "The number of moves of the main line.")
        .def("opening", &game_opening, nb::arg("game"),
             "(black and white stones set up, Black's first moves, White begins).")
        .def("notes", &game_notes, nb::arg("game"),
             "(kind, offset, colour, moves before it) of every repair in a game.")
        .def("main_line", &main_line, nb::arg("game"), "The nodes of the main line, root first.")
        .def("faults", &faults, "(number, offset, problem) of every game that could not be read.")
        .def("children", &children, nb::arg("node"), "The children of a node.")
        .def(
            "parent", [](const Records& records, std::int64_t index) { return node_at(records, index).parent; },
            nb::arg("node"), "The parent of a node, -1 for a root.")
        .def("properties", &properties, nb::arg("node"), "(identifier, raw values) pairs of a node.")
        .def("first_values", &first_values, nb::arg("node"), nb::arg("names"), "First raw value of each name, or None.")
        .def("property_span", &property_span, nb::arg("node"), nb::arg("name"), "(begin, end) of a property, or None.")
        .def("span", &node_span, nb::arg("node"), "(begin, end) of a node's text.");
    module.def("parse_sgf", &parse_sgf, nb::arg("text"), "Parses the UTF-8 bytes of a collection.");
}
