"""Makes a command of a function that takes groups of options: read once, complained about together."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from abs_audit.advising import giving
from abs_audit.cli import preflight
from abs_audit.cli.declaring import Declared, options_of
from abs_audit.errors import ExitCode, UsageError
from abs_audit.quantities import echoed

Work = Callable[..., int]
RENAMED = {"list": "list_benchmarks", "import": "import_results"}


def command(*, records: bool = False) -> Callable[[Callable[..., int | None]], Work]:
    """Return what makes a command of a function, which is done where it returns no code.

    `records`: it writes the session.

    Whatever is wrong with options, files to write, configuration and methods is told together, before any
    work.
    """
    return lambda work: _flat(work, records)


def _flat(work: Callable[..., int | None], records: bool) -> Work:
    """Return the function that typer calls: flat parameters in, groups of options handed to `work`."""
    groups = [parameter.annotation for parameter in inspect.signature(work).parameters.values()]

    def execute(**given: Any) -> int:
        complaints: list[str] = []
        with giving(lambda advised: _repeated(groups, given, advised)):
            values = [_read(group, given, complaints) for group in groups]
            preflight.check(values, complaints, records=records)
            return work(*values) or ExitCode.DONE

    parameters = [parameter for group in groups for parameter in _parameters(group)]
    execute.__doc__, execute.__name__ = work.__doc__, work.__name__
    execute.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    vars(execute)["__signature__"] = inspect.Signature(parameters)
    vars(execute)["work"] = work
    return execute


def command_group(help_text: str, name: str, work: Work) -> typer.Typer:
    """Return a word of the command line that a command stands behind, as in `abs-audit config show`."""
    app = typer.Typer(help=help_text, no_args_is_help=True, rich_markup_mode=None)
    # Without a callback typer would take the only command for the whole.
    app.callback()(lambda: None)
    app.command(name)(work)
    return app


def work_of(name: str) -> Work:
    """Return the command of this name: a function in a module of its name, but where Python knows that."""
    module = RENAMED.get(name, name)
    work: Work = getattr(import_module(f"abs_audit.cli.{module}"), module)
    return work


def groups(work: Work) -> list[type]:
    """Return the groups of options that a command takes."""
    return [parameter.annotation for parameter in inspect.signature(vars(work)["work"]).parameters.values()]


def explanations(works: Iterable[Work]) -> dict[str, str]:
    """Return what each key of the configuration means that an option of these commands overrules."""
    declared = [option for work in works for group in groups(work) for option in options_of(group)]
    # Where several say it, the first says most.
    return {option.name: option.help for option in reversed(declared) if option.overrules}


def call(work: Work, options: Mapping[str, Any]) -> int:
    """Execute a command with options by the names of their flags, `html` for `--html`; return its exit code.

    Raises UsageError for names that it does not have.
    """
    by_name = {option.called: option for group in groups(work) for option in options_of(group)}
    unknown = [name for name in options if name not in by_name]
    if unknown:
        raise UsageError(f"{unknown[0]}: no option of {work.__name__}; expected one of {', '.join(by_name)}")
    return work(**{option.name: _spelled(option, options.get(name)) for name, option in by_name.items()})


def _spelled(option: Declared, value: Any) -> Any:
    """Return a value as a command line spells it; None: it was not given."""
    if option.kind is None:
        return option.value if value is None else bool(value)
    if value is None:
        return None
    if option.repeated:
        return [str(part) for part in ([value] if isinstance(value, str | Path) else value)]
    return str(value)


def _read(group: type, given: Mapping[str, Any], complaints: list[str]) -> Any:
    """Return the group with the values that were given; what cannot be read is complained about."""
    values: dict[str, Any] = {}
    for option in options_of(group):
        name, spelled = option.name, given[option.name]
        if option.kind is None:
            values[name] = spelled
        elif spelled is None or spelled == []:
            if option.required:
                complaints.append(option.required)
        elif option.repeated:
            parts = [_value(option, part, complaints) for part in spelled]
            # What was complained about is told once, and not as a wrong setting, too.
            values[name] = tuple(part for part in parts if part is not None)
        else:
            values[name] = _value(option, spelled, complaints)
    return group(**values)


def _repeated(asked: Iterable[type], given: Mapping[str, Any], advised: str) -> Iterator[tuple[str, ...]]:
    """Yield what was given that changes the question and that the advised command takes, too."""
    taken = _taken(advised)
    asking = [option for group in asked for option in options_of(group) if option.asks or option.overrules]
    for option in sorted(asking, key=lambda option: not option.is_argument):
        spelled = given[option.name] if option.name in taken else None
        if option.kind is None:
            yield from [(option.flag,)] if spelled else []
        else:
            values = spelled if option.repeated else [spelled]
            yield from (tuple(filter(None, (option.flag, value))) for value in values or () if value)


@cache  # a page advises the same command for each of many methods
def _taken(command: str) -> frozenset[str]:
    """Return the names of the options that a command takes."""
    return frozenset(option.name for group in groups(work_of(command)) for option in options_of(group))


def _value(option: Declared, spelled: str, complaints: list[str]) -> Any:
    assert option.kind is not None
    try:
        return option.kind.read(spelled)
    except ValueError as error:
        complaints.append(f"{option.flag} {echoed(spelled)}: {error}".lstrip())
        return None


def _parameters(group: type) -> Iterator[inspect.Parameter]:
    """Yield what typer reads of a group; every value is text to it, for it is read here."""
    for option in options_of(group):
        kind: Any = bool if option.kind is None else list[str] | None if option.repeated else str | None
        yield inspect.Parameter(
            option.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=Annotated[kind, _typer_option(option)],
            default=option.value if option.kind is None else None,
        )


def _typer_option(option: Declared) -> Any:
    if option.kind is None:
        return typer.Option(*option.flags, help=option.explained)
    choices = list(option.kind.choices)
    explained = option.explained
    if option.shown:
        explained += f" Default: {option.shown}".rstrip(".") + "."
    metavar = option.metavar or option.kind.metavar
    if option.is_argument:
        return typer.Argument(help=explained, metavar=metavar)
    completion = (lambda: choices) if choices else None
    return typer.Option(*option.flags, help=explained, metavar=metavar, autocompletion=completion)
