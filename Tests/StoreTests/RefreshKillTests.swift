import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongStore

private let child = KilledProcess(
    test: "A child process schedules until it is killed", variable: "UNDERSONG_REFRESH_CHILD",
    words: ["submitted", "worked"])
private let childFolder = KilledProcess.folder(child.variable)
private let kills = KilledProcess.count("UNDERSONG_REFRESH_KILLS")

@Suite struct `A scheduler that is killed` {
    @Test(.disabled(if: childFolder != nil))
    func `A killed scheduler has lost no acknowledged request, and done nothing twice`()
        async throws
    {
        let folder = TemporaryFolder()
        var submitted: Set<String> = []
        var worked: [String] = []
        var interrupted = 0
        for kill in 1...kills {
            for line in try child.run(in: folder.store, upTo: Int.random(in: 0...60)) {
                let words = line.split(separator: " ").map(String.init)
                if words[0] == "submitted" { submitted.insert(words[1]) }
                if words[0] == "worked" { worked.append(words[1]) }
            }

            let store = folder.open()
            let memory = await store.refreshes
            let pending = memory.requests.compactMap(\.earliestBeginDate).map { String($0) }
            interrupted += memory.runs.count { $0.result == nil }
            #expect(memory.requests.count <= 1, "kill \(kill)")
            #expect(Set(pending).isDisjoint(with: worked), "kill \(kill)")
            let lost = submitted.subtracting(worked).subtracting(pending)
            #expect(lost.count <= interrupted, "kill \(kill): \(lost)")
            #expect(store.trouble == nil)
            // What was interrupted is settled, as the next service would.
            var scheduler = RefreshScheduler(boot: "boot", seed: 1)
            let effects = scheduler.handle(.restored(memory), at: ScheduleTime(boot: 0, wall: 0))
            try await store.keep(effects.records, isDurable: true)
            store.close()
        }

        #expect(Set(worked).count == worked.count)
        #expect(worked.count > kills)
    }

    /// The process to be killed. It reports on standard error what is durable and what it does.
    @Test(.enabled(if: childFolder != nil))
    func `A child process schedules until it is killed`() async throws {
        let store = StateStore(folder: childFolder, clock: SystemClock()) { _ in }
        var scheduler = RefreshScheduler(boot: "boot", seed: 1)
        var now = ScheduleTime(boot: 1e9, wall: 1e9)
        var conditions = RefreshConditions()
        conditions.capabilities = Capabilities(
            backgroundModes: [.fetch], permittedIdentifiers: ["a"])
        conditions.handlers = ["a"]
        var effects = scheduler.handle(.restored(await store.refreshes), at: now)
        effects += scheduler.handle(.conditions(conditions), at: now)
        while true {
            try await store.keep(effects.records, isDurable: true)
            for case .keep(.request(let request)) in effects {
                KilledProcess.report("submitted \(request.earliestBeginDate ?? 0)")
            }
            for case .launch(let task) in effects {
                KilledProcess.report("worked \(task.request?.earliestBeginDate ?? 0)")
                let end = scheduler.handle(
                    .completed(task.number, RefreshCompletion(.done)), at: now)
                try await store.keep(end.records, isDurable: true)
            }
            // A request is due a day later at the latest.
            now.boot += 86400
            now.wall += 86400
            let request = RefreshRequest("a", earliestBeginDate: .random(in: 0...1e8))
            effects = scheduler.handle(
                scheduler.requests.isEmpty ? .submit(request) : .timePassed, at: now)
        }
    }
}

extension StateStore {
    fileprivate var refreshes: RefreshScheduler.Memory {
        get async {
            RefreshScheduler.Memory(
                await records(RefreshScheduler.Change.self, in: "refresh").map(\.value))
        }
    }
}

extension [RefreshScheduler.Effect] {
    /// The records to be kept.
    fileprivate var records: [RecordChange] {
        get throws {
            try flatMap { effect -> [RecordChange] in
                guard case .keep(let change) = effect else { return [] }
                return change.isRemoval
                    ? [.remove(namespace: "refresh", key: change.key)]
                    : [try .keep(change, in: "refresh", as: change.key)]
            }
        }
    }
}
