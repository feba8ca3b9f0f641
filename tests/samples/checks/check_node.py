import gc
import weakref

import node
from node import Node
from stress import Value, assert_balanced, assert_module_dies, assert_type_balanced, live, raises, run_pairs, run_threads


def behaves() -> None:
    value, child = Value(), Node()
    a = Node(value, right=child)
    assert a.left is value and a.right is child
    a.left = None
    assert a.left is None
    del a.right
    assert a.right is None
    raises(IndexError, a.first)
    for i in range(100):
        a.push(str(i))
    assert len(a) == 100 and a.first() == "0" and a.pop() == "99" and len(a) == 99
    a.clear()
    assert len(a) == 0 and a.pop() is None
    raises(TypeError, Node, 1, 2, 3)
    raises(TypeError, a.push)


def every_method(value: object) -> None:
    a = Node(value)
    a.right = value
    a.push(value)
    a.push(value)
    a.first()
    a.pop()
    assert a.left is value
    a.push(a)
    a.left = a
    if a.right is value:
        del a.right


def dies() -> None:
    a = Node()
    a.left, a.right = a, Node(a)
    a.push(a)
    reference, called = weakref.ref(a), []
    watcher = weakref.ref(a.right, called.append)
    del a
    gc.collect()
    assert reference() is None and called == [watcher]

    class Sub(Node):
        def __del__(self) -> None:
            self.push(self.left)

    sub = Sub()
    sub.left = sub
    del sub
    gc.collect()
    assert live(Sub) == 0
    chain = None
    for _ in range(100_000):
        chain = Node(chain)
    del chain


def reenters() -> None:
    class Pusher:
        def __init__(self, owner: Node) -> None:
            self.owner = owner

        def __del__(self) -> None:
            self.owner.push(Value())
            self.owner.pop()

    a = Node()
    for _ in range(10):
        a.push(Pusher(a))
        a.left = Pusher(a)
    a.clear()
    a.left = None
    assert len(a) == 0


def is_shared() -> None:
    a, b = Node(), Node()

    def link() -> None:
        a.left, a.right = Node(a), a.left
        b.left = a.right
        del a.left

    def fill() -> None:
        a.push(Node(b))
        a.push(a.first())
        a.pop()
        b.push(a)

    def empty() -> None:
        len(a)
        a.pop()
        a.clear()
        a.first()

    run_pairs(
        lambda: setattr(a, "left", Node()),
        lambda: a.left,
        lambda: a.push(b),
        a.pop,
        a.first,
        a.clear,
        lambda: len(a),
    )
    run_threads(link, fill, empty, fill)
    run_threads(gc.collect, link, empty, rounds=20)
    reference = weakref.ref(a)
    del a, b, link, fill, empty
    gc.collect()
    assert reference() is None


behaves()
assert_balanced(every_method)
assert_type_balanced(Node, Node)
dies()
reenters()
is_shared()
assert live(Node) == 0
assert_module_dies("node", ("Node",))
