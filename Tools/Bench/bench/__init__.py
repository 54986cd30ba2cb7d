"""Compares Undersong with mpg123, mpv and mpd by recordings of the sound server's monitor."""
