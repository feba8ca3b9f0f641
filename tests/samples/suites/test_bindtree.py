"""The public behaviour of bindtree, as its maintainer tests it."""

import bindtree
from tree_tests import TreeTests


class TestTree(TreeTests):
    Tree = bindtree.Tree

    def test_view_shows_its_tree(self):
        t = self.Tree()
        assert t.view().tree is t
