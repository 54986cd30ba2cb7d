import CLinux
import Glibc
import Playback
import Store
import Synchronization
import Testing

/// A folder of its own for each test, gone with it.
final class TemporaryFolder: Sendable {
    let path: String
    var store: String { path + "/state" }
    var database: String { store + "/state.sqlite" }

    init() {
        var template = Array("/tmp/undersong-store-XXXXXX".utf8CString)
        path = unsafe String(cString: mkdtemp(&template))
    }

    deinit { _ = unsafe system("rm -rf '\(path)'") }

    /// Opens the store that is in it.
    func open(_ notices: Notices = Notices()) -> StateStore {
        StateStore(folder: store) { notices.add($0) }
    }
}

/// What a store has told.
final class Notices: Sendable {
    private let list = Mutex<[StoreNotice]>([])

    var all: [StoreNotice] { list.withLock { $0 } }

    func add(_ notice: StoreNotice) { list.withLock { $0.append(notice) } }
}

extension QueueEntry {
    init(_ path: String) { self.init(.file(path: path)) }
}

extension PlayerRecord {
    /// A record with these items and this position, the first item being current.
    init(_ ids: [ItemID], at position: CMTime = .zero) {
        self.init(order: QueueOrder(ids: ids, current: ids.first), position: position)
    }
}

func ids(_ numbers: Int...) -> [ItemID] { numbers.map { ItemID($0) } }
