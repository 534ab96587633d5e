"""Takes: the files of one bake of one object, and the record beside them. A bake never writes over an older one.

    jounce_cache/shot/Ear.001.abc        the cache; shot is the name of the scene file
    jounce_cache/shot/Ear.001.abc.json   its record: what was baked, how far, from which inputs
    jounce_cache/shot/Ear.001.pc2        the same for a host that cannot read Alembic; of a second object that was baked
                                         together with the first, Ear.001.body1.pc2

Only takes that are marked as freed are ever removed, and only from the folder of the scene file that freed them.
"""
import collections
import json
import os
import re
import shutil

from .scene_checks import SceneError

FOLDER = "jounce_cache"
RECORD = ".json"
RESUME = ".resume"
POINTS = ".pc2"

# first_frame, frame_count: what was to be baked. frames_done: how far it came. fingerprint: {part of the inputs: text}.
# freed: the artist has freed or replaced it. report: of take_writer, {} until the bake has ended. others: {name of an object
# that was baked together with the first: its fingerprint}, in the order of the cache.
Record = collections.namedtuple("Record", "object first_frame frame_count frames_done fingerprint freed report others",
                                defaults=({},))


def objects_of(record):
    """Names of all objects of the bake, in the order of the cache."""
    return [record.object, *record.others]


def fingerprint_of(record, object_name):
    """Of the inputs of one object of the bake; of the first one if the name is unknown, as after a change of names."""
    return record.others.get(object_name, record.fingerprint)


def folder_of(scene_file):
    """The folder for the takes of a saved scene file."""
    folder, name = os.path.split(scene_file)
    return os.path.join(folder, FOLDER, os.path.splitext(name)[0])


def file_stem(object_name):
    """The object's name as a part of file names that is valid on every system."""
    return re.sub(r'[\x00-\x1f<>:"/\\|?*]', "_", object_name).strip(". ") or "object"


def reserve(folder, object_name, record):
    """Makes a new take with its record and returns the path of its cache, which is not there yet. Raises SceneError.

    Two programs that reserve at once get two takes.
    """
    stem = file_stem(object_name)
    try:
        os.makedirs(folder, exist_ok=True)
        number = 1 + max([_number(name, stem) for name in os.listdir(folder)] + [0])
        while True:
            path = os.path.join(folder, "{}.{:03d}.abc".format(stem, number))
            try:
                with open(path + RECORD, "x", encoding="utf-8") as file:
                    file.write(_text(record))
                return path
            except FileExistsError:
                number += 1
    except OSError as error:
        raise SceneError("The cache cannot be written: {}. Free some space, or save the file to a folder that can be "
                         "written.".format(error)) from error


def _number(name, stem):
    found = re.match(re.escape(stem) + r"\.(\d{3,9})\.(abc|pc2)", name, re.IGNORECASE)
    return int(found.group(1)) if found else 0


def write_record(path, record):
    """Replaces the record of the take at `path`; raises OSError."""
    new = path + RECORD + ".new"
    with open(new, "w", encoding="utf-8") as file:
        file.write(_text(record))
    os.replace(new, path + RECORD)


def _text(record):
    return json.dumps(record._asdict(), indent=1)


def read_record(path):
    """The record of the take at `path`; None: there is none, or it is not ours."""
    try:
        with open(path + RECORD, encoding="utf-8") as file:
            return _checked(json.load(file))
    except (OSError, ValueError):
        return None


def _checked(values):
    """A Record of what a file held, None if a part of it is missing or of another kind."""
    kinds = {"object": str, "first_frame": int, "frame_count": int, "frames_done": int, "fingerprint": dict,
             "freed": bool, "report": dict, "others": dict}
    values = dict({"others": {}}, **values) if isinstance(values, dict) else None
    if values is None or not all(isinstance(values.get(key), kind) for key, kind in kinds.items()):
        return None
    return Record(**{key: values[key] for key in kinds})


def exists(path):
    """Whether the take at `path` has frames to play."""
    return os.path.isfile(path) or os.path.isfile(points_file(path))


def points_file(path, number=0):
    """number: of the object in the cache."""
    return os.path.splitext(path)[0] + (".body{}".format(number) if number else "") + POINTS


def points_files(path):
    """Those of the take at `path` that are there."""
    record = read_record(path)
    paths = [points_file(path, number) for number in range(len(objects_of(record)) if record else 1)]
    return [found for found in paths if os.path.isfile(found)]


def take_of(path):
    """The take that the played file `path` belongs to."""
    stem, ending = os.path.splitext(path)
    return re.sub(r"\.body\d+$", "", stem) + ".abc" if ending == POINTS else path


def is_complete(record):
    return record.frames_done >= record.frame_count


def finished_range(record):
    """(first, last) finished frame, None: there is none."""
    return (record.first_frame, record.first_frame + record.frames_done - 1) if record.frames_done > 0 else None


def mark(path, freed):
    """Marks the take as freed, or as in use again. A take that cannot be marked is kept."""
    record = read_record(path)
    if record is not None and record.freed != freed:
        try:
            write_record(path, record._replace(freed=freed))
        except OSError:
            pass


def all_takes(folder, read=read_record):
    """{path: record} of the takes in a folder. read: read_record, or one that remembers unchanged files."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return {}
    paths = [os.path.join(folder, name[:-len(RECORD)]) for name in names if name.endswith(".abc" + RECORD)]
    found = {path: read(path) for path in paths}
    return {path: record for path, record in found.items() if record is not None}


def loose_take(folder, object_name, used, read=read_record):
    """The newest take of the object that has frames, was not freed and is not in `used`; None: there is none."""
    loose = [path for path, record in all_takes(folder, read).items()
             if object_name in objects_of(record) and record.frames_done > 0 and not record.freed and path not in used
             and exists(path)]
    return max(loose, default=None, key=lambda path: os.path.getmtime(path + RECORD))


def clear(folder, used):
    """Removes the freed takes of a folder, except those in `used`, which are no longer marked as freed."""
    for path, record in all_takes(folder).items():
        if path in used:
            mark(path, freed=False)
        elif record.freed:
            remove(path)


def remove(path):
    """Removes the files of a take. What cannot be removed stays: its record goes last."""
    for file in (path, path + RESUME, *points_files(path), path + RECORD):
        try:
            if os.path.isfile(file):
                os.remove(file)
        except OSError:
            return


def adopt(path, folder):
    """A take in `folder` with the same content as the one at `path`, so that each scene file has its own. Raises OSError.

    A complete cache shares its bytes on the disk where that is possible: nothing ever writes into one.
    """
    record = read_record(path)
    if record is None:
        raise OSError("{} has no record".format(path))
    os.makedirs(folder, exist_ok=True)
    new = os.path.join(folder, os.path.basename(path))
    if os.path.exists(new + RECORD) or os.path.exists(new):
        try:
            new = reserve(folder, record.object, record)
        except SceneError as error:
            raise OSError(str(error)) from error
    for ending in ("", RESUME):
        if os.path.isfile(path + ending):
            _link_or_copy(path + ending, new + ending, is_complete(record))
    for number in range(len(objects_of(record))):
        if os.path.isfile(points_file(path, number)):
            _link_or_copy(points_file(path, number), points_file(new, number), is_complete(record))
    write_record(new, record._replace(freed=False))
    return new


def _link_or_copy(source, target, may_link):
    if may_link:
        try:
            os.link(source, target)
            return
        except OSError:
            pass  # another disk, or a file system without links
    shutil.copyfile(source, target)
