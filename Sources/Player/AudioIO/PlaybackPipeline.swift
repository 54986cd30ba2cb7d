package import UndersongBackground
package import UndersongBase
package import UndersongPlayback

/// The channels between the threads of the sound path and those who command them, made before the
/// threads.
package struct PipelineChannels: Sendable {
    /// Commands the decode thread.
    package let decode: DecodeControl
    /// Commands the output thread.
    package let output: OutputControl
    /// Commands the clock thread, and passes it the output's reports.
    package let clock: ClockControl
    /// The clock of the threads.
    let hostClock: any HostClock
    let signals: PipelineSignals
    /// Agrees with the output on where a change of the stream begins.
    let gate: SpliceGate
    /// The stream's contents, from the decode thread to the clock thread.
    let timeline = SharedTimeline()
    /// The device's position, from the output thread to the clock thread.
    let readings = RenderClock()

    init(hostClock: any HostClock, device: String? = nil) {
        self.hostClock = hostClock
        signals = PipelineSignals()
        decode = DecodeControl(signals: signals)
        output = OutputControl(signals: signals, device: device)
        clock = ClockControl(signals: signals)
        gate = SpliceGate(signals: signals)
    }
}

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

    private let channels: PipelineChannels

    package var decode: DecodeControl { channels.decode }
    package var output: OutputControl { channels.output }
    package var clock: ClockControl { channels.clock }

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
        let channels = PipelineChannels(hostClock: hostClock, device: destination.device)
        let media = DecodeThread.Media(indexer: indexer, loudness: loudness, network: network)
        self.channels = channels
        startThread(named: "decode", isUrgent: true) {
            var thread = DecodeThread(
                channels, media, allowsRounding: !destination.isRealTime,
                chooseFormat: chooseFormat,
                start: { format, frames in
                    startThread(named: "clock", isUrgent: true) {
                        var thread = ClockThread(
                            channels, sampleRate: format.sampleRate,
                            tailLatency: destination.tailLatency, watches: watches,
                            passOn: handlers.output, emit: handlers.clock)
                        thread.run()
                    }
                    OutputEnd(channels, format: format, frames: frames).start(destination, server)
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

/// The output's end of the ring, and what an output thread needs whatever it plays on.
private struct OutputEnd: ~Copyable, Sendable {
    let channels: PipelineChannels
    let format: StreamFormat
    let frames: FrameConsumer

    init(_ channels: PipelineChannels, format: StreamFormat, frames: consuming FrameConsumer) {
        self.channels = channels
        self.format = format
        self.frames = frames
    }

    consuming func start(_ destination: OutputDestination, _ server: (any SoundServer)?) {
        let (format, control, clock) = (format, channels.output, channels.hostClock)
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
        let clock = PollClock(host: channels.hostClock)
        startThread(named: "output", isUrgent: true, state(clock, makeOutput).run)
    }

    private consuming func state<Output: AudioOutput & ~Copyable>(
        _ clock: any OutputClock, _ makeOutput: @escaping @Sendable () throws(OutputError) -> Output
    ) -> OutputThreadState<Output> {
        OutputThreadState(
            OutputLoop(
                channels, format: format, frames: frames, hostClock: clock,
                makeOutput: makeOutput, report: channels.clock.report))
    }
}

/// Passes the loop to its thread. Unchecked because only that thread ever touches it.
private final class OutputThreadState<Output: AudioOutput & ~Copyable>: @unchecked Sendable {
    private var loop: OutputLoop<Output>

    init(_ loop: consuming OutputLoop<Output>) { self.loop = loop }

    func run() { loop.run() }
}

extension StreamFormat {
    /// The number of items to examine, from the current one on, to choose a stream's format.
    package static let reach = 65
    /// The number of upcoming items to open if the first one does not decide.
    private static let openLimit = 16

    /// The format for a queue, given the first item's; `upcoming` are those after it. With `isFinal`
    /// no other stream can follow, and all of them are examined for samples of more than 16 bits.
    /// Blocks on the disk if it has to examine them.
    package static func forQueue(
        first: StreamFormat, upcoming: some Sequence<MediaSource>, isFinal: Bool
    ) -> StreamFormat {
        let registry = DecoderRegistry.standard
        let sources = Array(upcoming.prefix(isFinal ? .max : reach - 1))
        func format(of source: MediaSource) -> StreamFormat? {
            // A stream can be read only once.
            guard case .file = source else { return nil }
            return try? registry.decoder(for: source).format
        }
        return forQueue(first: first) {
            sources.prefix(openLimit).compactMap(format)
        } isWider: {
            sources.lazy.filter { registry.mayBeWide($0.path) }
                .prefix(isFinal ? .max : openLimit)
                .contains { format(of: $0)?.sampleFormat == .float32 }
        }
    }
}
