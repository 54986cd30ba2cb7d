// Re-exports the values that an application uses, so that it needs to import only one module.
@_exported public import AudioIO
@_exported public import Background
@_exported public import Playback
