import Testing
import UndersongBase

/// An actor with a gate, on an executor of its own.
private actor Owner {
    nonisolated let executor = QueueExecutor()
    private let gate = Gate()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    func wait() async { await gate.wait() }

    func open() async {
        // It opens between two steps of a caller that begins to wait.
        await Task.yield()
        gate.open()
    }
}

@Suite(.timeLimit(.minutes(1))) struct `A gate` {
    @Test func `A gate that opens while somebody begins to wait lets him pass`() async {
        for _ in 1...2_000 {
            let owner = Owner()
            async let waiting: Void = owner.wait()
            async let opening: Void = owner.open()
            _ = await (waiting, opening)
        }
    }
}
