"""The part of a View that puts marks on its text: keyed regions, annotations, phantoms."""

from __future__ import annotations

from ..model import minihtml
from ..model.regions import RegionSet
from ..model.values import Region, as_callback, as_point, as_region, as_text
from ._gate import gated
from ._published import RegionFlags


@gated
class ViewMarks:
    """Regions and phantoms; both move with the text."""

    def add_regions(
        self,
        key,
        regions,
        scope="",
        icon="",
        flags=RegionFlags.NONE,
        annotations=[],
        annotation_color="",
        on_navigate=None,
        on_close=None,
    ):
        if not isinstance(icon, str):
            raise ValueError("icon must be a string")
        if not isinstance(annotations, list):
            raise ValueError("annotations must be a list")
        if len(annotations) != 0 and len(annotations) != len(regions):
            raise ValueError("region and annotation length mismatch")
        if not isinstance(flags, int):
            raise TypeError("flags must be an int")
        model = self._model()
        model.add_regions(
            as_text(key),
            RegionSet(
                [as_region(region) for region in regions],
                as_text(scope),
                as_text(icon),
                int(flags),
                [as_text(annotation) for annotation in annotations],
                as_text(annotation_color),
                as_callback(on_navigate, "on_navigate"),
                as_callback(on_close, "on_close"),
            ),
        )

    def get_regions(self, key):
        found = self._model().region_sets.get(as_text(key))
        return [Region(region.a, region.b) for region in found.regions] if found is not None else []

    def erase_regions(self, key):
        self._model().erase_regions(as_text(key))

    def add_phantom(self, key, region, content, layout, on_navigate=None):
        if not isinstance(layout, int):
            raise TypeError("layout must be an int")
        model, content = self._model(), as_text(content)
        minihtml.check("phantom %r" % (key,), content)
        return model.phantoms.add(
            as_text(key), as_region(region), content, int(layout), as_callback(on_navigate, "on_navigate")
        )

    def erase_phantoms(self, key):
        self._model().phantoms.erase_key(as_text(key))

    def erase_phantom_by_id(self, pid):
        self._model().phantoms.erase_id(as_point(pid))

    def query_phantoms(self, pids):
        return self._model().phantoms.query([as_point(pid) for pid in pids])
