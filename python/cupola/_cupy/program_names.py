"""The names of `cupy` and `cupyx` that a program uses, found in its text.

A name is followed through imports, assignments of one name to another and chains of attributes. An
array is known where a function that returns one is called, and a variable is known while all
assignments to it in its scope are of the same kind.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from cupola._cupy.names import NAMES

TOP = ("cupy", "cupyx")
_HOST = "numpy"
_IMPORTERS = ("import_module", "__import__")

ARRAY = "cupy.ndarray"
_NAMES_OF_FUNCTIONS = (
    "arange array asanyarray asarray ascontiguousarray asfortranarray copy diag diagflat empty "
    "empty_like eye full full_like identity linspace logspace ones ones_like tri tril triu vander "
    "zeros zeros_like concatenate stack vstack hstack dstack ravel reshape repeat tile transpose "
    "where sum prod mean std var cumsum cumprod dot matmul tensordot abs absolute add arccos "
    "arcsin arctan arctan2 ceil cos cosh divide exp exp2 expm1 floor log log10 log1p log2 maximum "
    "minimum multiply negative power sin sinh sqrt square subtract tan tanh clip sort argsort"
)
_NAMES_OF_METHODS = (
    "astype copy reshape ravel flatten transpose swapaxes squeeze repeat round clip conj sum prod "
    "mean std var cumsum cumprod dot take view"
)
_RETURN_ARRAYS = frozenset(_NAMES_OF_FUNCTIONS.split())
_RETURN_SELF = frozenset(_NAMES_OF_METHODS.split())
_CLASSES = frozenset(place for place in NAMES if place.rpartition(".")[2][:1].isupper())


class Use(NamedTuple):
    """A name at a place in a program: the module or class that it is of, and the name."""

    line: int
    column: int
    place: str
    name: str

    @property
    def path(self) -> str:
        return f"{self.place}.{self.name}" if self.place else self.name


def _imports(node: ast.Call) -> bool:
    """Whether a call imports a module by its name, as `importlib.import_module`."""
    function = node.func
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    return name in _IMPORTERS and bool(node.args)


def _either(one: str | None, other: str | None) -> str | None:
    """What a name stands for that is one or the other: CuPy, where the other is NumPy."""
    for ours, host in ((one, other), (other, one)):
        if ours in TOP and host is not None and host.split(".")[0] == _HOST:
            return ours
    return None


class _Scope:
    """What names stand for: a path as `cupy.cuda` or `numpy`, or `cupy.ndarray()` for an object of
    a class; None for anything else."""

    def __init__(self, outer: _Scope | None = None) -> None:
        self.outer = outer
        self.names: dict[str, str | None] = {}

    def find(self, name: str) -> _Scope | None:
        """The scope that binds it."""
        if name in self.names:
            return self
        return self.outer.find(name) if self.outer is not None else None

    def get(self, name: str) -> str | None:
        scope = self.find(name)
        return scope.names[name] if scope is not None else None

    def bind(self, name: str, value: str | None) -> None:
        known = self.names.get(name, value)
        self.names[name] = value if known == value else _either(known, value)


class _Reader(ast.NodeVisitor):
    def __init__(self) -> None:
        self.uses: set[Use] = set()
        self._scope = _Scope()
        self._by_star: dict[str, str] = {}  # names of `from cupy import *`
        self._attributes: dict[str, str | None] = {}  # of `self` in the class that is read

    # ---- what expressions stand for

    def _value(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            if self._scope.find(node.id) is None:
                return self._by_star.get(node.id)
            return self._scope.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self._value(node.value)
            if owner is None and isinstance(node.value, ast.Name) and node.value.id == "self":
                return self._attributes.get(node.attr)
            if owner is None or owner.endswith("()"):
                return None
            return f"{owner}.{node.attr}"
        if isinstance(node, ast.IfExp):
            value, other = self._value(node.body), self._value(node.orelse)
            return value if value == other else _either(value, other)
        if isinstance(node, ast.Call):
            return self._result(node)
        if isinstance(node, ast.BinOp | ast.UnaryOp):
            sides = [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
            return f"{ARRAY}()" if f"{ARRAY}()" in map(self._value, sides) else None
        return None

    def _result(self, node: ast.Call) -> str | None:
        called = self._value(node.func)
        if called in _CLASSES:
            return f"{called}()"
        if called == "cupy.get_array_module":
            return "cupy"
        if _imports(node):
            return self._imported(node.args[0])
        if called is not None and called.startswith("cupy."):
            return f"{ARRAY}()" if called[len("cupy.") :] in _RETURN_ARRAYS else None
        if isinstance(node.func, ast.Attribute):
            owner = self._value(node.func.value)
            if node.func.attr == "view" and self._is_of_class(node):
                return None
            return owner if owner == f"{ARRAY}()" and node.func.attr in _RETURN_SELF else None
        return None

    def _is_of_class(self, view: ast.Call) -> bool:
        """Whether `array.view(...)` gives an object of what may be a class of the program."""
        given = [*view.args, *(each.value for each in view.keywords)]
        return any(
            isinstance(each, ast.Name | ast.Attribute) and self._value(each) is None
            for each in given
        )

    def _imported(self, name: ast.expr) -> str | None:
        """The module of a call that imports one by its name."""
        path = name.value if isinstance(name, ast.Constant) else None
        if not isinstance(path, str) or path.split(".")[0] not in (*TOP, _HOST):
            return None
        self._use(name, path)
        return path

    def _use(self, node: ast.AST, path: str) -> None:
        place, _, name = path.rpartition(".")
        if place.split(".")[0] in TOP:
            line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
            self.uses.add(Use(line, column, place, name))

    # ---- imports

    def visit_Import(self, node: ast.Import) -> None:
        for each in node.names:
            top = each.name.split(".")[0]
            path = each.name if each.asname else top
            self._scope.bind(each.asname or top, path if top in (*TOP, _HOST) else None)
            self._use(node, each.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        is_ours = not node.level and module.split(".")[0] in TOP
        if is_ours:
            self._use(node, module)
        for each in node.names:
            path = f"{module}.{each.name}" if is_ours and each.name != "*" else None
            if is_ours and each.name == "*":
                self._by_star.update({name: f"{module}.{name}" for name in NAMES.get(module, ())})
                continue
            self._scope.bind(each.asname or each.name, path)
            if path is not None:
                self._use(node, path)

    # ---- uses

    def visit_Name(self, node: ast.Name) -> None:
        is_read = isinstance(node.ctx, ast.Load) and node.id in self._by_star
        if is_read and self._scope.find(node.id) is None:
            self._use(node, self._by_star[node.id])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        owner = self._value(node.value)
        if owner is not None:
            self._use(node, f"{owner.removesuffix('()')}.{node.attr}")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name) and function.id in ("getattr", "hasattr"):
            self._visit_getattr(node)
        elif _imports(node):
            self._imported(node.args[0])
        self.generic_visit(node)

    def _visit_getattr(self, node: ast.Call) -> None:
        """With a default, or asked for first, the program manages without the name."""
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) == 2:
            owner, name = self._value(node.args[0]), node.args[1]
            if owner is not None and isinstance(name, ast.Constant) and isinstance(name.value, str):
                self._use(node, f"{owner.removesuffix('()')}.{name.value}")

    # ---- bindings

    def _bind(self, target: ast.expr, value: str | None) -> None:
        if isinstance(target, ast.Name):
            self._scope.bind(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            for each in target.elts:
                self._bind(each, None)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, None)

    def visit_Assign(self, node: ast.Assign) -> None:
        value = self._value(node.value)
        for target in node.targets:
            if (
                isinstance(target, ast.Tuple)
                and isinstance(node.value, ast.Tuple)
                and len(target.elts) == len(node.value.elts)
            ):
                for part, each in zip(target.elts, node.value.elts, strict=True):
                    self._bind(part, self._value(each))
            else:
                self._bind(target, value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._bind(node.target, self._value(node.value) if node.value is not None else None)
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._bind(node.target, self._value(node.value))
        self.generic_visit(node)

    def _visit_for(self, node: ast.For | ast.AsyncFor) -> None:
        self._bind(node.target, None)
        self.generic_visit(node)

    visit_For = visit_AsyncFor = _visit_for  # noqa: N815

    def _visit_with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            if item.optional_vars is not None:
                self._bind(item.optional_vars, self._value(item.context_expr))
        self.generic_visit(node)

    visit_With = visit_AsyncWith = _visit_with  # noqa: N815

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._scope.bind(node.name, None)
        self.generic_visit(node)

    # ---- scopes

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        if not isinstance(node, ast.Lambda):
            self._scope.bind(node.name, None)
            for decorator in node.decorator_list:
                self.visit(decorator)
        arguments = node.args
        for default in (*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)):
            self.visit(default)
        modules = self._module_defaults(arguments)
        self._scope = _Scope(self._scope)
        for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            self._scope.bind(each.arg, modules.get(each.arg))
            if each.annotation is not None:
                self.visit(each.annotation)
        for rest in (arguments.vararg, arguments.kwarg):
            if rest is not None:
                self._scope.bind(rest.arg, None)
        for statement in node.body if isinstance(node.body, list) else [node.body]:
            self.visit(statement)
        assert self._scope.outer is not None
        self._scope = self._scope.outer

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _visit_function  # noqa: N815

    def _module_defaults(self, arguments: ast.arguments) -> dict[str, str]:
        """Parameters that are CuPy itself unless another is given, as `xp=cp`."""
        positional = [*arguments.posonlyargs, *arguments.args]
        with_default = positional[len(positional) - len(arguments.defaults) :]
        pairs: list[tuple[ast.arg, ast.expr | None]] = [
            *zip(with_default, arguments.defaults, strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        found = {
            name.arg: self._value(value) for name, value in pairs if isinstance(value, ast.Name)
        }
        return {name: value for name, value in found.items() if value in TOP}

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._scope.bind(node.name, None)
        for each in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
            self.visit(each)
        outer_attributes, self._attributes = self._attributes, self._attributes_of(node)
        self._scope = _Scope(self._scope)
        for statement in node.body:
            self.visit(statement)
        assert self._scope.outer is not None
        self._scope = self._scope.outer
        self._attributes = outer_attributes

    def _attributes_of(self, node: ast.ClassDef) -> dict[str, str | None]:
        """Attributes of objects that are modules, set in the class or through `self`."""
        known = _Scope()
        for each in ast.walk(node):
            if not isinstance(each, ast.Assign):
                continue
            value = self._value(each.value)
            for target in each.targets:
                if isinstance(target, ast.Name) and each in node.body:
                    known.bind(target.id, value)
                elif isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                    known.bind(target.attr, value)
        return known.names


def _functions_last(tree: ast.Module) -> Iterator[ast.stmt]:
    """A function sees what the module binds after it."""
    later = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    yield from (each for each in tree.body if not isinstance(each, later))
    yield from (each for each in tree.body if isinstance(each, later))


def uses_in(source: bytes | str, path: str) -> list[Use]:
    """The uses in a program's text, by line.

    Raises
    ------
    SyntaxError, ValueError
        For text that is no program.
    """
    reader = _Reader()
    for statement in _functions_last(ast.parse(source, path)):
        reader.visit(statement)
    return sorted(reader.uses)


def uses_in_cells(cells: Iterable[tuple[int, str]]) -> Iterator[tuple[int, list[Use]]]:
    """The uses in each cell of a notebook; a cell sees what those before it bind.

    Raises
    ------
    SyntaxError, ValueError
        For a cell that is no program.
    """
    reader = _Reader()
    for number, text in cells:
        reader.uses = set()
        for statement in _functions_last(ast.parse(text, f"cell {number}")):
            reader.visit(statement)
        yield number, sorted(reader.uses)
