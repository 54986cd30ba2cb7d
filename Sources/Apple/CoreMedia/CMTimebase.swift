// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The timeline of something that plays: which of its times it is now, and how fast they pass. It
/// follows the player and cannot be set. Any thread may use it.
public final class CMTimebase: Sendable {
    private let readTime: @Sendable () -> CMTime
    private let readRate: @Sendable () -> Double

    /// Makes a timeline that asks for its time and its rate whenever it is asked.
    package init(time: @escaping @Sendable () -> CMTime, rate: @escaping @Sendable () -> Double) {
        readTime = time
        readRate = rate
    }

    /// The time that is heard now.
    public var time: CMTime { readTime() }

    /// The speed at which the time passes: 1 for a second each second, 0 while it is stopped.
    public var rate: Double { readRate() }
}

/// The time of a timeline, as `CMTimebase.time`.
public func CMTimebaseGetTime(_ timebase: CMTimebase) -> CMTime { timebase.time }

/// The rate of a timeline, as `CMTimebase.rate`.
public func CMTimebaseGetRate(_ timebase: CMTimebase) -> Double { timebase.rate }
