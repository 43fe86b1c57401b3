#!/usr/bin/env python3
"""Holds what `validate --format` prints for many recipes against the rules of each format.

    formats.py <sparsecfg> <file or folder>...

JSON is held against `sparsecfg schema report`; SARIF against the rules of its 2.1.0 specification for the parts that
are used; the others against what their readers ask for. All formats must hold the same findings and give the same
exit status.
"""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from urllib.parse import urlparse

FAILURES = []


def check(condition, what):
    if not condition:
        FAILURES.append(what)


def report(program, name, paths):
    result = subprocess.run(
        [program, "validate", "--verbose", "--steps-per-epoch", "10", "--format", name, *paths], capture_output=True, check=False)
    text = result.stdout.decode("utf-8")
    unsafe = re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", text)
    check(not unsafe, f"{name}: the character {unsafe and ascii(unsafe.group())} is not escaped")
    return result.returncode, text


def check_region(region, where):
    start = (region["startLine"], region["startColumn"])
    end = (region["endLine"], region["endColumn"])
    check(min(start + end) >= 1 and start <= end, f"sarif: {where}: the region {region}")


def check_location(location, where):
    physical = location["physicalLocation"]
    uri = urlparse(physical["artifactLocation"]["uri"])
    check(uri.scheme in ("", "file") and uri.path, f"sarif: {where}: the URI {uri}")
    check_region(physical["region"], where)


def check_result(result, rules, where):
    check(rules[result["ruleIndex"]]["id"] == result["ruleId"], f"sarif: {where}: ruleIndex")
    check(result["level"] in ("none", "note", "warning", "error"), f"sarif: {where}: level")
    check(result["message"]["text"], f"sarif: {where}: no message")
    check(all(isinstance(value, str) for value in result["partialFingerprints"].values()), f"sarif: {where}: fingerprints")
    for location in result["locations"] + result.get("relatedLocations", []):
        check_location(location, where)
    for fix in result.get("fixes", []):
        check(fix["artifactChanges"], f"sarif: {where}: an empty fix")
        for change in fix["artifactChanges"]:
            check(change["replacements"], f"sarif: {where}: an empty change")
            for replacement in change["replacements"]:
                check_region(replacement["deletedRegion"], where)


def count_sarif(text):
    log = json.loads(text)
    check(log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json"), "sarif: version")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    check(driver["name"] == "sparsecfg" and driver["version"], "sarif: driver")
    rules = driver["rules"]
    ids = [rule["id"] for rule in rules]
    check(len(set(ids)) == len(ids), "sarif: a rule is there twice")
    for rule in rules:
        check(rule["shortDescription"]["text"] and rule["help"]["text"], f"sarif: {rule['id']}: no text")
    seen = set()
    for result in run["results"]:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        key = (uri, *result["partialFingerprints"].values())
        check(key not in seen, f"sarif: {uri}: a fingerprint is there twice")
        seen.add(key)
        check_result(result, rules, f"{uri} {result['ruleId']}")
    return len(run["results"])


def count_json(text, schema):
    out = json.loads(text)
    if schema is not None:
        try:
            schema[0].validate(out, schema[1])
        except schema[0].ValidationError as error:
            check(False, f"json: {error.message}")
    counts = [out["summary"][key] for key in ("errors", "warnings", "infos")]
    findings = sum(len(each["diagnostics"]) for each in out["files"])
    check(sum(counts) == findings, "json: the summary does not fit the findings")
    return findings


def count_lines(text):
    for line in text.splitlines():
        check({"path", "code", "span"} <= json.loads(line).keys(), "json-lines: a finding lacks a member")
    return len(text.splitlines())


def count_gitlab(text):
    findings = json.loads(text)
    check(len({each["fingerprint"] for each in findings}) == len(findings), "gitlab: a fingerprint is there twice")
    for each in findings:
        check(each["severity"] in ("info", "minor", "major", "critical", "blocker"), "gitlab: severity")
        check(each["location"]["lines"]["begin"] >= 1, "gitlab: line")
    return len(findings)


def count_junit(text):
    root = xml.fromstring(text)
    cases = root.findall("testsuite/testcase")
    check(int(root.get("tests")) == len(cases), "junit: tests")
    check(int(root.get("failures")) == len(root.findall("testsuite/testcase/failure")), "junit: failures")
    return len([case for case in cases if len(case)])


def count_checkstyle(text):
    errors = xml.fromstring(text).findall("file/error")
    check(all(each.get("severity") in ("error", "warning", "info") for each in errors), "checkstyle: severity")
    return len(errors)


def count_rdjson(text):
    findings = json.loads(text)["diagnostics"]
    for each in findings:
        check(each["severity"] in ("ERROR", "WARNING", "INFO"), "rdjson: severity")
        start = each["location"]["range"]["start"]
        check(start["line"] >= 1 and start["column"] >= 1, "rdjson: place")
    return len(findings)


def count_agent(text):
    return len([line for line in text.splitlines() if line.startswith("cause: ")])


def count_github(text):
    line = re.compile(r"::(error|warning|notice) title=[^:,]+,file=[^:,]+,line=\d+,endLine=\d+(,col=\d+,endColumn=\d+)?::.+")
    for each in text.splitlines():
        check(line.fullmatch(each), f"github: {each!r}")
    return len(text.splitlines())


def count_concise(text):
    for each in text.splitlines():
        check(re.fullmatch(r".+:\d+:\d+: (error|warning|info): .+ \[[A-Z]{2}\d{3} [a-z0-9-]+\]", each), f"concise: {each!r}")
    return len(text.splitlines())


def schema_of(program):
    try:
        import jsonschema
    except ImportError:
        print("the JSON schema is not checked: python3-jsonschema is not installed")
        return None
    text = subprocess.run([program, "schema", "report"], capture_output=True, check=True).stdout
    return jsonschema, json.loads(text)


def formats_of(program):
    """The values of the option."""
    text = subprocess.run([program, "validate", "--help-all"], capture_output=True, text=True, check=True).stdout
    return set(re.search(r"--format FORMAT.*?Values: (.*?)\n  -", text, re.DOTALL)[1].replace("\n", " ").replace(" ", "").split(","))


def main():
    program, *paths = sys.argv[1:]
    schema = schema_of(program)
    counters = {
        "json": lambda text: count_json(text, schema), "json-lines": count_lines, "sarif": count_sarif,
        "gitlab": count_gitlab, "junit": count_junit, "checkstyle": count_checkstyle, "rdjson": count_rdjson,
        "github": count_github, "agent": count_agent, "concise": count_concise,
    }
    check(formats_of(program) == {*counters, "text"}, "a format has no checks")
    counts = {}
    statuses = set()
    for name, count in counters.items():
        status, text = report(program, name, paths)
        statuses.add(status)
        counts[name] = count(text)
    check(counts.pop("agent") == 40, "agent lists the first 40 findings")
    check(len(set(counts.values())) == 1, f"the formats hold different numbers of findings: {counts}")
    check(len(statuses) == 1, f"the formats give different exit statuses: {statuses}")
    for failure in FAILURES[:20]:
        print(failure)
    print(f"{counts['json']} findings in {len(counters)} formats, {len(FAILURES)} failures")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
