"""Checks of schemathesis for `.ci/check-api`: each generated request is sent a second time, below its app's path."""

import os

import requests
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

# Documents and states of the service, which exist once.
AT_ROOT_ONLY = ("/carillon.js", "/carillon-worker.js", "/openapi.yaml", "/status")
# The APIs of AppMetrica, ContextPush and Pushwoosh, whose requests name the app in a field of their own.
PREFIXES_AT_ROOT_ONLY = ("/push/v1/", "/v1/campaigns/", "/json/1.3/", "/api/v2/device-api/")
CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)
BELOW_APP = os.environ["API_BELOW_APP"]
session = requests.Session()
session.headers["Authorization"] = os.environ["API_AUTHORIZATION"]


# Which members a body needs, where the document says it in words, for the sake of generated clients. Without these nearly
# every generated body would be refused.
AUDIENCES = [["audience"], ["users"], ["devices"]]
NEEDED = {
    "ActivityAlert": [["title"], ["body"]],
    "ContextPushMessage": [["deliver_within_hours"], ["target_delivery_time"]],
    "NewActivity": AUDIENCES,
    "NewDevice": [["protocol", "token"], ["subscription"]],
    "NewTask": AUDIENCES,
    "RichieTask": [["topics"], ["external_user_ids"]],
}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    schemas = raw_schema["components"]["schemas"]
    for name, choices in NEEDED.items():
        schemas[name]["anyOf"] = [{"required": members} for members in choices]
    schemas["Audience"]["properties"]["all"]["enum"] = [True]


@schemathesis.check
def conformance_below_app(ctx, response, case):
    """The response may be another one, since the first request may have changed what exists."""
    path = case.operation.path
    if path in AT_ROOT_ONLY or path.startswith(PREFIXES_AT_ROOT_ONLY):
        return True
    again = case.call(base_url=BELOW_APP, session=session)
    for check in CHECKS:
        try:
            check(ctx, again, case)
        except Failure as failure:
            # The report shows the first request.
            failure.message = f"Sent to {BELOW_APP}. {failure.message}"
            raise
    return None
