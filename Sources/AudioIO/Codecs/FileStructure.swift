import Playback

/// How a file is built, and what about that is wrong.
struct FileStructure {
    var damage: [MediaDamage] = []
    var bitrate: MediaInspection.Bitrate?
    /// The first frame's header, in MPEG audio.
    var header: MPEGFrameHeader?
}
