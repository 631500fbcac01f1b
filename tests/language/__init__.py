# The language, sentence by sentence.
