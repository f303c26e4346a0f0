// The Python module of the core: every file in this folder binds one header.
#include "interruptible.hpp"

NB_MODULE(_core, module) {
#ifdef NDEBUG
    // A thread that still runs when Python exits, or an exception kept in sys.last_exc, keeps objects alive, and the
    // leak report would go to the user's terminal. Debug builds keep the report to find real reference errors.
    nb::set_leak_warnings(false);
#endif
    module.doc() = "The native core of Tengen. Use the tengen package; names here may change between releases.";
    bind_enums(module);
    bind_board(module);
    bind_bradley_terry(module);
    bind_crbm(module);
    bind_pattern(module);
    bind_move_pattern(module);
    bind_fate_net(module);
    bind_fate_messages(module);
    bind_fate_tables(module);
    bind_forest(module);
    bind_graph(module);
    bind_inference(module);
    bind_linear_td(module);
    bind_move_features(module);
    bind_move_policy(module);
    bind_point_facts(module);
    bind_regions(module);
    bind_replay(module);
    bind_rows(module);
    bind_sgf(module);
    bind_search(module);
    bind_tactics(module);
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(python_begins_to_exit));
}
