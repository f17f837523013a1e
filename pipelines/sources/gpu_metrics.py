"""What the metrics of GPUs are called and what one reading of each is in our whole-number units.

Shared by the readers of exposition text, Prometheus results and command output. Not here: when a sample was
taken.
"""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from pipelines.sources.base import RejectError
from pipelines.sources.values import shown

MEBIBYTE = 1 << 20
# Column and units of it per unit of the reading.
METRICS = {
    "DCGM_FI_DEV_GPU_UTIL": ("util_ppm", 10_000),
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": ("engine_active_ppm", 1_000_000),
    "DCGM_FI_DEV_FB_USED": ("memory_used_bytes", MEBIBYTE),
    "DCGM_FI_DEV_POWER_USAGE": ("power_milliwatts", 1_000),
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": ("energy_millijoules", 1),
}
# DCGM writes "no value" as a whole number near the largest there is.
NO_VALUE_FROM = 2**62


def reading(text: str, factor: int, path: str) -> int | None:
    """Returns a reading in whole units, half-even; null where it says that there is none.

    Raises:
        RejectError: No number, or a negative one.
    """
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        raise RejectError("not_a_reading", f"{path}: {shown(text)} is not a number") from None
    if not value.is_finite() or value >= NO_VALUE_FROM:
        return None
    if value < 0:
        raise RejectError("negative_reading", f"{path}: {value}")
    return int((value * factor).to_integral_value())


def device_of(labels: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the columns that the labels of a metric state; a scraper may have moved some to `exported_`."""
    if not labels.get("UUID"):
        raise RejectError("missing_field", "label UUID: required and not there")

    def either(name: str) -> Any:
        return labels.get(f"exported_{name}") or labels.get(name) or None

    return {
        "gpu_uuid": labels["UUID"],
        "mig_id": labels.get("GPU_I_ID") or "",
        "gpu_model": labels.get("modelName"),
        "host": labels.get("Hostname") or labels.get("hostname"),
        "namespace": either("namespace"),
        "pod": either("pod"),
        "container": either("container"),
    }
