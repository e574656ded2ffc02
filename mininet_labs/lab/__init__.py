"""The Mininet lab: hosts in network namespaces, real UDP, Open vSwitch's userspace datapath.

Outside (`network.py`, our Python) and inside (`inside.py`, the system's Python, which has Mininet) are two
processes that talk in lines of JSON (`talk.py`). The inside is the first process of a process namespace, with
a network namespace of its own: when it ends, however it ends, the kernel ends everything in it and removes
every interface.
"""
