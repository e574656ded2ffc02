"""An independent check of the steps of a table update."""

from itertools import combinations, product

from tercast.tables.entries import Entry, Output, SetDst
from tercast.updates.update_plan import UpdateStep

BITS = 4


POINTS = ["".join(bits) for bits in product("01", repeat=BITS)]


PORTS = (None, 3, 4)


LINKS = (1, 2)


HOSTS = ("a", "b")


def entry(dz: str, outputs, port=None) -> Entry:
    """Links as numbers, hosts as names."""
    actions = [Output(one) for one in sorted(one for one in outputs if one in LINKS)]
    for host in sorted(one for one in outputs if one in HOSTS):
        actions += [SetDst(host), Output(9)]
    value = int(dz.ljust(16, "0"), 2)
    dst = f"ff0e:4:{value:x}::/{32 + len(dz)}" if value else f"ff0e:4::/{32 + len(dz)}"
    rise = 1000 if port is not None else 0
    return Entry(dst, port, 18 + len(dz) + rise, tuple(actions))


def dz_of(one: Entry) -> str:
    if not one.dst:
        return ""
    address, _, length = one.dst.partition("/")
    groups = address.split("::")[0].split(":")
    return (f"{int(groups[2], 16):016b}" if len(groups) > 2 else "0" * 16)[: int(length) - 32]


def met(table, point, port):
    """The entry of highest priority that matches, or None."""
    found = [one for one in table.values() if point.startswith(dz_of(one)) and one.in_port in (None, port)]
    return max(found, key=lambda one: one.priority, default=None)


def said(one):
    """The outputs of an entry."""
    if one is None:
        return frozenset()
    hosts = {action.host for action in one.actions if isinstance(action, SetDst)}
    return frozenset(hosts | {action.port for action in one.actions if isinstance(action, Output)} - {9})


REST = "rest"
"""In place of an entry's key: the default action for unmatched events."""


def every_table(before, found: list[UpdateStep]):
    """The table after each single change."""
    table = {one.key: one for one in before}
    yield dict(table)
    for step in found:
        keys = [one.key for one in (*step.added, *step.modified, *step.removed)]
        assert keys or step.rest is not None
        assert len(keys) == len(set(keys)), "a step says one thing of a key"
        for one in sorted(step.added + step.modified, key=lambda one: -one.priority):
            assert (one.key in table) == (one in step.modified)
            table[one.key] = one
            yield dict(table)
        if step.rest is not None:
            table.pop(REST, None)
            table |= {REST: Entry("", None, 0, step.rest)} if step.rest else {}
            yield dict(table)
        for one in step.removed:
            del table[one.key]
            yield dict(table)


def judge(before, after, limit, found, trees=None, rest=False) -> None:
    """Check the steps between two tables.

    Args:
        trees: the links of the tree that owns each quarter; None for no coarse entries.
        rest: whether unmatched events may be sent somewhere temporarily.
    """
    old, new = ({one.key: one for one in table} for table in (before, after))
    last = None
    for table in every_table(before, found):
        last = table
        assert len(table) - (REST in table) <= limit
        assert rest or REST not in table
        for point, port in product(POINTS, PORTS):
            was, will, now = (said(met(one, point, port)) for one in (old, new, table))
            assert was & will <= now, "something is lost"
            links = now & set(LINKS)
            on_tree = trees is not None and links <= trees[point[:2]]
            assert links <= was or links <= will or on_tree, "sent off the trees"
            coarser = trees is not None or REST in table
            assert coarser or now <= was | will, "redundant without a coarser entry"
    assert last == new


def owned(trees):
    """The same links as prefixes that trees own."""
    return {entry(cell, ()).dst: links for cell, links in trees.items()}


def permit_of(trees):
    """The links that the trees of the quarters have in common."""

    def permit(dst: str):
        dz = dz_of(Entry(dst, None, 0, ())) if int(dst.split("/")[1]) >= 32 else None
        if dz is None:
            return None
        meeting = [links for cell, links in trees.items() if cell.startswith(dz) or dz.startswith(cell)]
        return frozenset.intersection(*meeting)

    return permit


SMALL = ["", "0", "1", "00", "01", "10", "11"]


QUARTERS = SMALL[3:]


SUBSETS = [frozenset(some) for n in range(4) for some in combinations((*LINKS, "a"), n)]


def answer(rows, point):
    """The outputs of a table by cells at a point; None for none."""
    return rows[max(over, key=len)] if (over := [dz for dz in rows if point.startswith(dz)]) else None


def some_way(old, new, limit, trees) -> bool:
    """Whether single changes lead from one table to another, by trying all possible tables."""
    was, will = ({p: answer(rows, p) or frozenset() for p in QUARTERS} for rows in (old, new))

    def safe(rows, rest):
        for p in QUARTERS:
            now = answer(rows, p)
            now = rest if now is None else now
            links = now & {*LINKS}
            if not (was[p] & will[p] <= now and any(links <= may for may in (was[p], will[p], trees[p]))):
                return False
        return True

    def after(rows, rest):
        for dz in SMALL:
            if dz in rows:
                yield {key: said for key, said in rows.items() if key != dz}, rest
            if dz in rows or len(rows) < limit:
                yield from (({**rows, dz: outputs}, rest) for outputs in SUBSETS)
        yield from ((rows, outputs) for outputs in SUBSETS)

    goal = (frozenset(new.items()), frozenset())
    todo = [(old, frozenset())]
    seen = {(frozenset(old.items()), frozenset())}
    while todo and goal not in seen:
        for rows, rest in after(*todo.pop()):
            state = (frozenset(rows.items()), rest)
            if state not in seen and safe(rows, rest):
                seen.add(state)
                todo.append((rows, rest))
    return goal in seen
