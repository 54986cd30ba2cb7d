@_exported public import UndersongMediaPlayer
