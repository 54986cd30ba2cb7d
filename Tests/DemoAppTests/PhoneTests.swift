import Foundation
import Glibc
import Testing
import UndersongDemoScreen

@testable import UndersongDemoApp

@Suite struct `Output for a slow phone` {
    /// Removes what is to be sent next, or so many bytes of it.
    private func pop(_ outbox: inout Outbox, _ count: Int? = nil) -> [UInt8]? {
        let bytes = outbox.next
        outbox.remove(count ?? bytes?.count ?? 0)
        return bytes
    }

    @Test func `Lines of the console wait in order, and only the newest screen`() {
        var outbox = Outbox()
        outbox.add([1])
        outbox.screen = [8]
        outbox.screen = [9]
        outbox.add([2, 3])

        let first = [pop(&outbox), pop(&outbox), pop(&outbox, 1)]
        outbox.screen = [10]
        let second = [pop(&outbox), pop(&outbox), pop(&outbox)]

        #expect(first == [[9], [1], [2, 3]])
        #expect(second == [[3], [10], nil])
    }

    @Test func `The oldest lines are dropped, one for each that is too many`() {
        var outbox = Outbox()
        for number in 0...Outbox.limit { outbox.add([UInt8(number & 255)]) }

        let next = pop(&outbox)

        #expect(next == [1])
    }
}

@MainActor @Suite struct `The demo's phone` {
    /// A socket that a phone listens at.
    private final class Listener {
        let path: String
        private let descriptor: Int32

        init() throws {
            path = NSTemporaryDirectory() + "/phone-\(UInt32.random(in: 0 ... .max))"
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(path.utf8)
            try #require(bytes.count < 108)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let status = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(status == 0)
            try #require(listen(descriptor, 1) == 0)
        }

        deinit {
            close(descriptor)
            unlink(path)
        }

        /// The connection of an app that has connected.
        func accept() -> FileHandle {
            FileHandle(fileDescriptor: Glibc.accept(descriptor, nil, nil), closeOnDealloc: true)
        }
    }

    /// The messages that have been sent.
    private func messages(_ connection: FileHandle) throws -> [DemoMessage] {
        try connection.availableData.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(DemoMessage.self, from: $0)
        }
    }

    @Test func `A phone gets screens and lines of the console, and its touches arrive`()
        async throws
    {
        let listener = try Listener()
        let phone = Phone(at: listener.path)
        #expect(phone.connect())
        #expect(!phone.connect())
        let connection = listener.accept()
        var screen = DemoScreen()
        screen.tab = .fetch

        phone.show(screen)
        phone.print("refresh occurred", .fetch)

        #expect(
            try messages(connection) == [.screen(screen), .console("refresh occurred", .fetch)])
        let touches = AsyncStream.makeStream(of: DemoTouch.self)
        phone.onTouch = { touches.continuation.yield($0) }
        let line = try JSONEncoder().encode(DemoTouch.seek(-10))
        connection.write(Data("no touch\n".utf8) + line.prefix(5))
        connection.write(line.dropFirst(5) + Data("\n".utf8))
        for await touch in touches.stream {
            #expect(touch == .seek(-10))
            break
        }
    }

    @Test func `A slow phone gets everything in the end`() async throws {
        let listener = try Listener()
        let phone = Phone(at: listener.path)
        #expect(phone.connect())
        let connection = listener.accept()
        let line = String(repeating: "x", count: 1000)
        for number in 0..<2000 { phone.print("\(number) \(line)", nil) }

        let all = await Task.detached {
            var (data, lines) = (Data(), 0)
            while lines < 2000 {
                let more = connection.availableData
                lines += more.count { $0 == UInt8(ascii: "\n") }
                data += more
            }
            return data
        }.value

        let last = try #require(all.split(separator: UInt8(ascii: "\n")).last)
        #expect(
            try JSONDecoder().decode(DemoMessage.self, from: last)
                == .console("1999 \(line)", nil))
    }

    @Test func `A phone that vanishes is not an error, and another one is found`() throws {
        let listener = try Listener()
        let phone = Phone(at: listener.path)
        #expect(phone.connect())
        try listener.accept().close()

        phone.print("nobody reads this", nil)
        #expect(!phone.isConnected)
        phone.print("nor this", nil)

        #expect(phone.connect())
        let connection = listener.accept()
        phone.print("but this", nil)
        #expect(try messages(connection) == [.console("but this", nil)])
    }

    @Test func `An app without a phone runs on`() {
        let phone = Phone(at: "/nowhere/phone")

        #expect(!phone.connect())
        phone.show(DemoScreen())
        #expect(!phone.isConnected)
        #expect(!Phone(at: String(repeating: "x", count: 200)).connect())
    }
}
