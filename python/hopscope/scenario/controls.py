"""Classes that a scenario names: finding them, their parameters, and what distinguishes one from others.

``tcp:FILE.py:CLASS`` (a file, relative to the scenario file), ``tcp:MODULE:CLASS`` (an installed module), or
``tcp:CLASS`` (a class of this process); the class may be left out when the file holds one.  The key ``control`` takes
the same without ``tcp:``, and ``ack`` names an ACK policy in this way.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import json
import re
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeAlias, TypeGuard

from hopscope.errors import did_you_mean, listed, shown
from hopscope.io.files import read_whole
from hopscope.usercode import acks, congestion, trust
from hopscope.usercode.acks import AckPolicy
from hopscope.usercode.congestion import LOADED, CongestionControl

PREFIX = "tcp:"

#: Larger files are not read as code.
MAX_CODE_BYTES = 10_000_000

#: How messages write such a transport.
FORM = '"tcp:FILE.py:CLASS"'

#: How messages write the class of such a transport.
FILE_FORM = '"FILE.py:CLASS"'

#: The key of a table that names the class next to its parameters; no attribute of a Python class can have this name.
CLASS = "class"

#: A class of either kind.
Code: TypeAlias = "type[CongestionControl] | type[AckPolicy]"


@dataclass(frozen=True)
class Role:
    """What a class of a user's can be.

    Attributes:
        prefix: what its name begins with where classes of all roles stand together.
        what: the role in words.
        base: what the class derives from, with its classes of this process by name.
        methods: what the engine calls, in its order.
        flags: attributes of the base that are true or false.
        default: what a class is that overrides none of them.
    """

    prefix: str
    what: str
    base: Code
    registry: Mapping[str, Code]
    methods: tuple[str, ...]
    flags: tuple[str, ...]
    default: str


CONTROL = Role(
    PREFIX,
    "congestion control",
    CongestionControl,
    congestion.registry,
    ("on_ack", "on_loss", "on_timeout", "on_rtt", "on_every_ack", "on_sent", "on_timer", "on_round_trip"),
    (),
    "TCP Reno, which the engine has as tcp-reno",
)
POLICY = Role(
    "ack:",
    "ACK policy",
    AckPolicy,
    acks.registry,
    ("on_data", "on_timer"),
    ("reads_path", "reads_window"),
    'the delayed ACK of RFC 5681, which the engine has as "delayed"',
)


def role_of(code: str | Code) -> Role:
    """Returns the role of a class, or of a name with its prefix."""
    if isinstance(code, str):
        return POLICY if code.startswith(POLICY.prefix) else CONTROL
    return POLICY if issubclass(code, AckPolicy) else CONTROL


#: A name of an event, such as ``on_ackk`` or ``onAck``.
_EVENT = re.compile(r"on(_|[A-Z])")

_CLASS = re.compile(r"[A-Za-z_]\w*")


class ControlError(ValueError):
    """The class cannot be found or used; the message says why."""


class Reference(str):
    """A class in the place of a transport or an ACK policy: its text, and the class itself."""

    cls: Code

    def __deepcopy__(self, memo: object) -> Reference:
        return self


def reference(cls: Code) -> Reference:
    """Returns a class as the text that stands for it in a scenario."""
    result = Reference(role_of(cls).prefix + label(cls))
    result.cls = cls
    return result


@dataclass(frozen=True)
class Control:
    """A class of a scenario.

    Attributes:
        name: what results call it, after its prefix.
        digest: hash of the code of the class and of its attributes; empty for one of which a store has the name alone.
        parameters: what the scenario may set, with the defaults.
        file: absolute path of the file it was read from; empty for a class of a module or of this process.
        class_name: name of the class in that file.
        cls: the class; None for one that a store reports, until it is needed.
        prefix: that of its role.
    """

    name: str
    digest: str
    parameters: dict[str, Any] = field(default_factory=dict)
    file: str = ""
    class_name: str = ""
    cls: Code | None = None
    prefix: str = PREFIX

    @property
    def role(self) -> Role:
        """What it is."""
        return role_of(self.prefix)

    def load(self) -> Code:
        """Returns the class.

        Raises:
            ControlError: it is gone, or no longer what it was.
        """
        if self.cls is not None:
            return self.cls
        if not self.is_known:
            raise ControlError(
                f"{self.prefix}{self.name}: the store does not record its class; run the scenario itself"
            )
        if not self.file:
            raise ControlError(
                f"{self.prefix}{self.name}: its class belongs to another process; run the scenario itself"
            )
        cls = find(f"{self.prefix}{self.file}:{self.class_name}", Path()).load()
        if digest(cls) != self.digest:
            raise ControlError(f"{self.file}: {self.class_name} has changed; run the scenario itself")
        return cls

    @property
    def is_known(self) -> bool:
        """Whether it is distinguished from others of its name."""
        return self.digest != ""

    def reported(self) -> dict[str, Any]:
        """Returns what a store keeps."""
        return {
            "name": self.name,
            "digest": self.digest,
            "parameters": self.parameters,
            "file": self.file,
            "class": self.class_name,
        }

    def __getstate__(self) -> dict[str, Any]:
        # A class read from a file is read again by the process it is sent to.
        return {**vars(self), "cls": None if self.file else self.cls}

    def identity(self, parameters: Mapping[str, Any]) -> str:
        """Returns what distinguishes runs with this code and these parameters from others: 64 hexadecimal digits."""
        text = json.dumps([self.digest, sorted(parameters.items())])
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class FlowControl:
    """A class of one flow.

    Attributes:
        control: the class.
        parameters: its parameters, those with their defaults too.
    """

    control: Control
    parameters: Mapping[str, Any] = field(default_factory=dict)


def from_reported(reported: object) -> dict[str, Control]:
    """Returns the classes that a store records, by their names with prefix; their code is not loaded.

    Raises:
        ValueError: that is damaged.
    """
    if not isinstance(reported, Mapping):
        raise ValueError(f"controls: found {shown(reported)}; expected a table")
    return {transport: _recorded(transport, entry) for transport, entry in reported.items()}


def _recorded(transport: str, reported: object) -> Control:
    names = ("name", "digest", "file", "class")
    if not isinstance(reported, Mapping) or not all(isinstance(reported.get(name), str) for name in names):
        raise ValueError(f"controls: {transport} is not described as a {role_of(transport).what}")
    values = reported.get("parameters")
    if not isinstance(values, dict) or not all(isinstance(value, (bool, int, float, str)) for value in values.values()):
        raise ValueError(f"controls: {transport} has no table of parameters")
    return Control(
        reported["name"],
        reported["digest"],
        values,
        reported["file"],
        reported["class"],
        prefix=role_of(transport).prefix,
    )


def unrecorded(transport: str, given: Mapping[str, Any]) -> Control:
    """Returns a class of which a store has the name and the parameters that were given, and nothing else."""
    prefix = role_of(transport).prefix
    return Control(transport.removeprefix(prefix), "", dict(given), prefix=prefix)


def unloaded(transport: str, given: Mapping[str, Any], folder: Path) -> Control:
    """Returns a class that is named and not loaded; what it is and its parameters stay unchecked.

    Raises:
        ControlError: it names a file that does not exist.
    """
    where, _, _ = _without_prefix(transport).partition(".py")
    if ".py" in transport and not (path := (folder / f"{where}.py").resolve()).exists():
        raise ControlError(f"{where}.py: no such file ({path})")
    return unrecorded(transport, given)


def find(transport: str, folder: Path) -> Control:
    """Returns the class that a text with its prefix names.

    Args:
        transport: the text, beginning with ``tcp:`` or ``ack:``; or a :class:`Reference`.
        folder: where relative paths start.

    Raises:
        ControlError: there is none.
    """
    if isinstance(transport, Reference):
        return _control(transport.cls)
    role = role_of(transport)
    where, colon, name = _without_prefix(transport).rpartition(":")
    if not colon or name.endswith(".py"):
        where, name = _without_prefix(transport), ""
    if where.endswith(".py"):
        path = (folder / where).resolve()
        cls = _chosen(_load(path, where), name, where, role)
        return replace(_control(cls), file=str(path), class_name=cls.__name__)
    if name:
        return _control(_chosen(_import(where), name, where, role))
    return _control(_registered(where, role))


def names_code(transport: str) -> bool:
    """Whether a transport names a file or a module, and not a class of this process."""
    text = _without_prefix(transport)
    return not isinstance(transport, Reference) and (":" in text or text.endswith(".py"))


def is_named(text: str, role: Role) -> bool:
    """Whether a word is meant to be a class: a file, a module, or a class of this process."""
    return ":" in text or text.endswith(".py") or text in role.registry or text in map(label, role.registry.values())


def is_class(value: object) -> TypeGuard[Code]:
    """Whether a value is a class that a scenario can have in the place of its name."""
    return isinstance(value, type) and issubclass(value, (CongestionControl, AckPolicy))


def label(cls: Code) -> str:
    """Returns what results call a class, after its prefix."""
    return cls.name if isinstance(cls.name, str) and cls.name else cls.__name__


def parameters(cls: Code) -> dict[str, Any]:
    """Returns the parameters of a class with their defaults: its public attributes that are numbers, flags or text."""
    found: dict[str, Any] = {}
    for base in reversed(_bases(cls)):
        found |= {name: value for name, value in vars(base).items() if _is_parameter(name, value)}
    return {name: getattr(cls, name) for name in found if _is_parameter(name, getattr(cls, name))}


def digest(cls: Code) -> str:
    """Returns a hash of what makes a class: its code, and what its attributes and the closures of its methods hold.

    The code is the files of the class and its bases; without files their source, or their byte code.  What these files
    import from elsewhere is not looked at.
    """
    hashed = hashlib.sha256()
    for base in (*_bases(cls), role_of(cls).base):
        hashed.update(f"{base.__qualname__}\n{_source(base)}\n".encode())
        for name, value in sorted(vars(base).items()):
            if not name.startswith("__") or isinstance(value, FunctionType):
                hashed.update(f"{name} = {_content(value)}\n".encode())
    return hashed.hexdigest()


def _control(cls: Code) -> Control:
    role = role_of(cls)
    methods = role.methods
    for name in methods:
        if not callable(getattr(cls, name, None)):
            raise ControlError(f"{cls.__name__}.{name} is no method")
    own = {name: value for base in _bases(cls) for name, value in vars(base).items()}
    for name in (name for name, value in own.items() if callable(value) and name not in methods):
        if _EVENT.match(name) or difflib.get_close_matches(name, methods, cutoff=0.8):
            close = did_you_mean(name, methods)
            raise ControlError(f"{cls.__name__}.{name} is never called; the methods are {', '.join(methods)}{close}")
    if not own.keys() & {*methods, "__init__"}:
        raise ControlError(f"{cls.__name__} overrides none of {', '.join(methods)}: it is {role.default}")
    for name in role.flags:
        if not isinstance(getattr(cls, name), bool):
            raise ControlError(f"{cls.__name__}.{name} is {shown(getattr(cls, name))}; expected True or False")
    if not isinstance(cls.name, str):
        raise ControlError(f"{cls.__name__}.name is {shown(cls.name)}; expected text")
    return Control(label(cls), digest(cls), parameters(cls), cls=cls, prefix=role.prefix)


def _bases(cls: type) -> list[type]:
    """The class and its bases that are a user's own."""
    return [base for base in cls.__mro__ if base not in (CongestionControl, AckPolicy, object)]


def _is_parameter(name: str, value: object) -> bool:
    return name != "name" and not name.startswith("_") and isinstance(value, (bool, int, float, str))


# --- What is hashed -------------------------------------------------------------------------------------------------


def _source(cls: type) -> str:
    module = sys.modules.get(cls.__module__)
    if (file := getattr(module, "__file__", None)) is not None:
        try:
            return Path(file).read_text(encoding="utf-8", errors="replace")
        except OSError:
            pass
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):
        return ""  # the byte code of the methods distinguishes it from others


def _content(value: object) -> str:
    """A value as text that is the same in every process."""
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if isinstance(value, FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
        parts = (value.__defaults__, value.__kwdefaults__, cells)
        return f"function {_code(value.__code__)} {_content(parts)}"
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({', '.join(_content(item) for item in value)})"
    if isinstance(value, (set, frozenset)):
        return f"set({', '.join(sorted(_content(item) for item in value))})"
    if isinstance(value, Mapping):
        return f"map({', '.join(f'{_content(k)}: {_content(v)}' for k, v in value.items())})"
    return type(value).__qualname__


def _code(code: CodeType) -> str:
    constants = [_code(item) if isinstance(item, CodeType) else _content(item) for item in code.co_consts]
    return f"{code.co_code.hex()} {constants} {code.co_names}"


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 (an empty one raises)
    except ValueError:
        return False
    return True


# --- Finding --------------------------------------------------------------------------------------------------------

_loaded: dict[tuple[Path, str], ModuleType] = {}


def _load(path: Path, where: str) -> ModuleType:
    """Runs a file as a module, once as long as it stays the same."""
    try:
        content = read_whole(path, MAX_CODE_BYTES)
    except FileNotFoundError as error:
        raise ControlError(f"{where}: no such file ({path})") from error
    except OSError as error:
        raise ControlError(f"{where}: cannot be read: {error.strerror or error}") from error
    key = (path, hashlib.sha256(content).hexdigest())
    if key not in _loaded:
        if why := trust.refusal(str(path)):
            raise ControlError(f"{where}: {why}")
        name = LOADED + hashlib.sha256(f"{path}\n{key[1]}".encode()).hexdigest()[:16]
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ControlError(f"{where}: is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        sys.path.insert(0, str(path.parent))  # what lies next to the file can be imported
        try:
            # Compiled from the bytes that were hashed, never from a cached file of the same second.
            exec(compile(content, str(path), "exec"), vars(module))
        except BaseException as error:
            del sys.modules[name]
            if isinstance(error, KeyboardInterrupt):
                raise
            raise ControlError(f"{where}: {_failure(error, path)}") from error
        finally:
            sys.path.remove(str(path.parent))
        _loaded[key] = module
    return _loaded[key]


def _import(where: str) -> ModuleType:
    if where not in sys.modules and (why := trust.refusal(where)):
        raise ControlError(f"{where}: {why}")
    try:
        return importlib.import_module(where)
    except ModuleNotFoundError as error:
        if error.name is not None and (where == error.name or where.startswith(f"{error.name}.")):
            raise ControlError(f'no module "{where}"; expected {FORM}, or MODULE:CLASS of an installed one') from error
        raise ControlError(f"{where}: {_failure(error)}") from error
    except Exception as error:
        raise ControlError(f"{where}: {_failure(error)}") from error


def _failure(error: BaseException, path: Path | None = None) -> str:
    """What went wrong while a file was run, with the line."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {type(error).__name__}: {error.msg}"
    lines = [
        f.lineno for f in traceback.extract_tb(error.__traceback__) if path is not None and f.filename == str(path)
    ]
    at = f"line {lines[-1]}: " if lines else ""
    return f"{at}{type(error).__name__}: {error}" if str(error) else f"{at}{type(error).__name__}"


def _chosen(module: ModuleType, name: str, where: str, role: Role) -> Code:
    classes: dict[str, Code] = {n: value for n, value in vars(module).items() if _is_of(value, role)}
    base = f"hopscope.{role.base.__name__}"
    own = [n for n, value in classes.items() if value.__module__ == module.__name__]
    if not name:
        if len(own) == 1:
            return classes[own[0]]
        have = f"holds {listed(own)}; name one" if own else f"holds no subclass of {base}"
        raise ControlError(
            f"{where}: {have}, as in {role.prefix if role is CONTROL else ''}{where}:{own[0] if own else 'CLASS'}"
        )
    if name in classes:
        return classes[name]
    if hasattr(module, name):
        raise ControlError(f"{where}: {name} is no subclass of {base}")
    have = f"; it holds {listed(own)}" if own else ""
    raise ControlError(f'{where}: has no class "{name}"{have}{did_you_mean(name, own)}')


def _registered(name: str, role: Role) -> Code:
    labels = {label(cls): cls for cls in role.registry.values()} | dict(role.registry)
    if name in labels:
        return labels[name]
    wanted = f'no {role.what} "{name}" in this process' if _CLASS.fullmatch(name) else f"found {shown(name)}"
    raise ControlError(f"{wanted}; expected {FORM}{did_you_mean(name, labels)}")


def _is_of(value: object, role: Role) -> TypeGuard[Code]:
    return isinstance(value, type) and issubclass(value, role.base) and value is not role.base


def _without_prefix(text: str) -> str:
    return text.removeprefix(role_of(text).prefix)
