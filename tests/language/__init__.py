# The language specification, sentence by sentence.
