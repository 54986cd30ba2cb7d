@_exported public import UndersongAudioSession
