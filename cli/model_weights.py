"""`tamp model`: list the known weights and fetch them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from cli.output import Output, progress, say
from tamp.api.tool_configs import ListModelsConfig, PullConfig
from tamp.errors import InputError

if TYPE_CHECKING:
    from llm.models import weights


@dataclass(frozen=True)
class KnownModel:
    """A model that can be named. `state` is `present` (at `path`), `missing`, `broken` (a file of a wrong size),
    or `hub` for one that is fetched from there, of which `path`, `bytes` and `sha256` are not known here."""

    name: str
    default: bool = False
    state: str = "hub"
    path: str | None = None
    bytes: int | None = None
    sha256: str | None = None
    vision: bool = False

    def __str__(self) -> str:
        size = f"{self.bytes / 1e9:.2f} GB  " if self.bytes else ""
        default, vision = ", the default" if self.default else "", ", sees" if self.vision else ""
        return f"{self.name}  {size}{self.state}{default}{vision}"


def list_models(config: ListModelsConfig, out: Output) -> int:
    """Print what can be pulled, and what is there."""
    from llm.models.weights import models_dir

    models, folder = known(), str(models_dir())
    out.answer({"folder": folder, "models": [asdict(m) for m in models]}, [*map(str, models), f"in {folder}"])
    return 0


def known() -> list[KnownModel]:
    """The models that can be pulled, those with weights of this project first."""
    from llm.models import weights

    recommended = [KnownModel(name, vision=sees) for name, sees in weights.RECOMMENDED.items()]
    return [*map(_described, weights.MODELS), *recommended]


def _described(model: weights.WeightsFile) -> KnownModel:
    from llm.models import weights

    try:
        path, state = str(weights.find(model.name)), "present"
    except InputError:
        path, state = None, "broken" if model.path.exists() else "missing"
    return KnownModel(model.name, model.name == weights.DEFAULT, state, path, model.size, model.sha256)


def pull(config: PullConfig, out: Output) -> int:
    """Fetch a model unless it is there, and print its path. `verify` hashes what is there, too."""
    from llm.models import weights

    name = config.name
    if not weights.is_hub_name(name):
        reported = 0

        def tenths(done: int, total: int) -> None:
            nonlocal reported
            while reported < 10 * done // total:
                reported += 1
                report(f"  {reported * 10} % of {total / 1e9:.2f} GB")

        with progress("tenths", 10) as report:
            weights.pull(name, tenths, verify=config.verify, say=say)
        model = _described(weights.known(name))
    elif config.verify:
        raise InputError(f"--verify is for weights whose sha256 is known here, {name} is not; see: tamp model list")
    else:
        say(f"{name}: asking the hub")
        model = KnownModel(name, path=weights.pull_from_hub(name), vision=weights.RECOMMENDED.get(name, False))
    about = {"name": name, "path": model.path, "bytes": model.bytes, "sha256": model.sha256}
    out.answer(about, [f"{model.path}"])
    return 0
