import CUndersongLinux
import Foundation
import Glibc
import Synchronization
import Testing
import UndersongBackground
import UndersongPlayback

@testable import UndersongAudioSession
@testable import UndersongService

/// Events on their way to a reader that is fast, slow, stopped, or shared.
@Suite(.timeLimit(.minutes(5))) struct `An event writer` {
    @Test(arguments: Link.kinds)
    func `An event writer writes a time event on its own thread while the reader keeps up`(
        kind: Link.Kind
    ) throws {
        let link = try Link(kind)
        let sink = Lines()
        let writer = EventWriter(sink, isLossless: false, to: link.input) { _ in }

        for number in 1...3 {
            writer.receive(.time(number))
            #expect(try link.read(count: 1) == ["\(number)"])
        }

        #expect(sink.threads == Array(repeating: pthread_self(), count: 3))
    }

    @Test(arguments: Link.kinds)
    func `An event writer never waits for a reader, and writes each line once and in order`(
        kind: Link.Kind
    ) throws {
        let link = try Link(kind)
        let writer = EventWriter(Lines(length: 200), isLossless: false, to: link.input) { _ in }

        if kind == .terminal { tcflow(link.input, TCOOFF) }
        for number in 1...3000 {
            writer.receive(number.isMultiple(of: 500) ? .state(number) : .time(number))
        }
        if kind == .terminal { tcflow(link.input, TCOON) }

        #expect(try link.read(count: 3000) == (1...3000).map(String.init))
    }

    @Test(arguments: [Link.Kind.socket, .terminal])
    func `An event writer writes the rest of a partly written line before the next one`(
        kind: Link.Kind
    ) throws {
        let link = try Link(kind)
        let writer = EventWriter(Lines(length: 250_000), isLossless: false, to: link.input) { _ in }

        writer.receive(.time(1))
        writer.receive(.time(2))

        #expect(try link.read(count: 2) == ["1", "2"])
    }

    @Test func `An event writer reports to a slow reader how many time events it has missed`()
        throws
    {
        let link = try Link(.pipe)
        let writer = EventWriter(Lines(length: 200), isLossless: false, to: link.input) { _ in }
        let total = EventWriter.capacity + 1000

        for number in 1...total { writer.receive(.time(number)) }
        writer.receive(.state(total + 1))

        let lines = try link.read(until: "\(total + 1)")
        let kept = lines.count - 1
        #expect(kept >= EventWriter.capacity && kept < total)
        #expect(lines.dropLast() == (1...kept).map(String.init)[...])
        #expect(lines.last == "\(total + 1) missed \(total - kept)")
        writer.finish()
        writer.receive(.time(total + 2))
        #expect(try link.read(count: 1) == ["\(total + 2)"])
    }

    @Test func `An event writer that is lossless drops nothing`() throws {
        let link = try Link(.pipe)
        let writer = EventWriter(Lines(length: 200), isLossless: true, to: link.input) { _ in }
        let total = EventWriter.capacity + 1000

        Thread.detachNewThread { for number in 1...total { writer.receive(.time(number)) } }

        #expect(try link.read(count: total) == (1...total).map(String.init))
    }

    @Test func `An event writer does not break lines of another program on the same pipe`() throws {
        let link = try Link(.pipe)
        let writer = EventWriter(Lines(length: 200), isLossless: false, to: link.input) { _ in }
        let other = String(repeating: "x", count: 900)

        let input = link.input
        Thread.detachNewThread {
            for _ in 1...1000 { _ = write(input, other + "\n", other.utf8.count + 1) }
        }
        Thread.detachNewThread { for number in 1...3000 { writer.receive(.time(number)) } }
        let lines = try link.read(count: 4000)

        #expect(lines.filter { $0 != other } == (1...3000).map(String.init))
    }

    @Test func `An event writer writes to a file in order`() throws {
        let link = try Link(.file)
        let writer = EventWriter(Lines(), isLossless: false, to: link.input) { _ in }

        for number in 1...3000 {
            writer.receive(number.isMultiple(of: 7) ? .state(number) : .time(number))
        }
        writer.finish()

        #expect(try link.read(count: 3000) == (1...3000).map(String.init))
    }

    @Test func `An event writer reports once why nothing can be written`() throws {
        let codes = Mutex<[Int32]>([])
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }
        let writer = EventWriter(Lines(), isLossless: false, to: full) { code in
            codes.withLock { $0.append(code) }
        }

        for number in 1...9 {
            writer.receive(number.isMultiple(of: 2) ? .state(number) : .time(number))
        }
        writer.finish()

        #expect(codes.withLock { $0 } == [ENOSPC])
    }

    @Test func `An event writer waits on its queue if the descriptor was made non-blocking`() throws
    {
        let link = try Link(.pipe)
        _ = fcntl(link.input, F_SETFL, O_NONBLOCK)
        let writer = EventWriter(Lines(length: 200), isLossless: false, to: link.input) { _ in }

        for number in 1...3000 { writer.receive(.state(number)) }

        #expect(try link.read(count: 3000) == (1...3000).map(String.init))
    }
}

@Suite struct `A non-blocking output` {
    @Test(arguments: Link.kinds)
    func `A non-blocking output leaves the descriptor unchanged for those who share it`(
        kind: Link.Kind
    ) throws {
        let link = try Link(kind)
        let flags = fcntl(link.input, F_GETFL)

        let output = NonblockingOutput(link.input)

        #expect(output.write([10]) == .written(1))
        #expect(fcntl(link.input, F_GETFL) == flags)
    }

    @Test func `A non-blocking output writes nothing to a descriptor not open for writing`() throws
    {
        let link = try Link(.pipe)

        #expect(NonblockingOutput(link.output).write([10]) == .written(0))
        #expect(NonblockingOutput(-1).write([10]) == .written(0))
    }

    @Test
    func `A non-blocking output reports a reader that has gone, without a signal on a socket`()
        throws
    {
        let link = try Link(.socket)
        let output = NonblockingOutput(link.input)

        link.closeOutput()

        #expect(output.write([10]) == .failed(EPIPE))
    }
}

extension PlayerEvent {
    fileprivate static func time(_ number: Int) -> PlayerEvent {
        numbered(number, .time(isExact: false))
    }

    fileprivate static func state(_ number: Int) -> PlayerEvent {
        numbered(number, .state)
    }

    private static func numbered(_ number: Int, _ kind: Kind) -> PlayerEvent {
        var event = PlayerEvent(kind)
        event.head.sequence = number
        return event
    }
}

/// The number of an event and of those missed before it, padded to `length` bytes.
private final class Lines: EventSink {
    private let length: Int
    private let calls = Mutex<[pthread_t]>([])

    init(length: Int = 0) { self.length = length }

    /// The threads on which lines were requested.
    var threads: [pthread_t] { calls.withLock { $0 } }

    func text(for event: PlayerEvent) -> [UInt8] {
        calls.withLock { $0.append(pthread_self()) }
        let head = event.head
        let line = "\(head.sequence)" + (head.missed > 0 ? " missed \(head.missed)" : "")
        let blanks = max(length - line.utf8.count - 1, 0)
        return Array((line + String(repeating: " ", count: blanks) + "\n").utf8)
    }

    let complains = false
}
