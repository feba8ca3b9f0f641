import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--build-tree", required=True, help="the build tree of one flavour")
    parser.addoption("--interpreter", required=True, help="the interpreter of that flavour")
    parser.addoption("--hooks", required=True, help="the library of empty coverage hooks")
