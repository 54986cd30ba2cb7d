// Apple keeps its audio session and audio player in a framework of this name, which AVFoundation
// brings along. Here they are AVFoundation's own: this module is for files that import the part.
@_exported public import UndersongAVFoundation
