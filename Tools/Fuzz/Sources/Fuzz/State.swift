import FoundationEssentials
import Glibc

@testable import UndersongBase
@testable import UndersongPlayback
@testable import UndersongStore

/// Opens a state file that was changed: pairs of an offset and the byte there. All that is read of it is
/// something that could have been kept.
func readState(_ bytes: [UInt8]) {
    var input = Input(bytes)
    var file = StateFolder.file
    let length = input.next() % 4 == 0 ? input.next() << 8 : file.count
    file = Array(file.prefix(length))
    while !input.isEmpty {
        let offset = input.next() << 8 | input.next()
        let byte = UInt8(input.next())
        if offset < file.count { file[offset] = byte }
    }
    StateFolder.empty()
    guard FileManager.default.createFile(atPath: StateFolder.database, contents: Data(file)) else {
        fatalError("no state file can be written")
    }
    let store = StateStore(folder: StateFolder.path, clock: SystemClock()) { _ in }
    if let record = store.record {
        let ids = record.order.ids
        require(Set(ids).count == ids.count, "an item is there twice")
        require(ids.isEmpty || record.position >= .zero, "the position is \(record.position)")
        _ = Player(record: record)
        _ = store.items(Array(ids.prefix(100)))
    }
    _ = store.resumePosition(of: "/music/1.mp3")
    store.keep(PlayerRecord(order: store.record?.order ?? QueueOrder()))
    store.close()
}

/// A folder in memory for the state file.
private enum StateFolder {
    static let path = "/dev/shm/undersong-fuzz-\(getpid())"
    static let database = path + "/state.sqlite"

    /// A state file with a queue of some items.
    static let file: [UInt8] = {
        empty()
        let store = StateStore(folder: path, clock: SystemClock()) { _ in }
        let ids = store.stage((1...40).map { QueueEntry(.file(path: "/music/\($0).mp3")) })
        let order = QueueOrder(ids: ids, current: ids[3])
        store.keep(PlayerRecord(order: order, position: CMTime(value: 5, timescale: 1)))
        store.keepPosition(
            ResumePoint(seconds: 7, duration: 100, isFinished: false, lastPlayed: 1),
            of: "/music/1.mp3")
        store.close()
        atexit { StateFolder.remove() }
        guard let data = FileManager.default.contents(atPath: database) else {
            fatalError("no state file was written")
        }
        return Array(data)
    }()

    static func remove() { try? FileManager.default.removeItem(atPath: path) }

    static func empty() {
        remove()
        mkdir(path, 0o700)
    }
}
