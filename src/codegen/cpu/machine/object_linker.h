// Links the object file of a CPU image into bytes, and the addresses that loading sets in them.
#pragma once

#include <string>

namespace treadle {
struct Image;
}

namespace treadle::codegen {

/// Fills `code`, `layout` and `debug` of the image whose entry the object file has. Equal objects give equal images.
void linkObject(const std::string &object, Image &image);

} // namespace treadle::codegen
