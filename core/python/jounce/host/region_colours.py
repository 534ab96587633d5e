"""Colours of painted regions: one for each, and what is seen where several cover a place."""

# In the order of the regions; each can be told from its neighbours, also by eyes that confuse red and green.
PALETTE = ((0.90, 0.62, 0.00), (0.34, 0.71, 0.91), (0.00, 0.62, 0.45), (0.94, 0.89, 0.26), (0.00, 0.45, 0.70),
           (0.84, 0.37, 0.00), (0.80, 0.47, 0.65))
# Of a place that is fully painted.
OPACITY = 0.7


def colour_of(number):
    """Of a new region, the number-th of its body."""
    return PALETTE[number % len(PALETTE)]


def blended(layers, count):
    """[(r, g, b, a)] of each of `count` places. layers: [(colour, weight of each place)], later ones over earlier ones."""
    found = [(0.0, 0.0, 0.0, 0.0)] * count
    for colour, weights in layers:
        for place, weight in enumerate(weights):
            if weight > 0:
                found[place] = _over(colour, OPACITY * weight, found[place])
    return found


def _over(colour, alpha, below):
    """The paint `colour` with the opacity alpha over what is there; colours are not multiplied by their opacity."""
    rest = below[3] * (1 - alpha)
    total = alpha + rest
    return tuple((alpha * part + rest * old) / total for part, old in zip(colour, below)) + (total,)
