"""Requests drawn from the description of the service: each is answered as described, or refused, and none fails."""

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("fastapi")
from starlette.testclient import TestClient

from tengen.protocols.http import responses
from tengen.protocols.http.app import make_app
from tengen.protocols.http.limits import Limits

QUICKLY = {"seconds": st.floats(0.001, 0.02), "playouts": st.integers(0, 8)}  # work within the limits takes time
POINTS = st.sampled_from(["A1", "B2", "C3", "D4", "E5", "J9", "pass", "a1", "T19", "Z99", "I5", ""])
SENSIBLE = {
    "board": st.integers(2, 5).flatmap(
        lambda size: st.lists(st.text("XO.", min_size=size, max_size=size), min_size=size, max_size=size)
    ),
    "sgf": st.sampled_from(["(;SZ[5];B[aa];W[bb])", "(;SZ[4]AB[aa][bb];W[cc];AW[dd])", "(;SZ[9]", "(;)", ";;"]),
    "rules": st.sampled_from(["japanese", "chinese", "aga", "new-zealand", '{"scoring": "AREA"}', "{}"]),
    "explain": st.lists(POINTS, max_size=3),
    "marks": st.dictionaries(POINTS, st.sampled_from(["alive", "dead", "seki"]), max_size=3),
    "moves": st.lists(st.tuples(st.sampled_from(["black", "white"]), POINTS), max_size=6),
}


UNHURRIED = settings(deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def client():
    with TestClient(make_app(Limits(quick_seconds=600, slow_seconds=600)), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="module")
def described(client):
    return client.get("/api/openapi.json").json()


def values(schema, described):
    """Return a strategy for a JSON schema, as far as the service's description uses the language."""
    if "$ref" in schema:
        return objects(described["components"]["schemas"][schema["$ref"].rpartition("/")[2]], described)
    if "anyOf" in schema:
        return st.one_of([values(each, described) for each in schema["anyOf"]])
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    if "prefixItems" in schema:
        return st.tuples(*(values(each, described) for each in schema["prefixItems"]))
    least, most = schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum")
    above = "exclusiveMinimum" in schema
    simple = {
        "null": st.none(),
        "boolean": st.booleans(),
        "integer": st.integers(None if least is None else int(least), None if most is None else int(most)),
        "number": st.floats(least, most, allow_nan=False, allow_infinity=False, exclude_min=above),
        "string": st.text(max_size=min(20, schema.get("maxLength", 20))),
    }
    if schema["type"] in simple:
        return simple[schema["type"]]
    if schema["type"] == "array":
        return st.lists(values(schema["items"], described), max_size=min(6, schema.get("maxItems", 6)))
    return objects(schema, described)


def field(name, schema, described):
    if name in QUICKLY:
        return QUICKLY[name]
    described_values = values(schema, described)
    return SENSIBLE[name] | described_values if name in SENSIBLE else described_values


def objects(schema, described):
    if "properties" not in schema:
        names = values({"type": "string", **schema.get("propertyNames", {})}, described)
        return st.dictionaries(names, values(schema["additionalProperties"], described), max_size=3)
    fields = {name: field(name, each, described) for name, each in schema["properties"].items()}
    needed = {*schema.get("required", ()), *QUICKLY} & set(fields)
    required = {name: fields.pop(name) for name in sorted(needed)}
    return st.fixed_dictionaries(required, optional=fields)


def consistent(request):
    """Return a request that is more likely to be answered: one position, and no fields that contradict it."""
    if "board_state" in request:
        return {**request, "board_state": [[0, 1, 0], [0, 1, 2]], "width": 3, "height": 2, "rules": "chinese"}
    source = next((name for name in ("board", "sgf", "sgf_base64") if request.get(name)), None)
    position = {"sgf": "(;SZ[4];B[aa];W[bb])"} if source is None else {source: request[source]}
    left_out = ("sgf", "sgf_base64", "board", "move", "moves", "handicap", "marks", "rules")
    return {**{name: value for name, value in request.items() if name not in left_out}, **position}


def check(client, described, path, examples):
    methods = described["paths"][path]["post"]
    asked = methods["requestBody"]["content"]["application/json"]["schema"]
    answer = methods["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]

    requests = values(asked, described)

    @settings(UNHURRIED, max_examples=examples)
    @given(requests | requests.map(consistent))
    def ask(request):
        nonlocal answered
        body = json.dumps(request).encode()
        response = client.post(path, content=body, headers={"content-type": "application/json"})
        assert response.status_code in (200, 400, 422), (path, body, response.text)
        model = getattr(responses, answer if response.status_code == 200 else "Problem")
        model.model_validate(response.json())
        answered += response.status_code == 200

    answered = 0
    ask()
    return answered


NUMBER = int(os.environ.get("TENGEN_REQUESTS", "1500"))
"""Requests for each path in `make check`."""
PATHS = ("score", "estimate", "moves", "record", "game", "play", "ogs")


@pytest.mark.parametrize("path", PATHS)
def test_described_requests_are_answered_as_described_or_refused(client, described, path):
    check(client, described, f"/api/{path}", 10)


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_many_described_requests(client, described, path):
    assert check(client, described, f"/api/{path}", NUMBER) > NUMBER / 50


def test_every_path_is_tried(described):
    assert {f"/api/{path}" for path in PATHS} == {path for path, each in described["paths"].items() if "post" in each}
