import Glibc
import Synchronization
package import UndersongBackground
package import UndersongBase
package import UndersongTransfers

/// Sends requests whose bodies go straight to clients, by pipes, with libcurl on one thread, which
/// starts with the first request and ends with the last. Any thread may call it.
package final class LoadEngine: Sendable {
    /// The settings of an engine.
    package struct Settings: Sendable {
        /// The value of `User-Agent`.
        package var userAgent = "Undersong"
        /// A file with the certificates to trust; nil for the system's.
        package var certificateFile: String?

        package init() {}
    }

    /// Reports what happens to a load, on the engine's thread. Nothing follows its end.
    package typealias Report = @Sendable (_ id: Int, LoadReport) -> Void

    private let thread: EngineThread<LoadEngineState>
    private let machine: MachineBoard
    private let lastID = Atomic(0)

    package init(_ settings: Settings, clock: any HostClock) {
        let machine = MachineBoard()
        self.machine = machine
        thread = EngineThread(named: "loads", clock: clock) { multi, _ in
            LoadEngineState(multi, settings, machine, clock)
        }
    }

    /// Begins a load, and returns its id. Its body goes into `pipe`; the engine closes it and `body`,
    /// the file to send, if any.
    package func open(
        _ call: OpenLoad, pipe: Int32, body: Int32?, _ report: @escaping Report
    ) -> Int {
        let id = lastID.add(1, ordering: .relaxed).newValue
        thread.post(.open(id: id, call, pipe: pipe, body: body, report))
        return id
    }

    /// Answers a load's challenge.
    package func answer(_ id: Int, _ answer: ChallengeAnswer) {
        thread.post(.answer(id: id, answer))
    }

    /// Gives up a load.
    package func close(_ id: Int) { thread.post(.close(id: id)) }

    /// The machine's conditions have changed.
    package func apply(_ machine: MachineState) {
        if self.machine.set(machine) { thread.post(.conditionsChanged) }
    }
}

/// The machine's conditions, which outlive the engine's thread.
final class MachineBoard: Sendable {
    private let state = Mutex((machine: MachineState(), watchers: 0))

    var machine: MachineState { state.withLock(\.machine) }

    /// Counts the loads that want to be informed of changes.
    func countWatchers(_ change: Int) { state.withLock { $0.watchers += change } }

    /// Returns true if the conditions are others than before, and somebody wants to know.
    func set(_ machine: MachineState) -> Bool {
        state.withLock { state in
            defer { state.machine = machine }
            return state.watchers > 0 && state.machine != machine
        }
    }
}
