"""Pictures of a training, as Bokeh figures.

Each is built once, empty; afterwards only data and colours change. New models in a page that is already shown
could overtake, on the wire, the message which describes them.

Colour never stands alone: runs differ by dash from the seventh on, the labels of a ribbon by height, wrong
sites are hatched, and negative weights are hollow.
"""
