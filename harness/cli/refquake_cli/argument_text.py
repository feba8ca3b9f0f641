"""Text that came with a file and goes to a process as an argument, or into a path: not any text can.

check_argument_text("lambda: Node()")
check_argument_text("\\0")              # ValueError says what is wrong with it
"""


def check_argument_text(text: str) -> None:
    if "\0" in text:
        raise ValueError(f"{text[:60]!r} holds a NUL character")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(f"{text[:60]!r} holds half of a surrogate pair")
