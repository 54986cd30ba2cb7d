public import Foundation
import Synchronization
import UndersongAudioSession
import UndersongPlayback

/// Plays what is scheduled on player nodes that are connected to its output. Any thread may call it.
///
/// An interruption, the loss of the sound server, of the device, or of the permission to play in
/// the background pauses the engine. Only `start()` resumes it.
open class AVAudioEngine: NSObject, @unchecked Sendable {
    // Sendable: all that changes is in a mutex.
    private let state = Mutex(State())
    /// The clock of every player here.
    let clock = SessionConfiguration.player(on: AVPlayer.outputDestination).clock

    private struct State {
        var graph = NodeGraph()
        var mixer: AVAudioMixerNode?
        var isRunning = false
    }

    /// Makes an engine without player nodes, which does not run.
    public override init() {
        super.init()
        attach(outputNode)
        AVAudioSession.sharedInstance().addClient(self)
    }

    // MARK: The graph

    /// The end of the graph.
    public let outputNode = AVAudioOutputNode()

    /// A mixer that is connected to the output. It is made when it is first asked for.
    open var mainMixerNode: AVAudioMixerNode {
        let (mixer, isNew) = state.withLock { state in
            if let mixer = state.mixer { return (mixer, false) }
            let mixer = AVAudioMixerNode()
            state.mixer = mixer
            state.graph.add(mixer)
            if state.graph.connection(to: outputNode, bus: 0) == nil {
                state.graph.connect(mixer, to: outputNode, bus: 0, format: nil)
            }
            return (mixer, true)
        }
        if isNew { mixer.engine = self }
        return mixer
    }

    /// All nodes of the graph.
    open var attachedNodes: Set<AVAudioNode> { Set(state.withLock { $0.graph.nodes }) }

    /// Adds a node to the graph. Precondition: it is not in the graph of another engine.
    open func attach(_ node: AVAudioNode) {
        precondition(
            node.engine == nil || node.engine === self, "a node is attached to one engine only")
        node.engine = self
        state.withLock { if !$0.graph.contains(node) { $0.graph.add(node) } }
    }

    /// Removes a node and its connections; a player node stops.
    open func detach(_ node: AVAudioNode) {
        guard node.engine === self else { return }
        state.withLock { $0.graph.remove(node) }
        node.engine = nil
        node.reset()
        refreshPlayers()
    }

    /// Connects the output of a node to the next free input of another, instead of what it was
    /// connected to. `format` only counts for a player node's times. Precondition: both are
    /// attached.
    open func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {
        let bus = node2 is AVAudioMixerNode ? freeInput(of: node2) : 0
        connect(node1, to: node2, fromBus: 0, toBus: bus, format: format)
    }

    /// Connects the output of a node to an input of another, instead of what either was connected
    /// to. `format` only counts for a player node's times. Precondition: both are attached.
    open func connect(
        _ node1: AVAudioNode, to node2: AVAudioNode, fromBus bus1: AVAudioNodeBus,
        toBus bus2: AVAudioNodeBus, format: AVAudioFormat?
    ) {
        state.withLock { state in
            precondition(
                state.graph.contains(node1) && state.graph.contains(node2),
                "nodes are attached before they are connected")
            state.graph.connect(node1, to: node2, bus: bus2, format: format)
        }
        refreshPlayers()
    }

    /// Disconnects one input of a node.
    open func disconnectNodeInput(_ node: AVAudioNode, bus: AVAudioNodeBus) {
        state.withLock { $0.graph.disconnectInput(of: node, bus: bus) }
        refreshPlayers()
    }

    /// Disconnects all inputs of a node.
    open func disconnectNodeInput(_ node: AVAudioNode) {
        state.withLock { $0.graph.disconnectInput(of: node) }
        refreshPlayers()
    }

    /// Disconnects an output of a node.
    open func disconnectNodeOutput(_ node: AVAudioNode, bus: AVAudioNodeBus) {
        disconnectNodeOutput(node)
    }

    /// Disconnects the output of a node.
    open func disconnectNodeOutput(_ node: AVAudioNode) {
        state.withLock { $0.graph.disconnectOutput(of: node) }
        refreshPlayers()
    }

    // MARK: Running

    /// True if the engine is running.
    open var isRunning: Bool { state.withLock(\.isRunning) }

    /// Does nothing: what is scheduled on a player node is decoded in advance.
    open func prepare() {}

    /// Activates the audio session and starts the engine; player nodes that were playing when it
    /// was paused continue.
    /// - Throws: The errors of `AVAudioSession.setActive(_:)`.
    open func start() throws {
        if let refusal = AVAudioSession.sharedInstance().activate() {
            throw refusal.error("start the audio engine")
        }
        setRunning(true)
    }

    /// Pauses the engine: all player nodes pause, and continue with the next sample after
    /// `start()`.
    open func pause() { setRunning(false) }

    /// Stops the engine and all player nodes, which discard what is scheduled.
    open func stop() {
        setRunning(false)
        reset()
    }

    /// Resets all nodes: player nodes stop and discard what is scheduled.
    open func reset() {
        for node in state.withLock({ $0.graph.nodes }) { node.reset() }
    }

    private func setRunning(_ isRunning: Bool) {
        state.withLock { $0.isRunning = isRunning }
        refreshPlayers()
    }

    // MARK: For nodes

    func format(after node: AVAudioNode) -> AVAudioFormat? {
        state.withLock { $0.graph.connection(from: node)?.format }
    }

    func format(before node: AVAudioNode, bus: AVAudioNodeBus) -> AVAudioFormat? {
        state.withLock { $0.graph.connection(to: node, bus: bus)?.format }
    }

    func freeInput(of node: AVAudioNode) -> AVAudioNodeBus {
        state.withLock { $0.graph.freeInput(of: node) }
    }

    /// The graph's treatment of a player node's sound.
    func conditions(of node: AVAudioNode) -> NodeConditions {
        let (path, isRunning, format) = state.withLock { state in
            (
                state.graph.path(from: node, to: outputNode), state.isRunning,
                state.graph.connection(from: node)?.format
            )
        }
        let rate = (format ?? .hardware).sampleRate
        guard let path else { return NodeConditions(sampleRate: rate) }
        return NodeConditions(
            isRunning: isRunning,
            volume: path.reduce(1) { $0 * $1.gain },
            tempo: min(max(path.reduce(1) { $0 * $1.tempo }, 1 / 32), 32),
            cents: min(max(path.reduce(0) { $0 + $1.cents }, -2400), 2400), sampleRate: rate)
    }

    /// Makes every player node look at its conditions again.
    func refreshPlayers() {
        for node in state.withLock({ $0.graph.nodes }) { (node as? AVAudioPlayerNode)?.refresh() }
    }
}

/// The audio session's effects on an engine (behaviour 2.5, 3.1).
extension AVAudioEngine: AVAudioSessionClient {
    package var isRunningIO: Bool { false }

    package func audioSession(_ session: AVAudioSession, didChange change: AVAudioSession.Change) {
        switch change {
        case .interruptionBegan, .deactivated, .mediaServicesLost: pause()
        case .oldDeviceUnavailable:
            guard isRunning else { return }
            pause()
            MainQueue.async { [weak self] in
                guard let self else { return }
                NotificationCenter.default.post(
                    name: .AVAudioEngineConfigurationChange, object: self)
            }
        case .setup, .application: if session.isSoundForbidden { pause() }
        case .interruptionEnded, .interruptionOverridden, .activated, .mediaServicesReset, .gain,
            .outputVolume:
            break
        }
    }
}

extension NSNotification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// An engine, its object, was paused because its device has gone; `start()` resumes it on
    /// another. Posted on the main queue.
    public static let AVAudioEngineConfigurationChange = NSNotification.Name(
        "AVAudioEngineConfigurationChangeNotification")
}
