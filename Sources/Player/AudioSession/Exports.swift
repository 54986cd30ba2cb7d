// Re-exports the values that an application uses, so that it needs to import only one module.
@_exported public import UndersongAudioIO
@_exported public import UndersongBackground
@_exported public import UndersongBase
@_exported public import UndersongPlayback
