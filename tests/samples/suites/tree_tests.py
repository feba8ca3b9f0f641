"""What the three bindings of the tree have in common; each suite names its Tree.

    class TestTree(TreeTests):
        Tree = bindtree.Tree
"""

import gc

import pytest


class Noted:
    """Tells a list when it dies: a Tree itself cannot be referred to weakly."""

    def __init__(self, dead):
        self.dead = dead

    def __del__(self):
        self.dead.append(True)


class TreeTests:
    Tree: type
    shared: object  # one Tree for all threads

    def __init_subclass__(cls):
        cls.shared = cls.Tree()

    def test_empty(self):
        t = self.Tree()
        assert t.value is None
        assert t.parent is None
        assert len(t) == 0

    def test_value_can_be_set(self):
        value = object()
        t = self.Tree(value)
        assert t.value is value
        t.value = None
        assert t.value is None

    def test_children_come_back_last_first(self):
        t, child = self.Tree(), object()
        t.push(child)
        t.push(None)
        assert len(t) == 2
        assert t.pop() is None
        assert t.pop() is child

    def test_pop_from_empty_raises(self):
        with pytest.raises(IndexError):
            self.Tree().pop()

    def test_adopt_links_both_ways(self):
        t, child = self.Tree(), self.Tree()
        t.adopt(child)
        assert child.parent is t
        assert len(t) == 1
        assert t.pop() is child

    def test_adopt_takes_trees_only(self):
        with pytest.raises((TypeError, RuntimeError)):
            self.Tree().adopt(3)

    def test_clear_drops_the_children(self):
        dead = []
        t = self.Tree()
        t.push(Noted(dead))
        t.clear()
        assert dead == [True]
        assert len(t) == 0

    def test_what_is_held_dies_with_the_tree(self):
        dead = []
        t = self.Tree(Noted(dead))
        t.push(Noted(dead))
        assert dead == []
        del t
        assert dead == [True, True]

    def test_cycle_is_collected(self):
        dead = []
        t, child = self.Tree(Noted(dead)), self.Tree()
        t.adopt(child)
        t.value.tree = t
        del t, child
        gc.collect()
        assert dead == [True]

    def test_shared_tree_keeps_what_was_put_in_last(self):
        self.shared.value = [1]
        assert self.shared.value == [1]
        self.shared.push([1])
        assert len(self.shared) > 0
