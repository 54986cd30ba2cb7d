"""Drivers for the players, with one interface."""

from .base import Player, Report, Wish, output_of
from .floor import Floor
from .mpd import Mpd
from .mpg123 import Mpg123
from .mpv import Mpv
from .undersong import Undersong, UndersongDynamic, UndersongServed

__all__ = [
    "PEERS",
    "Floor",
    "Player",
    "Report",
    "Undersong",
    "UndersongDynamic",
    "UndersongServed",
    "Wish",
    "output_of",
]

PEERS: list[type[Player]] = [Mpg123, Mpv, Mpd]
