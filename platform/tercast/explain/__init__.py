"""Why one event goes where it goes: the entries it meets, who receives it and who does not, and why."""
