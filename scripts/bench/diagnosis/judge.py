"""Compares what peaje said with what was set up."""


def judge(groups, expected, servers):
    """What is wrong with the verdicts, in words (empty: all right), and whether something healthy was accused."""
    wrong, accused = [], False
    for port in servers:
        here = [group for group in groups if group["server"].rsplit(":", 1)[-1].split("/")[0] == str(port)]
        wanted = [expectation for expectation in expected if expectation.port == port]
        codes = {expectation.code for expectation in wanted if expectation.code}
        for group in here:
            others = [code for code in group["verdict_codes"] if code not in codes]
            if others:
                wrong.append(f"{group['kind']} {group['name']}: {said(group)}")
                accused |= not codes
        for expectation in wanted:
            wrong += missed(here, expectation)
    return list(dict.fromkeys(wrong)), accused


def missed(groups, expectation):
    """What was not said of one application, or of the instance."""
    if expectation.app is None:
        named = [group for group in groups if group["kind"] == "instance"]
    else:
        named = [group for group in groups if group["kind"] == "application"
                 and group["name"].split(" @ ")[0] == expectation.app]
    # Sessions that are hardly ever met: peaje says that it cannot say whose they are. The instance must be right.
    if expectation.code and all(group["verdict"] == "cannot-say" for group in named):
        named = [group for group in groups if group["kind"] == "instance"]
    if not named:
        return [f"no group of {expectation.app or 'the instance'} at port {expectation.port}"]
    good = (lambda group: group["verdict_codes"][:1] == [expectation.code]) if expectation.code else (
        lambda group: group["verdict"] == "healthy" and group["pattern"] in expectation.patterns)
    return [f"{group['kind']} {group['name']}: {said(group)}" for group in named if not good(group)]


def said(group):
    return ", ".join(group["verdict_codes"]) or (
        group["pattern"] if group["verdict"] == "healthy" and group["pattern"] else group["verdict"])
