"""The public behaviour of bindtree_nanobind, as its maintainer tests it."""

import bindtree_nanobind
from tree_tests import TreeTests


class TestTree(TreeTests):
    Tree = bindtree_nanobind.Tree
