"""Passes every example of an OpenAPI document through generated models, which must keep all of its members."""

import datetime
import importlib
import inspect
import json
import re
import sys
import typing

import httpx
import yaml

from checks import check

METHODS = ("get", "post", "put", "patch", "delete")


def load(path):
    # Timestamps stay strings, as in messages.
    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers = {
            first: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
            for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    return yaml.load(path.read_text(), Loader)


def resolved(document, value):
    while isinstance(value, dict) and "$ref" in value:
        target = document
        for name in value["$ref"].removeprefix("#/").split("/"):
            target = target[name.replace("~1", "/")]
        value = target
    return value


def examples_of(document, body):
    """The schema's name, if it has one, and each example of a JSON body."""
    media = resolved(document, body).get("content", {}).get("application/json", {})
    name = media.get("schema", {}).get("$ref", "").split("/")[-1]
    for example in media.get("examples", {}).values():
        yield name, resolved(document, example)["value"]
    if "example" in media:
        yield name, media["example"]


def bodies(document):
    """Of each example: the operation, the status of a response or None, the schema's name, the value."""
    for item in document["paths"].values():
        for method in METHODS:
            operation = item.get(method, {})
            for name, value in examples_of(document, operation.get("requestBody", {})):
                yield operation, None, name, value
            for status, response in operation.get("responses", {}).items():
                for name, value in examples_of(document, response):
                    yield operation, int(status), name, value


def canonical(value):
    """Equal for equal times."""
    if isinstance(value, dict):
        return {name: canonical(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [canonical(inner) for inner in value]
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", value):
        return datetime.datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp()
    return value


def contains(whole, part):
    """A model may add members that are null."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return all(name in part or whole[name] is None for name in whole) and all(
            name in whole and contains(whole[name], part[name]) for name in part)
    if isinstance(whole, list) and isinstance(part, list):
        return len(whole) == len(part) and all(map(contains, whole, part))
    return whole == part


def through_client(operation, status, name, value):
    """Through the functions that openapi-python-client makes for each operation."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", operation["operationId"]).lower()
    endpoint = importlib.import_module(f"carillon_client.api.{operation['tags'][0]}.{words}")
    if status is not None:
        client = importlib.import_module("carillon_client").Client(base_url="http://localhost")
        parsed = endpoint._parse_response(client=client, response=httpx.Response(status, content=json.dumps(value)))
        return parsed if parsed is None else parsed.to_dict()
    accepted = inspect.signature(endpoint._get_kwargs).parameters["body"].annotation
    model = next(kind for kind in typing.get_args(accepted) or [accepted] if kind.__name__ == name)
    parameters = {
        parameter.name: "x" for parameter in inspect.signature(endpoint._get_kwargs).parameters.values()
        if parameter.default is parameter.empty and parameter.name != "body"
    }
    return endpoint._get_kwargs(body=model.from_dict(value), **parameters)["json"]


def through_models(operation, status, name, value):
    """Through the models of datamodel-codegen."""
    model = getattr(importlib.import_module("carillon_models"), name)
    return model.model_validate(value).model_dump(mode="json", by_alias=True, exclude_unset=True)


def through_pydantic(operation, status, name, value):
    """Through the models of openapi-generator."""
    model = getattr(importlib.import_module("openapi_client"), name)
    parsed = model.from_dict(value)
    return importlib.import_module("pydantic_core").to_jsonable_python(parsed.to_dict())


def check_examples(path, folder):
    sys.path[:0] = [str(folder), str(folder / "python")]
    document = load(path)
    count = 0
    for operation, status, name, value in bodies(document):
        for way in (through_client, through_models, through_pydantic):
            # Models are made of objects with a name, not of tables and of values of several types.
            schema = document["components"]["schemas"].get(name, {})
            if way is not through_client and not ("properties" in schema or "allOf" in schema):
                continue
            place = f"{way.__name__}, {operation['operationId']}, {status or 'request'}"
            try:
                result = way(operation, status, name, value)
            except Exception as error:
                check(False, f"{place}: {type(error).__name__}: {str(error)[:300]}")
                continue
            count += 1
            check(contains(canonical(result), canonical(value)), f"{place}: {value} became {result}")
    check(count > 300, f"only {count} examples of the document were tried")
    print(f"{count} examples kept by generated models")
