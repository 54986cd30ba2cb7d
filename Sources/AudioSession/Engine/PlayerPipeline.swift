import AudioIO
import Dispatch
import Playback

/// The sound path as the player begins and ends it, and what it sends there.
extension PlayerEngine {
    /// Begins the stream with the current item, where there is one and nothing plays yet.
    func startStream() {
        guard let current = queue.current else { return }
        if !isRunning { run += 1 }
        isRunning = true
        perform(machine.itemsAppended())
        isAtItemEnd = false
        if pipeline == nil { makePipeline() }
        if let time = resumeTime.take() {
            send(plan.jump(to: current, at: time).actions)
        } else {
            send(plan.revise(for: queue))
        }
    }

    private func makePipeline() {
        pipelineNumber += 1
        let number = pipelineNumber
        let (inbox, reporter) = (inbox, reporter)
        let upcoming = queue.upcoming(StreamFormat.lookahead + 1).dropFirst().map(\.source)
        let clock = { @Sendable (event: ClockEvent, hostTime: Int64) in
            if case .observed(.crossed) = event { return reporter.heard(event, at: hostTime) }
            inbox.put((number, .heard(event))) { reporter.heard(event, at: hostTime) }
        }
        let pipeline = PlaybackPipeline(
            destination: output, server: connection(for: output), watches: watches,
            indexer: indexer, hostClock: configuration.clock,
            chooseFormat: { StreamFormat.forQueue(first: $0, upcoming: upcoming) },
            handlers: PlaybackPipeline.Handlers(
                decode: { report in
                    if case .opened(let passage, let description) = report {
                        reporter.opened(passage.item, description)
                    }
                    inbox.put((number, .decode(report)))
                },
                ready: { _ in inbox.put((number, .ready)) },
                output: { report in
                    guard let fact = reporter.take(report) else { return }
                    inbox.put((number, fact))
                }, clock: clock))
        for watch in observers.follow(pipeline.clock) { pipeline.clock.add(watch) }
        self.pipeline = pipeline
        chooseDevice()
        applyVolume()
    }

    /// Begins to connect to the sound server of `destination`, which the next stream is expected to go
    /// to; nil: where the last one went. The connection is closed again where none comes.
    func prepareOutput(for destination: OutputDestination? = nil) {
        let destination = destination ?? output
        if pipeline == nil { connection(for: destination)?.prepare() }
    }

    private var watches: [TimeWatch] {
        var watches = timeEvents.map(\.value)
        if let interval = configuration.interval {
            watches.append(TimeWatch(id: .interval, times: .every(interval)))
        }
        if !configuration.boundaries.isEmpty {
            watches.append(
                TimeWatch(id: .boundaries, times: .at(configuration.boundaries.sorted())))
        }
        return watches
    }

    /// Lets go of a stream that is over: the next begins afresh, in its own first item's format.
    func dropPipeline() {
        pipeline?.stop()
        pipeline = nil
        pipelineNumber += 1
        hasOutput = false
        hasPlayed = false
        retries.end()
        isHolding = false
        tellSilence()
        tellSettled()
        descriptions = [:]
        _ = observers.follow(nil)
    }

    /// Ends the sound path and then the session, at the latest after `deadline`.
    func closePipeline(within deadline: Duration) {
        pipeline?.stop()
        guard hasOutput else { return finish() }
        executor.queue.asyncAfter(deadline: .now() + deadline / .seconds(1)) {
            self.assumeIsolated { $0.finish() }
        }
    }

    /// Tells the decode thread what the plan says.
    func send(_ actions: [PlaybackPlan.Action]) {
        for action in actions {
            switch action {
            case .append(let passage): pipeline?.decode.append(passage)
            case .splice(let passage, let cut): pipeline?.decode.splice(passage, at: cut)
            }
        }
    }
}
