import Synchronization
import UndersongControl

/// The owners of requests: a client alone may use the requests that it has made, and they end with its
/// connection. Any thread may call this.
final class RequestOwners: Sendable {
    private let connections = Mutex<[Int: ControlConnection]>([:])

    /// Makes `connection` the owner of the request that `begin` makes, and returns the request's id.
    /// A caller that asks for the owner meanwhile waits.
    func add(_ connection: ControlConnection, _ begin: () -> Int) -> Int {
        connections.withLock { connections in
            let id = begin()
            connections[id] = connection
            return id
        }
    }

    func owner(of id: Int) -> ControlConnection? { connections.withLock { $0[id] } }

    /// Removes a request that is over, and returns its owner.
    @discardableResult
    func remove(_ id: Int) -> ControlConnection? {
        connections.withLock { $0.removeValue(forKey: id) }
    }

    /// Removes the requests of a connection that has ended, and returns them.
    func removeAll(of connection: ControlConnection) -> [Int] {
        connections.withLock { connections in
            let ids = connections.filter { $0.value == connection }.map(\.key)
            for id in ids { connections[id] = nil }
            return ids
        }
    }

    /// Checks that `connection` has made the request, which is called `name`.
    ///
    /// - Throws: `notFound`.
    func check(
        _ id: Int, of connection: ControlConnection, called name: String
    ) throws(ControlError) {
        guard owner(of: id) == connection else {
            throw ControlError(.notFound, "cannot find \(name) \(id): There is no such \(name)")
        }
    }
}
