"""A process that changes the platform's database like its own processes; it reads steps, one per line.

It runs with the platform's environment. A step is [name, arguments] in JSON; the answer is [true, value] or
[false, text].
"""

import json
import sys
import traceback

import django

django.setup()

from django.apps import apps  # noqa: E402
from django.contrib.auth.models import Group, User  # noqa: E402

from controlplane.accounts import tokens  # noqa: E402
from controlplane.requestlog import outbox  # noqa: E402


def create_user(name, password, group):
    user = User.objects.create_user(name, password=password)
    user.groups.add(Group.objects.get_or_create(name=group)[0])
    return user.pk


def issue_token(user, name="test"):
    return tokens.issue_token(User.objects.get(username=user), name)


def create(model, **fields):
    return apps.get_model(model).objects.create(**fields).pk


def create_many(model, rows):
    model = apps.get_model(model)
    return len(model.objects.bulk_create([model(**row) for row in rows]))


def update(model, where, **fields):
    return apps.get_model(model).objects.filter(**where).update(**fields)


def delete(model, **where):
    return apps.get_model(model).objects.filter(**where).delete()[0]


def emit(kind, payload, times=1):
    return [outbox.emit(kind, payload).pk for _ in range(times)][-1]


STEPS = {
    step.__name__: step for step in (create_user, issue_token, create, create_many, update, delete, emit)
}


def main():
    print(json.dumps([True, "ready"]), flush=True)
    for line in sys.stdin:
        name, arguments = json.loads(line)
        try:
            answer = [True, STEPS[name](**arguments)]
        except Exception:
            answer = [False, traceback.format_exc()]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
