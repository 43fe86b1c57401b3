// The single header of Catch2 2, for Catch2 3, which has one header per feature.
#pragma once

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>

using Catch::Approx;
