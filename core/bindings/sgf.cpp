#include "bindings.hpp"
void bind_sgf(nb::module_&) {}
