"""What all commands are made of: groups that import late, options under headings, old spellings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click

from .. import old
from ..checks import nearest_name, short
from ..errors import InputError
from ..waiting import doing

OPTIONS = "Options"


class Entry(NamedTuple):
    """A command of a group: where its function is, and its line in the help."""

    module: str
    help: str


Sections = Mapping[str, Mapping[str, Entry]]


class Option(click.Option):
    """An option that the help shows under the heading `group`."""

    def __init__(self, *names: Any, group: str = OPTIONS, **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.group = group


class Command(click.Command):
    """A command whose help has its options under headings, and that knows old spellings."""

    def __init__(self, *arguments: Any, doing: str = "working", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.doing = doing
        """What is said while it does nothing that says more."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            new = old.OPTIONS.get(error.option_name)
            has = {name for parameter in self.params for name in parameter.opts}
            if new is None or new.split()[0] not in has:
                raise
            raise old.sentence(error.option_name, new) from None

    def invoke(self, ctx: click.Context) -> Any:
        with doing(self.doing):
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                groups.setdefault(getattr(parameter, "group", OPTIONS), []).append(record)
        for name, records in sorted(groups.items(), key=lambda item: item[0] == OPTIONS):
            with formatter.section(name):
                formatter.write_dl(records)


def command(name: str | None = None, **settings: Any) -> Callable[[Callable[..., Any]], Command]:
    """Make a function a command."""
    return click.command(name, cls=Command, **settings)


def option(*names: str, **settings: Any) -> Callable[[Any], Any]:
    """An option, under the heading `group` if one is given."""
    return click.option(*names, cls=Option, **settings)


class LazyGroup(click.Group):
    """A group that lists its commands from a table and imports only the one that is called."""

    def __init__(
        self,
        *arguments: Any,
        package: str = "",
        sections: Sections | None = None,
        old_commands: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.package = package
        self.sections = sections or {}
        self.old = old_commands or {}
        self.entries = {k: v for section in self.sections.values() for k, v in section.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.old:
            where = ctx.command_path
            raise old.sentence(f"{where} {cmd_name}", f"{where} {self.old[cmd_name]}")
        if cmd_name not in self.entries:
            return None
        found = getattr(import_module(f"{self.package}.{self.entries[cmd_name].module}"), cmd_name)
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        near = nearest_name(name, self.entries)
        if name and not name.startswith("-") and self.get_command(ctx, name) is None and near:
            raise InputError(
                f"{short(name)} is no command; did you mean {ctx.command_path} {near}?"
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.entries))
        for title, entries in self.sections.items():
            with formatter.section(title):
                rows = [(name.ljust(width), entry.help) for name, entry in entries.items()]
                formatter.write_dl(rows)
