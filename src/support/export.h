// Marks what the shared libraries export; everything else is hidden (see cmake/treadle.map).
#pragma once

#define TREADLE_API __attribute__((visibility("default")))
