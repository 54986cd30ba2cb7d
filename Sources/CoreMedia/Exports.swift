// Of Apple's framework of this name there are the times: `CMTime`, `CMTimeRange`, `CMTimeMapping` and
// their functions. AVFoundation brings them along; this module is for files that import them alone.
@_exported public import Playback
