# Wrong programs, one per file, with the message each must get.
