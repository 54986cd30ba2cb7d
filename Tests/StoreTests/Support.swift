import CUndersongLinux
import Glibc
import Synchronization
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongStore

/// A temporary folder for a test, removed with it.
final class TemporaryFolder: Sendable {
    let path: String
    var store: String { path + "/state" }
    var database: String { store + "/state.sqlite" }

    init() {
        var template = Array("/tmp/undersong-store-XXXXXX".utf8CString)
        path = unsafe String(cString: mkdtemp(&template))
    }

    deinit { _ = unsafe system("rm -rf '\(path)'") }

    /// Changes the database without the store.
    func edit(_ body: (Database) throws -> Void) throws {
        let database = try Database(self.database, for: .peeking)
        try body(database)
        database.close()
    }

    /// Opens the store in it.
    func open(
        _ notices: Notices = Notices(), clock: any HostClock = SystemClock()
    ) -> StateStore {
        StateStore(folder: store, clock: clock) { notices.add($0) }
    }
}

/// The notices of a store.
final class Notices: Sendable {
    private struct Contents {
        var list: [StoreNotice] = []
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let contents = Mutex(Contents())

    var all: [StoreNotice] { contents.withLock { $0.list } }

    /// The troubles' descriptions, and `ended` when one ends.
    var texts: [String] {
        all.map { notice in
            switch notice {
            case .troubleBegan(let trouble): trouble.description
            case .troubleEnded: "ended"
            case .setAside(let path, let lost): "\(path): \(lost)"
            case .leftOut(let records): "left out: \(records)"
            }
        }
    }

    func add(_ notice: StoreNotice) {
        let ready = contents.withLock { contents in
            contents.list.append(notice)
            let count = contents.list.count
            defer { contents.waiting.removeAll { $0.count <= count } }
            return contents.waiting.filter { $0.count <= count }
        }
        for waiting in ready { waiting.continuation.resume() }
    }

    /// Waits until there are so many.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isReady = contents.withLock { contents in
                if contents.list.count >= count { return true }
                contents.waiting.append((count, continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
    }
}

extension QueueEntry {
    init(_ path: String) { self.init(.file(path: path)) }
}

extension PlayerRecord {
    /// A record with these items at this position; the first item is current.
    init(_ ids: [ItemID], at position: CMTime = .zero) {
        self.init(order: QueueOrder(ids: ids, current: ids.first), position: position)
    }
}

func ids(_ numbers: Int...) -> [ItemID] { numbers.map { ItemID($0) } }
