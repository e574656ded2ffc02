"""The Mininet lab: hosts in network namespaces, real UDP, userspace Open vSwitch.

It has two processes that exchange lines of JSON (`talk.py`): the outside (`network.py`, with the Python of
the project) and the inside (`inside.py`, with the Python of the system, which has Mininet). The inside is the
first process of a process namespace and has its own network namespace. When it ends for any reason, the
kernel ends all processes in the namespace and removes all interfaces.
"""
