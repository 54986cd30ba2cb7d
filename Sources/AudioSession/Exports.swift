// The values that an application of this library names, so that it imports one module.
@_exported public import AudioIO
@_exported public import Background
@_exported public import Playback
