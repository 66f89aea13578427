"""The tree as text."""

from __future__ import annotations

from tests.unit.frontend.parsing import kernel, parse
from transpiler.syntax.dump import dump_file


def test_dump() -> None:
    assert (
        dump_file(parse("#[kernel]\nfn k(n: i32) {\n    // c\n    n += 1;\n}\n"))
        == """\
File @0..48
  items:
    - Function @0..47
      head: ItemHead
        attributes:
          - Attribute @0..9
            text: '#[kernel]'
            meta: MetaItem @2..8
              path: Path @2..8
                segments:
                  - PathSegment @2..8
                    name: 'kernel'
      name: 'k'
      name_span: @13..14
      parameters:
        - Parameter @15..21
          pattern: IdentifierPattern @15..16
            name: 'n'
          type: PathType @18..21
            path: Path @18..21
              segments:
                - PathSegment @18..21
                  name: 'i32'
      body: Block @23..47
        statements:
          - ExpressionStatement @38..45
            expression: Assignment @38..44
              target: PathExpression @38..39
                path: Path @38..39
                  segments:
                    - PathSegment @38..39
                      name: 'n'
              value: IntegerLiteral @43..44
                value: 1
                text: '1'
              operator: ADD
            has_semicolon: True
            trivia: Trivia
              leading:
                - Comment @29..33
                  text: '// c'
"""
    )


def test_the_dump_tells_texts_apart_and_repeats_itself() -> None:
    one, other = parse(kernel("a();")), parse(kernel("b();"))
    assert dump_file(one) != dump_file(other)
    assert dump_file(one) == dump_file(parse(kernel("a();")))
