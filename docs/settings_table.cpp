// Prints the settings as the rows of a Markdown table: docs/tables.py puts them into settings.md.
#include "support/settings.h"

#include <iostream>

int main() {
  constexpr std::string_view types[] = {"text", "number", "number, also a fraction"};
  for (const treadle::SettingRow &row : treadle::settingRows()) {
    std::cout << "| `" << row.variable << "` | " << types[static_cast<size_t>(row.type)] << " | ";
    if (row.defaultText.empty())
      std::cout << "unset";
    else
      std::cout << '`' << row.defaultText << '`';
    std::cout << " | ";
    if (!row.numbaVariable.empty())
      std::cout << '`' << row.numbaVariable << '`';
    std::cout << " | " << row.sentence << " |\n";
  }
}
