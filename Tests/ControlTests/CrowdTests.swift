import CUndersongLinux
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import UndersongControl

@Suite(.blockingThreads) struct `A thousand subscribers` {
    @Test func `900 subscribers get everything, despite 50 that never read and 50 with garbage`()
        throws
    {
        let service = try TestService()
        defer { service.stop() }
        let path = service.path
        let blocked = try (0..<50).map { _ in try RawClient(path) }
        let blockedEnds = (0..<50).compactMap { _ in service.handler.opened.next() }
        let garbage = try (0..<50).map { _ in try RawClient(path) }
        _ = (0..<50).map { _ in service.handler.opened.next() }
        let crowd = Crowd(of: try (0..<900).map { _ in try RawClient(path) })
        let ends = (0..<900).compactMap { _ in service.handler.opened.next() }
        let subscribers = (blockedEnds + ends).map {
            ControlSubscriber(connection: $0, subscription: 1)
        }
        // 4071 bytes including the envelope.
        let event = [UInt8](repeating: 0x20, count: 4000)

        var isDelivered = true
        for number in 1...150 {
            garbage[number % 50].send(bytes: [UInt8](repeating: 0xfe, count: 5000) + [0x0a])
            service.server.deliver(event, to: subscribers, isDroppable: true)
            if number % 10 == 0 {
                isDelivered = isDelivered && crowd.wait(for: number * 900 * 4071)
            }
        }

        #expect(isDelivered)
        #expect((0..<50).allSatisfy { _ in service.handler.closed.next() != nil })
        #expect(service.handler.closed.count == 0)
        #expect(blockedEnds.allSatisfy { (1...262_144).contains($0.waiting) })
        #expect(blocked.count == 50)
    }
}

/// Many clients read by one thread, which counts their bytes.
private final class Crowd: Sendable {
    private let bytes = Mutex(0)
    private let arrivals = DispatchSemaphore(value: 0)

    init(of clients: sending [RawClient]) {
        let descriptors = clients.map { dup($0.descriptor) }
        Thread.detachNewThread { [weak self] in
            var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            var buffer = [UInt8](repeating: 0, count: 65536)
            while polled.contains(where: { $0.fd >= 0 }) {
                guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
                var count = 0
                for index in polled.indices where polled[index].revents != 0 {
                    let length = recv(polled[index].fd, &buffer, buffer.count, 0)
                    count += max(length, 0)
                    guard length <= 0 else { continue }
                    close(polled[index].fd)
                    polled[index].fd = -1
                }
                self?.add(count)
            }
        }
    }

    /// Waits until this many bytes have arrived in total; false if they do not for a long time.
    func wait(for count: Int) -> Bool {
        while bytes.withLock({ $0 < count }) {
            guard arrivals.wait(timeout: .now() + 20) == .success else { return false }
        }
        return true
    }

    private func add(_ count: Int) {
        bytes.withLock { $0 += count }
        arrivals.signal()
    }
}
