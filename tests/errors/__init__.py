# Wrong programs, one per file, each with its exact error message.
