import TestSupport
import Testing
import UndersongBase
import UndersongPlayback
import UndersongStore

private let child = KilledProcess(
    test: "A child process commits until it is killed", variable: "UNDERSONG_STORE_CHILD",
    words: ["begin", "done", "keep", "flushed"])
private let childFolder = KilledProcess.folder(child.variable)
private let kills = KilledProcess.count("UNDERSONG_STORE_KILLS")

@Suite struct `A process that is killed` {
    @Test(.disabled(if: childFolder != nil))
    func `A killed process has kept every acknowledged edit, and no partial one`() async throws {
        let folder = TemporaryFolder()
        var last = [""]
        var edits = 0
        var start: Int64 = 0
        for kill in 1...kills {
            let lines = try child.run(in: folder.store, upTo: Int.random(in: 0...60))

            // The last edit begun may have been completed.
            for line in lines {
                let words = line.split(separator: " ", omittingEmptySubsequences: false)
                if words[0] == "begin" { last.append(String(words[1])) }
                if words[0] == "done" { last = [last[last.count - 1]] }
            }
            let store = folder.open()
            let order = store.record?.order ?? QueueOrder()
            let found = store.items(order.ids).map { "\($0.id)=\($0.source.path)" }
            #expect(last.contains(found.joined(separator: ",")), "kill \(kill)")
            #expect(store.trouble == nil)
            edits += lines.count { $0 == "done" }
            let positions = lines.compactMap { number($0, after: "keep ") }
            let flushed = lines.compactMap { number($0, after: "flushed ") }
            if let position = store.record?.position.value {
                #expect(position >= flushed.max() ?? 0)
                #expect(position <= (positions.max() ?? start) + 1)
                start = position
            }
            store.close()
            last = [found.joined(separator: ",")]
        }
        #expect(edits > kills)
    }

    /// The process to be killed. It reports on standard error what it begins and completes.
    @Test(.enabled(if: childFolder != nil))
    func `A child process commits until it is killed`() async throws {
        let store = StateStore(folder: childFolder, clock: SystemClock()) { _ in }
        var queue = PlaybackQueue(itemStore: store)
        if let order = store.record?.order { queue.restore(order) }
        var position = store.record?.position.value ?? 0
        while true {
            let change = try await change(of: queue, on: store)
            try queue.apply(change.0)
            position += 1
            let items = queue.items.map { "\($0.id)=\($0.source.path)" }
            KilledProcess.report("begin \(items.joined(separator: ","))")
            let time = CMTime(value: position, timescale: 1)
            let record = PlayerRecord(order: queue.order, position: time)
            try await store.commit(record, as: change.1)
            KilledProcess.report("done")
            position += 1
            KilledProcess.report("keep \(position)")
            if let current = queue.currentID {
                store.keep(CMTime(value: position, timescale: 1), of: current)
                if position % 3 == 0 {
                    await store.flush()
                    KilledProcess.report("flushed \(position)")
                }
            }
        }
    }

    /// A random edit; sometimes the last one is undone.
    private func change(
        of queue: PlaybackQueue, on store: StateStore
    ) async throws -> (QueueChange, QueueCommit) {
        let ids = queue.ids
        switch Int.random(in: 0..<8) {
        case 0:
            if let (order, _) = try await store.orderBeforeLastEdit() {
                return (.restore(order), .undo)
            }
        case 1 where ids.count > 20: return (.removeAll, .edit("clear"))
        case 2, 3:
            if let moved = ids.randomElement(), let target = ids.randomElement(), moved != target {
                return (.move(moved, after: target), .edit("move"))
            }
        case 4:
            if let removed = ids.randomElement() { return (.remove([removed]), .edit("remove")) }
        default: break
        }
        let entries = (0..<Int.random(in: 1...4)).map { _ in
            QueueEntry("\(UInt64.random(in: .min ... .max))")
        }
        let new = Bool.random() ? store.add(entries) : store.stage(entries)
        return (.insert(new, .next, seed: 0), .edit("add"))
    }

    private func number(_ line: String, after word: String) -> Int64? {
        line.hasPrefix(word) ? Int64(line.dropFirst(word.count)) : nil
    }
}
