package import UndersongBackground
package import UndersongBase
package import UndersongPlayback

/// The three threads of the sound path and the ring between them:
/// file → decoder → ring → output, and clock → observers.
///
/// Created with its handlers, which are called on the reporting threads and must not block.
package struct PlaybackPipeline: Sendable {
    /// Receive the reports of the threads.
    package struct Handlers: Sendable {
        package var decode: @Sendable (DecodeReport) -> Void
        /// The first item is open: the output may run from now on.
        package var ready: @Sendable (StreamFormat) -> Void
        package var output: @Sendable (OutputReport) -> Void
        package var clock: @Sendable (ClockEvent, _ hostTime: Int64) -> Void

        package init(
            decode: @escaping @Sendable (DecodeReport) -> Void,
            ready: @escaping @Sendable (StreamFormat) -> Void,
            output: @escaping @Sendable (OutputReport) -> Void,
            clock: @escaping @Sendable (ClockEvent, Int64) -> Void
        ) {
            self.decode = decode
            self.ready = ready
            self.output = output
            self.clock = clock
        }
    }

    package let decode: DecodeControl
    package let output: OutputControl
    package let clock: ClockControl

    /// Creates the pipeline and starts its decode thread; the others start with the first item.
    /// - Parameters:
    ///   - server: the connection to the destination's sound server; nil if it has none.
    ///   - watches: the times that the clock reports from the start.
    ///   - loudness: remembers how loud files without ReplayGain tags are; nil if nothing does.
    ///   - hostClock: the clock of the threads.
    ///   - network: the way to the network; nil if there is none.
    ///   - chooseFormat: returns the stream's format, given the first item's.
    package init(
        destination: OutputDestination, server: (any SoundServer)? = nil, watches: [TimeWatch],
        indexer: MediaIndexer, loudness: (any LoudnessMemory)? = nil,
        hostClock: any HostClock, network: (any NetworkStreams)? = nil,
        chooseFormat: @escaping @Sendable (StreamFormat) -> StreamFormat, handlers: Handlers
    ) {
        let signals = PipelineSignals()
        let timeline = SharedTimeline()
        let gate = SpliceGate(signals: signals)
        let decode = DecodeControl(signals: signals)
        let output = OutputControl(signals: signals, device: destination.device)
        let clock = ClockControl(signals: signals)
        self.decode = decode
        self.output = output
        self.clock = clock
        startThread(named: "decode", isUrgent: true) {
            var thread = DecodeThread(
                control: decode, gate: gate, signals: signals, timeline: timeline,
                indexer: indexer, loudness: loudness, hostClock: hostClock, network: network,
                isRounding: !destination.isRealTime,
                chooseFormat: chooseFormat,
                start: { format, frames in
                    let readings = RenderClock()
                    startThread(named: "clock", isUrgent: true) {
                        var thread = ClockThread(
                            sampleRate: format.sampleRate, residue: destination.residue,
                            watches: watches, control: clock, hostClock: hostClock,
                            signals: signals, timeline: timeline, readings: readings,
                            passOn: handlers.output, emit: handlers.clock)
                        thread.run()
                    }
                    let end = OutputEnd(
                        format: format, frames: frames, control: output, gate: gate,
                        signals: signals, readings: readings, clock: hostClock,
                        report: clock.report)
                    end.start(destination, server)
                    handlers.ready(format)
                },
                report: handlers.decode)
            thread.run()
        }
    }

    /// Silences the output and ends all threads; the clock's `stopped` is the last report.
    package func stop() {
        output.stop()
        decode.stop()
    }
}

/// What every output thread needs, whatever it plays on.
private struct OutputEnd: ~Copyable, Sendable {
    let format: StreamFormat
    let frames: FrameConsumer
    let control: OutputControl
    let gate: SpliceGate
    let signals: PipelineSignals
    let readings: RenderClock
    let clock: any HostClock
    let report: @Sendable (OutputReport) -> Void

    consuming func start(_ destination: OutputDestination, _ server: (any SoundServer)?) {
        let (format, control, clock) = (format, control, clock)
        switch destination {
        case .pulse:
            guard let server = server as? PulseServer else {
                preconditionFailure("a stream needs its sound server")
            }
            let connection = server.connection
            let loop = state(ServerClock(connection: connection)) { () throws(OutputError) in
                let loudness = control.loudness
                return try PulseOutput(
                    format: format, on: connection, device: control.device,
                    asksVolume: loudness.volume != 1 && !loudness.isMuted)
            }
            server.run(loop.run)
        case .pulseSimple(let server, _):
            start { () throws(OutputError) in
                try PulseSimpleOutput(
                    format: format, server: server, device: control.device, clock: clock)
            }
        case .null:
            start { () throws(OutputError) in NullOutput(format: format, clock: clock) }
        case .wav(let path):
            start { () throws(OutputError) in
                try WAVOutput(format: format, path: path, clock: clock)
            }
        }
    }

    private consuming func start<Output: AudioOutput & ~Copyable>(
        _ makeOutput: @escaping @Sendable () throws(OutputError) -> Output
    ) {
        let clock = PollClock(host: clock)
        startThread(named: "output", isUrgent: true, state(clock, makeOutput).run)
    }

    private consuming func state<Output: AudioOutput & ~Copyable>(
        _ clock: any OutputClock, _ makeOutput: @escaping @Sendable () throws(OutputError) -> Output
    ) -> OutputThreadState<Output> {
        OutputThreadState(
            OutputLoop(
                format: format, frames: frames, control: control, gate: gate, signals: signals,
                clock: readings, hostClock: clock, makeOutput: makeOutput, report: report))
    }
}

/// Passes the loop to its thread. Unchecked because only that thread ever touches it.
private final class OutputThreadState<Output: AudioOutput & ~Copyable>: @unchecked Sendable {
    private var loop: OutputLoop<Output>

    init(_ loop: consuming OutputLoop<Output>) { self.loop = loop }

    func run() { loop.run() }
}
