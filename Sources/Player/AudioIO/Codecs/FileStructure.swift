import UndersongPlayback

/// The structure of a file, and what is wrong with it.
struct FileStructure {
    var damage: [MediaDamage] = []
    var bitrate: MediaInspection.Bitrate?
    /// The header of the first frame, in MPEG audio.
    var header: MPEGFrameHeader?
}
