// Shared by the binding files.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_board(nb::module_& module);
void bind_bradley_terry(nb::module_& module);
void bind_crbm(nb::module_& module);
void bind_enums(nb::module_& module);
void bind_move_pattern(nb::module_& module);
void bind_pattern(nb::module_& module);
void bind_fate_net(nb::module_& module);
void bind_fate_messages(nb::module_& module);
void bind_fate_tables(nb::module_& module);
void bind_forest(nb::module_& module);
void bind_graph(nb::module_& module);
void bind_inference(nb::module_& module);
void bind_linear_td(nb::module_& module);
void bind_move_features(nb::module_& module);
void bind_move_policy(nb::module_& module);
void bind_point_facts(nb::module_& module);
void bind_regions(nb::module_& module);
void bind_replay(nb::module_& module);
void bind_rows(nb::module_& module);
void bind_search(nb::module_& module);
void bind_sgf(nb::module_& module);
void bind_tactics(nb::module_& module);
