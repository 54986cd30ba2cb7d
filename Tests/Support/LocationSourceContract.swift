internal import Dispatch
internal import Synchronization
package import Testing
package import UndersongLocation

/// Expects of a source that is not started what the port says. `measure` makes it measure a place,
/// another one each time, which it sends if it is started.
package func expectLocationSourceContract(
    of source: some LocationSource, measure: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    func expect(_ isSo: Bool, _ what: Comment) {
        #expect(isSo, what, sourceLocation: sourceLocation)
    }

    var times: [Double] = []
    var earlier: (events: Inbox<LocationSourceEvent>, stop: Double)?
    for run in 0..<2 {
        let events = Inbox<LocationSourceEvent>()
        let depth = Mutex(0)
        let isSerial = Mutex(true)
        source.start(LocationDemand(accuracy: .best)) { event in
            let callers = depth.withLock { depth in
                depth += 1
                return depth
            }
            if callers > 1 { isSerial.withLock { $0 = false } }
            events.put(event)
            depth.withLock { $0 -= 1 }
        }

        let first = try events.next()
        if case .fix = first { expect(false, "a state comes before the first fix") }
        try measure()
        let one = try events.nextFix()
        source.change(LocationDemand(accuracy: .kilometer))
        try measure()
        let two = try events.nextFix()
        source.stop()
        // A source may have sent more than one fix for each measurement.
        let stop = events.rest.compactMap(\.fix?.time).reduce(two.time, max)
        try measure()

        expect(one.source == source.kind && two.source == source.kind, "fixes name their source")
        expect(two.time > one.time, "times increase")
        expect(two.arrival >= one.arrival, "fixes arrive in order")
        expect(one.coordinate.isValid && one.horizontalAccuracy >= 0, "fixes are somewhere")
        if run > 0, let last = times.last { expect(one.time >= last, "a new start continues") }
        if let (events, stop) = earlier {
            let isStopped = events.rest.allSatisfy { ($0.fix?.time ?? stop) <= stop }
            expect(isStopped, "a stopped source sends no fix")
        }
        times += [one.time, two.time]
        earlier = (events, stop)
        expect(isSerial.withLock(\.self), "the handler is called by one thread at a time")
    }
}

extension LocationSourceEvent {
    fileprivate var fix: LocationFix? { if case .fix(let fix) = self { fix } else { nil } }
}

extension Inbox<LocationSourceEvent> {
    /// The next fix, after states.
    ///
    /// - Throws: `Overdue`.
    fileprivate func nextFix() throws -> LocationFix {
        while true {
            if case .fix(let fix) = try next() { return fix }
        }
    }
}
