"""Folders of a broker on the file system."""


def folders(folder) -> dict[str, str]:
    for name in ("data", "control"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    data = str(folder / "data")
    return {"data_folder_in": data, "data_folder_out": data, "control_folder": str(folder / "control")}
