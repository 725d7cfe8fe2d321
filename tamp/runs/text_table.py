"""A table of text for a terminal, for Markdown and for LaTeX."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Form = Literal["text", "markdown", "latex"]


@dataclass(frozen=True)
class TextTable:
    """Columns and rows of cells. `align` has a letter for each column, `l` or `r`, as LaTeX has it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: str

    def written(self, form: Form) -> str:
        """The table in one of the forms, with its line end."""
        return {"text": self.text, "markdown": self.markdown, "latex": self.latex}[form]()

    def text(self) -> str:
        """In columns of equal width."""
        lines = (self.columns, *self.rows)
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        return "".join(self._padded(line, widths).rstrip() + "\n" for line in lines)

    def markdown(self) -> str:
        """As a Markdown table."""
        rule = tuple("---:" if side == "r" else "---" for side in self.align)
        lines = (self.columns, rule, *self.rows)
        return "".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |\n" for line in lines)

    def latex(self) -> str:
        """As a LaTeX tabular with booktabs' rules."""
        head, *body = (" & ".join(map(_escaped, line)) + r" \\" + "\n" for line in (self.columns, *self.rows))
        return (
            f"\\begin{{tabular}}{{{self.align}}}\n\\toprule\n{head}\\midrule\n"
            f"{''.join(body)}\\bottomrule\n\\end{{tabular}}\n"
        )

    def _padded(self, line: tuple[str, ...], widths: list[int]) -> str:
        sides = zip(line, widths, self.align, strict=True)
        return "  ".join(cell.rjust(width) if side == "r" else cell.ljust(width) for cell, width, side in sides)


def _escaped(cell: str) -> str:
    for special in "&%$#_":
        cell = cell.replace(special, f"\\{special}")
    return cell
