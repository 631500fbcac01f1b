# Random programs of effects, control flow and cooperating threads, compared with a model that is Python itself.
