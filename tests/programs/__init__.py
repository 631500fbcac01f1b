# Random programs of effects, control flow and threads that work together, beside a model that is Python itself.
