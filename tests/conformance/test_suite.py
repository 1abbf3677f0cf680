"""The official conformance suite of MCP against the package's server.

Rule: every scenario that the suite has for a server at these revisions stands in one of the lists here, as passed or as
not offered, by name; a scenario that is new in the suite fails a test until somebody has put it into one.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conformance.servers import FOLDER, run_program
from tests.tools import nodes

RESULT = re.compile(r"^\S (\S+): (\d+) passed, (\d+) failed(?:, (\d+) warnings)?$", re.MULTILINE)  # of its summary
WITH_DEMO_TOOLS = {
    "2025-06-18": [
        "server-initialize", "ping", "logging-set-level", "server-session-lifecycle", "tools-list",
        "tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource",
        "tools-call-mixed-content", "tools-call-error",
    ],
    "2025-11-25": [
        "server-initialize", "ping", "logging-set-level", "server-session-lifecycle", "tools-list",
        "tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource",
        "tools-call-mixed-content", "tools-call-error",
        "server-sse-multiple-streams", "dns-rebinding-protection", "json-schema-2020-12",
    ],
    "2026-07-28": [
        "server-stateless", "tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-audio",
        "tools-call-embedded-resource", "tools-call-mixed-content", "tools-call-error",
        "server-sse-multiple-streams", "caching", "dns-rebinding-protection", "http-header-validation",
        "http-custom-header-server-validation", "json-schema-2020-12",
    ],
}  # fmt: skip
AS_SHIPPED = {
    "2025-06-18": ["server-initialize", "ping", "logging-set-level", "server-session-lifecycle", "tools-list"],
    "2025-11-25": [
        "server-initialize", "ping", "logging-set-level", "server-session-lifecycle", "tools-list",
        "server-sse-multiple-streams", "dns-rebinding-protection",
    ],
    "2026-07-28": ["tools-list", "server-sse-multiple-streams", "dns-rebinding-protection", "http-header-validation"],
}  # fmt: skip

NOT_OFFERED = {
    "what a tool says before its result": ["tools-call-with-logging", "tools-call-with-progress", "server-sse-polling"],
    "resources": [
        "resources-list", "resources-read-text", "resources-read-binary", "resources-templates-read",
        "resources-subscribe", "resources-unsubscribe", "sep-2164-resource-not-found",
    ],
    "prompts": [
        "prompts-list", "prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource",
        "prompts-get-with-image",
    ],
    "completion": ["completion-complete"],
    "sampling and elicitation": [
        "tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums",
        "input-required-result-basic-elicitation", "input-required-result-basic-sampling",
        "input-required-result-basic-list-roots", "input-required-result-request-state",
        "input-required-result-multiple-input-requests", "input-required-result-multi-round",
        "input-required-result-missing-input-response", "input-required-result-non-tool-request",
        "input-required-result-result-type", "input-required-result-unsupported-methods",
        "input-required-result-tampered-state", "input-required-result-capability-check",
        "input-required-result-ignore-extra-params", "input-required-result-validate-input",
    ],
    "extensions: tasks and skills": [
        "tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields", "tasks-request-state-removal",
        "tasks-mrtr-input", "tasks-request-headers", "tasks-dispatch-and-envelope", "tasks-status-notifications",
        "tasks-required-task-error", "tasks-mrtr-composition", "sep-2640-skills-directory",
        "sep-2640-skills-enumeration", "sep-2640-skills-manifest",
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def suite(node):
    """Runs the suite's command with these arguments."""
    packages = nodes.packages("conformance")
    program = Path(packages, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
    command = [node, "--import", (FOLDER / "authorise.mjs").as_uri(), str(program)]

    def run(arguments, environment):
        return run_program([*command, *arguments], environment)

    run.packages = packages
    return run


@pytest.fixture(scope="module")
def results(suite):
    """What came of each scenario against a server: (passed, failed, warnings). One run of the suite has them all."""
    known = {}

    def of(server, revision):
        if (server, revision) not in known:
            arguments = ["server", "--url", server.url, "--suite", "all", "--spec-version", revision]
            printed = suite(arguments, server.environment(suite.packages)).stdout
            known[server, revision] = {
                scenario: (int(passed), int(failed), int(warnings or 0))
                for scenario, passed, failed, warnings in RESULT.findall(printed)
            }
            assert known[server, revision], printed[-3000:]
        return known[server, revision]

    return of


def passes(suite, results, server, revision, scenario):
    passed, failed, warnings = results(server, revision).get(scenario, (0, 0, 0))
    if not passed or failed or warnings:
        arguments = ["server", "--url", server.url, "--scenario", scenario, "--spec-version", revision]
        pytest.fail(suite(arguments, server.environment(suite.packages)).stdout[-3000:])


@pytest.mark.everything
@pytest.mark.parametrize(
    ("revision", "scenario"), [(one, name) for one in WITH_DEMO_TOOLS for name in WITH_DEMO_TOOLS[one]]
)
def test_with_the_demo_tools(suite, results, demo_server, revision, scenario):
    passes(suite, results, demo_server, revision, scenario)


@pytest.mark.parametrize(("revision", "scenario"), [(one, name) for one in AS_SHIPPED for name in AS_SHIPPED[one]])
def test_as_shipped(suite, results, shipped_server, revision, scenario):
    passes(suite, results, shipped_server, revision, scenario)


@pytest.mark.everything
def test_every_scenario_of_the_suite_is_in_a_list(suite, demo_server):
    listing = suite(["list", "--server"], demo_server.environment(suite.packages)).stdout
    known = dict(re.findall(r"^  - (\S+) \[(.*)\]$", listing, re.MULTILINE))
    assert known
    refused = {name for names in NOT_OFFERED.values() for name in names}
    for revision, passed in WITH_DEMO_TOOLS.items():
        meant_for_it = {name for name, revisions in known.items() if revision in revisions.split(",")}
        assert meant_for_it - refused == set(passed), revision
    assert {name for name, revisions in known.items() if revisions == "extension"} <= refused
    assert refused <= set(known), "listed as not offered, but the suite does not have it"
