import UndersongAudioIO
import UndersongPlayback

/// Performs the player's effects.
extension PlayerEngine {
    func perform(_ effect: Player.Effect) {
        switch effect {
        case .openStream: openStream()
        case .prepareOutput: prepareOutput()
        case .schedule(.append(let passage)): pipeline?.decode.append(passage)
        case .schedule(.splice(let passage, let cut)): pipeline?.decode.splice(passage, at: cut)
        case .runOutput: runOutput()
        case .holdOutput(let release, let status):
            pipeline?.clock.isCountingSeconds = false
            reporter.handle(.willHold(status))
            pipeline?.output.hold(release: release)
        case .statusWhenSilent(let status): reporter.handle(.willHold(status))
        case .stopStream: pipeline?.stop()
        case .awaitEnd(let seconds):
            call(after: seconds) { _ = $0.handle(.stream(.deadlinePassed)) }
        case .dropStream: dropStream()
        case .retryOutput:
            feed(server: .willOpenStream)
            pipeline?.output.retry()
        case .retryLater: retryLater()
        case .endRetries: endRetries()
        case .useDefaultDevice: pipeline?.output.setDevice(nil)
        case .listenToServer: listen()
        case .pingServer: pingServer()
        case .settingsChanged(let before): followSettings(since: before)
        case .update: reporter.handle(.queue(player.queue))
        case .keep(let record): store?.keep(record)
        case .keepPosition(let time, let item): store?.keep(time, of: item)
        case .leaveFile(let item, let time): filePositions?.leave(item, at: time)
        case .measure(let item, let description): measure(item, description)
        case .measured(let item, let length): reporter.handle(.measured(item, length: length))
        case .report(let report): publishReport(report)
        case .answer(let id, let reply): resolve(id, with: reply)
        case .refuse: break
        case .finish(let end): finish(end)
        }
    }

    private func publishReport(_ report: Player.Report) {
        switch report {
        case .queue:
            let current = player.queue.currentID
            publish(queueEvent) { head in
                if head.item == nil { head.item = current }
            }
        case .queueStopped(let item, let index, let time):
            publish(queueEvent) { head in
                head.item = item
                head.place = index
                head.position = time
            }
        case .status(let status): hub.publish(status, at: hostTime)
        case .position(let time):
            publish(.time(isExact: true)) { $0.position = time }
            observers.jumped(to: time)
        case .settings: publish(.settings(SettingsEvent(player.settings)))
        case .mediaFailure(let error, let item): publish(.error(SessionFailure(error, item: item)))
        case .outputFailure(let error): publish(.error(SessionFailure(error)))
        case .runEnded(let end):
            publish(.runEnded(end))
            feed(server: .deactivated(notifyingOthers: true))
        }
    }

    var queueEvent: PlayerEvent.Kind {
        .queue(player.queue.upcoming(PlayerEvent.listedItems), count: player.queue.count)
    }

    // MARK: The sound path

    private func openStream() {
        pipelineNumber += 1
        let number = pipelineNumber
        let (inbox, reporter, order) = (inbox, reporter, streamOrder)
        // A file keeps the format with which it begins.
        let isFinal = !output.isRealTime
        let upcoming = player.queue.upcoming(isFinal ? .max : StreamFormat.reach)
            .dropFirst().map(\.source)
        let least = configuration.leastSampleFormat
        let pipeline = PlaybackPipeline(
            destination: output, server: connection(for: output), watches: watches,
            indexer: indexer, loudness: configuration.loudnessMemory,
            hostClock: configuration.clock, network: configuration.network,
            chooseFormat: { first in
                var first = first
                first.sampleFormat = first.sampleFormat.widened(by: least)
                return .forQueue(first: first, upcoming: upcoming, isFinal: isFinal)
            },
            handlers: PlaybackPipeline.Handlers(
                decode: { report in
                    if case .opened(let passage, let description) = report {
                        reporter.handle(.opened(passage.item, description))
                    }
                    if case .titled(let text, let time) = report {
                        return inbox.put((number, .titled(reporter.addTitle(text, at: time))))
                    }
                    guard let fact = Player.StreamFact(report) else { return }
                    inbox.put((number, .stream(fact)))
                },
                ready: { _ in inbox.put((number, .stream(.ready))) },
                output: { report in
                    reporter.handle(.output(report))
                    if let fact = Report(report) { inbox.put((number, fact)) }
                },
                clock: { event, hostTime in
                    if event == .secondPassed { return inbox.put((number, .secondPassed)) }
                    order.report(from: number, isLast: event == .stopped) {
                        guard let fact = Player.StreamFact(event) else {
                            return reporter.handle(event, at: hostTime)
                        }
                        inbox.put((number, .stream(fact))) {
                            reporter.handle(event, at: hostTime)
                        }
                    }
                }))
        for watch in observers.follow(pipeline.clock) { pipeline.clock.add(watch) }
        self.pipeline = pipeline
        call(after: StreamOrder.patience) { _ in order.end(before: number) }
        feed(server: .willOpenStream)
        applyVolume()
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

    private func dropStream() {
        pipeline?.stop()
        pipeline = nil
        pipelineNumber += 1
        endRetries()
        _ = observers.follow(nil)
    }

    /// Starts the output, saves the position once a second, and checks whether the device accepts
    /// sound.
    private func runOutput() {
        reporter.handle(.willRun)
        feed(server: .activated(at: configuration.clock.sinceBoot))
        pipeline?.output.run()
        pipeline?.clock.isCountingSeconds = true
    }

    /// Starts to connect to the sound server of `destination`, where the next stream is expected,
    /// or of the last output for nil. If no stream follows, the connection is closed again.
    func prepareOutput(for destination: OutputDestination? = nil) {
        let destination = destination ?? output
        if pipeline == nil { connection(for: destination)?.prepare() }
    }

    // MARK: Other effects

    /// Finds the exact length of an item, and an index for seeking in it.
    private func measure(_ item: QueueItem, _ description: MediaDescription) {
        guard output.isRealTime else { return }
        let (inbox, number) = (inbox, pipelineNumber)
        indexer.make(for: item.source) { index in
            inbox.put((number, .stream(.measured(item.source, frames: index.frameCount))))
        }
    }

    private func followSettings(since before: PlayerSettings) {
        applyVolume()
        if settings.mixing != before.mixing {
            feed(server: .mix(settings.mixing, permission.policy.category))
        }
        if settings.unplugPolicy != before.unplugPolicy {
            feed(server: .setUnplugPolicy(settings.unplugPolicy))
        }
        if settings.outputDevice != before.outputDevice {
            feed(server: .chooseDevice(settings.outputDevice))
        }
    }

    func applyVolume() {
        pipeline?.output.setLoudness(
            Loudness(volume: settings.volume, gain: serverPolicy.gain, isMuted: settings.isMuted))
    }
}

extension PlayerEngine.Report {
    /// Nil for a report that does not affect the player.
    init?(_ report: OutputReport) {
        switch report {
        case .lost(let error, _, _), .stillLost(let error): self = .outputLost(error)
        case .works: self = .output(.works)
        case .failed(let error): self = .output(.failed(error))
        case .settingVolume(let change): self = .settingVolume(change)
        case .held, .starved, .finished, .stopped: return nil
        }
    }
}

extension Player.StreamFact {
    /// Nil for a report that does not affect the player.
    init?(_ report: DecodeReport) {
        switch report {
        case .opened(let passage, let description): self = .opened(passage, description)
        case .failed(let passage, let error): self = .failed(passage, error)
        case .needsWiderStream(let passage): self = .needsWiderStream(passage)
        case .ended(let passage, let wasOpened): self = .ended(passage, wasOpened: wasOpened)
        case .supplied: self = .supplied
        case .titled: return nil
        }
    }

    /// Nil for an event that does not affect the player.
    init?(_ event: ClockEvent) {
        switch event {
        case .observed(.began(let segment)): self = .began(segment)
        case .held: self = .held
        case .starved: self = .starved
        case .replenished: self = .replenished
        case .finished: self = .finished
        case .stopped: self = .stopped
        case .running, .observed, .uncertain, .secondPassed: return nil
        }
    }
}
