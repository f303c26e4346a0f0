"""The table of convergence: every kind of model, every method, and the double loop that converges on all."""

from tengen.benchmarks.convergence import METHODS, cases, fate_fields, main, middle_boards, outcomes


def test_the_double_loop_converges_on_every_case():
    for name, models in cases(middle_boards(None, 2)):
        found = outcomes(models)
        assert found.keys() == METHODS.keys()
        assert found["double loop"].converged == 1, name
        assert 0 < found["double loop"].error < 1
    weak = outcomes(fate_fields(middle_boards(None, 3), 0.3))
    assert [each.converged for each in weak.values()] == [1] * len(METHODS)
    assert max(each.error for each in weak.values()) < 0.01


def test_the_table_has_a_line_for_every_case(capsys):
    main(count=1)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 14
    assert {line.count("|") for line in lines} == {2 + len(METHODS)}
