"""Cases for testdata/truth from the answers of a framework."""
import json

FIELDS = ("verdict", "fails_at", "place", "error", "timeline", "schemes")


def names_file(folder, wanted, text, suffix):
    """Returns the file in names/ with this text. Writes one if there is none."""
    for path in sorted((folder / "names").glob("*" + suffix)):
        if path.read_text(encoding="utf-8") == text:
            return path.name
    path = folder / "names" / (wanted + suffix)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path.name


def module_lines(rows):
    return "".join("\t".join([row["name"], row["type"], *(["x".join(map(str, row["shape"]))] if row.get("shape") else [])]) + "\n" for row in rows)


def case_of(job, answer, folder, about):
    """Writes the recipe and the names of a job below `folder`. Returns its line for cases.jsonl."""
    (folder / "recipes").mkdir(parents=True, exist_ok=True)
    (folder / "recipes" / (job["id"] + job["suffix"])).write_text(job["text"], encoding="utf-8")
    case = {"id": job["id"], "options": job["options"], "modules": names_file(folder, job["id"], module_lines(job["modules"]), ".tsv"), "about": about}
    if "params" in job:
        case["params"] = names_file(folder, job["id"], json.dumps(job["params"]) + "\n", ".json")
    if job["suffix"] != ".yaml":
        case["recipe"] = job["id"] + job["suffix"]
    return {**case, **{key: answer[key] for key in FIELDS if answer.get(key)}}


def record(file, cases):
    """Adds cases to a cases.jsonl, sorted by id. A case replaces one with the same id."""
    known = {}
    if file.exists():
        known = {case["id"]: case for case in map(json.loads, file.read_text(encoding="utf-8").splitlines())}
    known.update({case["id"]: case for case in cases})
    lines = [json.dumps(known[name], ensure_ascii=False) + "\n" for name in sorted(known)]
    file.write_text("".join(lines), encoding="utf-8")
