/// The nodes of an engine, and the connections between them.
struct NodeGraph {
    struct Connection {
        let source: AVAudioNode
        let target: AVAudioNode
        let bus: AVAudioNodeBus
        let format: AVAudioFormat?
    }

    private(set) var nodes: [AVAudioNode] = []
    /// At most one from each node, and one to each input.
    private(set) var connections: [Connection] = []

    func contains(_ node: AVAudioNode) -> Bool { nodes.contains { $0 === node } }

    mutating func add(_ node: AVAudioNode) { nodes.append(node) }

    mutating func remove(_ node: AVAudioNode) {
        nodes.removeAll { $0 === node }
        connections.removeAll { $0.source === node || $0.target === node }
    }

    /// Connects `source` to an input of `target`, in place of what was connected to either.
    mutating func connect(
        _ source: AVAudioNode, to target: AVAudioNode, bus: AVAudioNodeBus,
        format: AVAudioFormat?
    ) {
        disconnectOutput(of: source)
        disconnectInput(of: target, bus: bus)
        connections.append(
            Connection(source: source, target: target, bus: bus, format: format))
    }

    mutating func disconnectOutput(of node: AVAudioNode) {
        connections.removeAll { $0.source === node }
    }

    /// Disconnects one input, or all of them for nil.
    mutating func disconnectInput(of node: AVAudioNode, bus: AVAudioNodeBus? = nil) {
        connections.removeAll { $0.target === node && (bus == nil || $0.bus == bus) }
    }

    func connection(from node: AVAudioNode) -> Connection? {
        connections.first { $0.source === node }
    }

    func connection(to node: AVAudioNode, bus: AVAudioNodeBus) -> Connection? {
        connections.first { $0.target === node && $0.bus == bus }
    }

    /// The first input of `node` that is free.
    func freeInput(of node: AVAudioNode) -> AVAudioNodeBus {
        let taken = Set(connections.lazy.filter { $0.target === node }.map(\.bus))
        return (0...).first { !taken.contains($0) } ?? 0
    }

    /// The nodes after `node`, the output last; nil if it is not connected to the output.
    func path(from node: AVAudioNode, to output: AVAudioNode) -> [AVAudioNode]? {
        var path: [AVAudioNode] = []
        while path.last !== output {
            guard path.count <= connections.count,
                let next = connection(from: path.last ?? node)
            else { return nil }
            path.append(next.target)
        }
        return path
    }
}

/// The treatment of a player node's sound by its engine and the nodes after it.
struct NodeConditions: Equatable {
    /// True if the engine is running and the node is connected to its output.
    var isRunning = false
    /// The product of the volumes of the mixers.
    var volume: Float = 1
    /// The product of the rates of the time effects, 1/32 to 32.
    var tempo: Float = 1
    /// The sum of the changes of pitch, -2400 to 2400 cents.
    var cents: Float = 0
    /// The rate of the node's output format in Hz.
    var sampleRate = 0.0
}
