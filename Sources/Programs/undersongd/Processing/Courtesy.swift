/// Lets a thread of the lowest priority make way for others. The priority alone is not enough: the
/// kernel runs such a thread whenever a processor has nothing else to do for a moment, and sends
/// waiting threads there only milliseconds later. That made a build on two processors a fifth slower
/// (measured); with pauses it takes as long as alone.
struct Courtesy {
    /// Nanoseconds that the kernel has counted for a thread.
    struct Times {
        /// On a processor.
        var ran: Int64
        /// Ready to run, while others had the processors.
        var waited: Int64
    }

    /// Nanoseconds between looks.
    static let interval: Int64 = 20_000_000
    /// Nanoseconds of a first pause. Each further one that is needed is twice as long.
    private static let shortest: Int64 = 50_000_000
    /// Nanoseconds of a pause at most.
    private static let longest: Int64 = 1_000_000_000
    /// Of the time since the last look, the part of waiting that shows that others want the
    /// processors.
    private static let limit = 0.2

    private var since: Times
    private var pause: Int64 = 0

    init(at times: Times) { since = times }

    /// The nanoseconds to pause now; 0 for not at all. Call `resume` afterwards.
    mutating func pause(at times: Times) -> Int64 {
        let (ran, waited) = (times.ran - since.ran, times.waited - since.waited)
        if Double(waited) > Self.limit * Double(ran + waited) {
            pause = min(max(2 * pause, Self.shortest), Self.longest)
        } else {
            pause = pause / 2 < Self.shortest ? 0 : pause / 2
        }
        return pause
    }

    /// The pause, if there was one, is over.
    mutating func resume(at times: Times) { since = times }
}
