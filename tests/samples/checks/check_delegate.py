import gc

from delegate import FromHeap, FromStatic, HeapBase, StaticBase
from stress import Value, assert_balanced, assert_module_dies, assert_type_balanced, live, raises, run_pairs, run_threads

TYPES = (StaticBase, FromStatic, HeapBase, FromHeap)


def behaves() -> None:
    for kind in TYPES:
        value = Value()
        a = kind(value)
        assert a.value is value
        a.value = None
        del a.value
        assert a.value is None
        raises(TypeError, kind, 1, 2)
        if kind in (FromStatic, FromHeap):
            a.extra = a
            assert a.extra is a
    assert isinstance(FromStatic(), StaticBase) and isinstance(FromHeap(), HeapBase)


def every_member(value: object) -> None:
    for kind in TYPES:
        a = kind(value)
        a.value = value
        if kind in (FromStatic, FromHeap):
            a.extra = value
            a.extra = kind(value)
            a.extra.value = a
            kind(value).extra = value


def dies() -> None:
    for kind in TYPES:
        a, b = kind(), kind()
        a.value, b.value = b, a
        if kind in (FromStatic, FromHeap):
            a.extra, b.extra = b, a
        del a, b
        assert live(kind) == 0, kind
        for _ in range(100_000):
            chain = kind(chain) if _ else kind()
        del chain
        assert live(kind) == 0, kind


def python_subclasses_die() -> None:
    for base in (StaticBase, HeapBase):

        class Sub(base):
            pass

        a = Sub()
        a.value, a.more = a, a
        del a
        assert live(Sub) == 0


def is_shared() -> None:
    shared = [kind() for kind in TYPES]

    def link() -> None:
        for a in shared:
            a.value = shared[0]
            a.value = type(a)(a.value)

    def extras() -> None:
        for a in shared[1::2]:
            a.extra = a.value
            del a.extra

    for a in shared:
        run_pairs(lambda a=a: setattr(a, "value", Value()), lambda a=a: a.value)
    run_threads(link, extras, link)
    run_threads(link, extras, gc.collect, rounds=20)
    shared.clear()


behaves()
assert_balanced(every_member)
for kind in (FromStatic, HeapBase, FromHeap):
    assert_type_balanced(kind, kind)
dies()
python_subclasses_die()
is_shared()
assert all(live(kind) == 0 for kind in TYPES)
del kind, TYPES
assert_module_dies("delegate", ("FromStatic", "HeapBase", "FromHeap"))
