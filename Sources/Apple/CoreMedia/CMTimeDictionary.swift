// Times and ranges as dictionaries. Core Media uses `CFDictionary`, which Linux does not have; here
// they are Swift dictionaries with the same keys. There are no allocators: pass nil.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The key of a time's `value`.
public let kCMTimeValueKey = "value"
/// The key of a time's `timescale`.
public let kCMTimeScaleKey = "timescale"
/// The key of a time's `epoch`.
public let kCMTimeEpochKey = "epoch"
/// The key of a time's `flags`.
public let kCMTimeFlagsKey = "flags"
/// The key of a range's `start`.
public let kCMTimeRangeStartKey = "start"
/// The key of a range's `duration`.
public let kCMTimeRangeDurationKey = "duration"

/// The time's four fields by key.
public func CMTimeCopyAsDictionary(_ time: CMTime, allocator: Never? = nil) -> [String: Int64]? {
    [
        kCMTimeValueKey: time.value, kCMTimeScaleKey: Int64(time.timescale),
        kCMTimeEpochKey: time.epoch, kCMTimeFlagsKey: Int64(time.flags.rawValue),
    ]
}

/// The time described by the dictionary; invalid if a field is missing or too large.
public func CMTimeMakeFromDictionary(_ dictionaryRepresentation: [String: Int64]?) -> CMTime {
    guard let fields = dictionaryRepresentation,
        let value = fields[kCMTimeValueKey], let epoch = fields[kCMTimeEpochKey],
        let timescale = fields[kCMTimeScaleKey].flatMap({ Int32(exactly: $0) }),
        let flags = fields[kCMTimeFlagsKey].flatMap({ UInt32(exactly: $0) })
    else { return .invalid }
    return CMTime(
        value: value, timescale: timescale, flags: CMTimeFlags(rawValue: flags), epoch: epoch)
}

/// The range's start and duration by key, each as in `CMTimeCopyAsDictionary`.
public func CMTimeRangeCopyAsDictionary(
    _ range: CMTimeRange, allocator: Never? = nil
) -> [String: [String: Int64]]? {
    [
        kCMTimeRangeStartKey: CMTimeCopyAsDictionary(range.start) ?? [:],
        kCMTimeRangeDurationKey: CMTimeCopyAsDictionary(range.duration) ?? [:],
    ]
}

/// The range described by the dictionary; invalid if something is missing.
public func CMTimeRangeMakeFromDictionary(
    _ dictionaryRepresentation: [String: [String: Int64]]
) -> CMTimeRange {
    CMTimeRange(
        start: CMTimeMakeFromDictionary(dictionaryRepresentation[kCMTimeRangeStartKey]),
        duration: CMTimeMakeFromDictionary(dictionaryRepresentation[kCMTimeRangeDurationKey]))
}
