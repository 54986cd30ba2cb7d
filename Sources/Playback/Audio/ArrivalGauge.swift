/// Tells what a sound server holds at least once all that was written has arrived there. Its counts
/// come over another connection than the samples, and may be older than these; but a device plays no
/// faster than time passes, so that each count says what the next one cannot be below.
///
/// libpulse's own latency says that too, but not behind a server that hung: it goes on counting down
/// meanwhile, and a count without the last write passed for a true one then.
package struct ArrivalGauge: Sendable {
    private let format: StreamFormat
    private var known: (nanoseconds: Int64, hostTime: Int64, written: Int)?

    package init(format: StreamFormat) { self.format = format }

    /// The server held so much at `hostTime`, of `written` frames in all.
    package mutating func take(_ nanoseconds: Int64, at hostTime: Int64, written: Int) {
        known = (nanoseconds, hostTime, written)
    }

    /// Nanoseconds that it holds at `hostTime`, when all of `written` frames are there; 0 or less where
    /// it may have played everything. Nil without an earlier count.
    package func least(at hostTime: Int64, written: Int) -> Int64? {
        known.map { known in
            known.nanoseconds - (hostTime - known.hostTime)
                + format.nanoseconds(frames: written - known.written)
        }
    }

    /// The server was emptied: what it held says nothing any more.
    package mutating func forget() { known = nil }
}
