// The one door between Python and the core: every file in this folder binds one header.
#include "bindings.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The native core of Tengen. Use the tengen package; names here may change between releases.";
    bind_board(module);
    bind_pattern(module);
    bind_graph(module);
    bind_inference(module);
    bind_plain(module);
    bind_regions(module);
    bind_replay(module);
    bind_sgf(module);
    bind_search(module);
    bind_tactics(module);
}
