"""The public behaviour of bindtree_cython, as its maintainer tests it."""

import bindtree_cython
import pytest
from tree_tests import TreeTests


class TestTree(TreeTests):
    Tree = bindtree_cython.Tree

    def test_last_stays(self):
        t, child = self.Tree(), object()
        with pytest.raises(IndexError):
            t.last()
        t.push(child)
        assert t.last() is child
        assert len(t) == 1
