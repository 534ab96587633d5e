"""What is drawn over some objects until it is hidden again, made anew when what it was made from changes."""
import bpy

from . import state


class ObjectOverlay:
    """Objects are held by their names. key_of(obj): what the drawing is made from. make(obj): what draw() needs, or raises one
    of `errors`. draw(obj, made)."""

    def __init__(self, key_of, make, draw, errors):
        self._key_of, self._make, self._draw_one, self._errors = key_of, make, draw, errors
        self._shown = {}  # object name: (key, made or None)
        self._handle = None

    def is_shown(self, obj):
        return obj.name in self._shown

    def made(self, obj):
        """As it was made last."""
        return self._shown[obj.name][1]

    def show(self, obj):
        """Raises one of `errors`."""
        self._shown[obj.name] = (self._key_of(obj), self._make(obj))
        if self._handle is None:
            self._handle = bpy.types.SpaceView3D.draw_handler_add(self._draw, (), "WINDOW", "POST_VIEW")
        state.redraw_editors()  # not only the one with the button

    def hide(self, obj):
        self._shown.pop(obj.name, None)
        if not self._shown:
            self.unregister()
        state.redraw_editors()

    def unregister(self):
        self._shown.clear()
        if self._handle is not None:
            bpy.types.SpaceView3D.draw_handler_remove(self._handle, "WINDOW")
            self._handle = None

    def _draw(self):
        for name in list(self._shown):
            obj = bpy.data.objects.get(name)
            if obj is None or obj.type != "MESH" or not obj.jounce.enabled:
                del self._shown[name]
            elif obj.visible_get():
                made = self._current(obj)
                if made is not None:
                    self._draw_one(obj, made)

    def _current(self, obj):
        """None: it cannot be made; the bake says in words what is wrong."""
        key = self._key_of(obj)
        if self._shown[obj.name][0] != key:
            try:
                self._shown[obj.name] = (key, self._make(obj))
            except self._errors:
                self._shown[obj.name] = (key, None)
        return self._shown[obj.name][1]
