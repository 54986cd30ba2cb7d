import UndersongAudioSession
import UndersongBackground

/// Finite-length tasks of the clients and of the service itself (behaviour 2.8).
extension PlayerService {
    /// The seconds that the host may still run in the background; nil in the foreground.
    package var timeRemaining: Double? { tasks.timeRemaining }

    /// Begins a task of a client and returns its number; nil if no time is left. Until it ends, the
    /// host is not suspended while its time lasts.
    package func beginTask(_ name: String, of client: ClientID) -> Int? {
        let task = tasks.begin(name, .client(client))
        scheduleTasks()
        return task
    }

    /// Ends a task of a client. An ended task, or one of another client, is ignored.
    package func endTask(_ task: Int, of client: ClientID) async {
        if tasks.tasks(of: client).contains(task) { await endTask(task) }
    }

    func endTask(_ task: Int) async {
        tasks.end(task)
        scheduleTasks()
    }

    /// Lets the indexing of a long file in progress finish as far as time allows: the index is then
    /// saved and makes the next seek fast.
    func beginOwnTasks() {
        let session = session
        let task = tasks.begin("index of a long file", .service { session.cancelIndexing() })
        guard let task else { return }
        let isIndexing = session.whenIndexed { [weak self] in
            self?.post { await $0.endTask(task) }
        }
        if !isIndexing { tasks.end(task) }
    }

    func scheduleTasks() {
        tasks.schedule { [weak self] in
            self?.post { await $0.advanceTasks() }
        }
    }

    private func advanceTasks() async {
        while let due = tasks.due() {
            switch due {
            case .expire(let identifiers): identifiers.forEach(expire)
            case .terminate(let overstays):
                for overstay in overstays { await terminate(overstay) }
            }
        }
        scheduleTasks()
    }

    private func expire(_ task: Int) {
        switch tasks.owners[task] {
        case .client(let id):
            clients[id]?.client.taskIsExpiring(task, timeRemaining: tasks.timeRemaining ?? 0)
        case .service(let stop): stop()
        case nil: break
        }
    }

    private func terminate(_ overstay: BackgroundTasks.Overstay) async {
        if case .client(let id)? = tasks.owners[overstay.identifier] {
            clients[id]?.client.taskWasTerminated(overstay.identifier)
        }
        tasks.forget(overstay.identifier)
        let name = overstay.name ?? "task \(overstay.identifier)"
        await report(
            "cannot keep the task '\(name)' running: Its time in the background is over",
            code: "task-overstayed")
    }
}
