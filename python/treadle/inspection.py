"""`inspect.signature` for callables of the extension module, which have no signature of their own."""


class TellsSignature:
    """For the attribute `__signature__` of a class: the signature of `of_class`; for its instances, of `of_instances`.

    A subclass with an `__init__` in Python has that one's. Made on demand, as importing `inspect` takes longer than
    importing Treadle."""

    def __init__(self, of_class, of_instances=None):
        self._functions = of_class, of_instances

    def __get__(self, instance, owner):
        function = self._functions[instance is not None]
        if function is None:
            raise AttributeError("__signature__")
        import inspect

        if instance is None and hasattr(owner.__init__, "__code__"):
            return inspect.signature(owner.__init__.__get__(owner))  # without `self`
        return inspect.signature(function)
