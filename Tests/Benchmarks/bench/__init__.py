"""Undersong side by side with mpg123, mpv and mpd: what each does, heard on a recorded monitor."""
