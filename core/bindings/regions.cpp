// Binds regions.hpp.
#include "tengen/regions.hpp"

#include "arrays.hpp"

namespace {

// The region of every point: [row, column].
Array<std::int32_t> number_regions(nb::handle given) {
    const auto values = given_array<const std::int8_t, 2>(given, "values");
    if (values.size() > 1'000'000) throw nb::value_error("a grid of at most a million points");
    std::int32_t* regions;
    auto array = new_array<std::int32_t>({values.shape(0), values.shape(1)}, regions);
    nb::gil_scoped_release release;
    tengen::number_regions(values.data(), values.shape(0), values.shape(1), regions);
    return array;
}

}  // namespace

void bind_regions(nb::module_& module) { module.def("number_regions", &number_regions, nb::arg("values")); }
