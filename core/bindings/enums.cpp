// Binds the core's enums and colours as enum.IntEnum classes. Functions take and return plain numbers, which is faster
// than nanobind's enums.
#include <initializer_list>
#include <utility>

#include "bindings.hpp"
#include "tengen/augmented_graph.hpp"
#include "tengen/dynamic_komi.hpp"
#include "tengen/event.hpp"
#include "tengen/forest_growth.hpp"
#include "tengen/graph.hpp"
#include "tengen/playout.hpp"
#include "tengen/point_facts.hpp"
#include "tengen/position.hpp"
#include "tengen/sgf.hpp"
#include "tengen/tactics.hpp"

using namespace tengen;

namespace {

template <class Enum>
void bind_enum(nb::module_& module, const char* name, std::initializer_list<std::pair<const char*, Enum>> members) {
    nb::list pairs;
    for (const auto& [member, value] : members) pairs.append(nb::make_tuple(member, static_cast<int>(value)));
    module.attr(name) =
        nb::module_::import_("enum").attr("IntEnum")(name, pairs, nb::arg("module") = module.attr("__name__"));
}

}  // namespace

void bind_enums(nb::module_& module) {
    module.attr("BLACK") = static_cast<int>(BLACK);
    module.attr("WHITE") = static_cast<int>(WHITE);
    bind_enum<Ko>(module, "Ko",
                  {{"simple", Ko::simple}, {"positional", Ko::positional}, {"situational", Ko::situational}});
    bind_enum<Objection>(module, "Objection",
                         {{"none", Objection::none},
                          {"off_board", Objection::off_board},
                          {"occupied", Objection::occupied},
                          {"ko", Objection::ko},
                          {"superko", Objection::superko},
                          {"suicide", Objection::suicide}});
    bind_enum<Event::Kind>(module, "EventKind",
                           {{"move", Event::move}, {"setup", Event::setup}, {"to_play", Event::to_play}});
    bind_enum<Eye>(module, "Eye", {{"simple", Eye::simple}, {"diagonal", Eye::diagonal}});
    bind_enum<DynamicKomi>(module, "DynamicKomi",
                           {{"off", DynamicKomi::off}, {"ahead", DynamicKomi::ahead}, {"both", DynamicKomi::both}});
    bind_enum<First>(module, "First", {{"black", First::black}, {"white", First::white}, {"both", First::both}});
    bind_enum<Fate>(module, "Fate",
                    {{"escapes", Fate::escapes}, {"captured", Fate::captured}, {"unknown", Fate::unknown}});
    bind_enum<MoveFacts::Bit>(module, "Fact",
                              {{"legal", MoveFacts::legal},
                               {"captures", MoveFacts::captures},
                               {"self_atari", MoveFacts::self_atari},
                               {"atari", MoveFacts::atari},
                               {"ladder", MoveFacts::ladder},
                               {"extends", MoveFacts::extends},
                               {"saves", MoveFacts::saves},
                               {"connects", MoveFacts::connects},
                               {"fills_eye", MoveFacts::fills_eye},
                               {"false_eye", MoveFacts::false_eye},
                               {"sacrifice", MoveFacts::sacrifice}});
    bind_enum<Kind>(module, "NodeKind", {{"stone", STONE}, {"surround", SURROUND}, {"neutral", NEUTRAL}});
    bind_enum<Division>(module, "Division",
                        {{"single", Division::SINGLE},
                         {"nearest", Division::NEAREST},
                         {"liberties", Division::LIBERTIES},
                         {"points", Division::POINTS}});
    bind_enum<Relation>(module, "Relation",
                        {{"adjacent", ADJACENT},
                         {"bamboo", BAMBOO},
                         {"kosumi", KOSUMI},
                         {"hanging", HANGING},
                         {"one_space", ONE_SPACE},
                         {"keima", KEIMA},
                         {"edge", EDGE}});
    bind_enum<GraphNodes>(module, "GraphNodes", {{"stones", GraphNodes::stones}, {"chains", GraphNodes::chains}});
    bind_enum<Status>(module, "Status", {{"own", OWN}, {"opponent", OPPONENT}, {"side", SIDE}});
    bind_enum<QueryKind>(
        module, "QueryKind",
        {{"leaf", LEAF}, {"new", NEW}, {"distance", DISTANCE}, {"size", SIZE}, {"liberties", LIBERTIES}});
    bind_enum<Criterion>(module, "Criterion", {{"even", Criterion::even}, {"gain", Criterion::gain}});
    bind_enum<sgf::Mend>(module, "Mend",
                         {{"leading_junk", sgf::Mend::leading_junk},
                          {"trailing_junk", sgf::Mend::trailing_junk},
                          {"missing_semicolon", sgf::Mend::missing_semicolon},
                          {"missing_close", sgf::Mend::missing_close},
                          {"lower_case", sgf::Mend::lower_case},
                          {"repeated_property", sgf::Mend::repeated_property},
                          {"stray_text", sgf::Mend::stray_text},
                          {"empty_variation", sgf::Mend::empty_variation},
                          {"extra_root", sgf::Mend::extra_root},
                          {"bad_size", sgf::Mend::bad_size},
                          {"setup_outside", sgf::Mend::setup_outside},
                          {"several_moves", sgf::Mend::several_moves},
                          {"bad_player", sgf::Mend::bad_player},
                          {"bad_move", sgf::Mend::bad_move}});
    bind_enum<PointFact>(module, "PointFact",
                         {{"board", PointFact::board},
                          {"own", PointFact::own},
                          {"enemy", PointFact::enemy},
                          {"own_1", PointFact::own_1},
                          {"own_2", PointFact::own_2},
                          {"own_3", PointFact::own_3},
                          {"enemy_1", PointFact::enemy_1},
                          {"enemy_2", PointFact::enemy_2},
                          {"enemy_3", PointFact::enemy_3},
                          {"own_attacked", PointFact::own_attacked},
                          {"own_lost", PointFact::own_lost},
                          {"enemy_attacked", PointFact::enemy_attacked},
                          {"enemy_lost", PointFact::enemy_lost},
                          {"forbidden", PointFact::forbidden},
                          {"captures", PointFact::captures},
                          {"self_atari", PointFact::self_atari},
                          {"ladder", PointFact::ladder},
                          {"saves", PointFact::saves},
                          {"enemy_self_atari", PointFact::enemy_self_atari},
                          {"own_safe", PointFact::own_safe},
                          {"enemy_safe", PointFact::enemy_safe},
                          {"last_1", PointFact::last_1},
                          {"last_2", PointFact::last_2},
                          {"last_3", PointFact::last_3},
                          {"last_4", PointFact::last_4},
                          {"last_5", PointFact::last_5}});
}
