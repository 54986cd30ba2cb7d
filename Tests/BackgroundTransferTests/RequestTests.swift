import CUndersongLinux
import Foundation
import Glibc
import TestSupport
import Testing
import UndersongControl
import UndersongPodcasts
import UndersongTransfers

private typealias Server = ScriptedHTTPServer

/// The downloads of `undersong-transferd` into files of its clients.
@Suite(.blockingThreads) struct `A request for a stream or a document` {
    private let bench: SessionBench
    private let client: ControlClient

    init() throws {
        bench = try SessionBench()
        try bench.startProcess([:])
        client = try bench.client()
    }

    /// A server that sends a little, and waits.
    private func silentServer() throws -> Server {
        try Server { request in
            var response = Server.Response(file: bytes(200_000), to: request)
            response.stall = 1000
            return response
        }
    }

    @Test func `A request for a stream or a document can be used on its own connection only`()
        throws
    {
        let server = try silentServer()
        let other = try bench.client()
        let stream = try client.stream(server.url("/a"))
        let document = try client.document(server.url("/b"))

        let noStream = ControlError(
            .notFound, "cannot find stream \(stream): There is no such stream")
        #expect(throws: noStream) {
            try other.call(WantStream(id: stream, from: 0, until: 9000))
        }
        #expect(throws: noStream) { try other.call(CloseStream(id: stream)) }
        #expect(
            throws: ControlError(
                .notFound, "cannot find request \(document): There is no such request")
        ) { try other.call(CancelDocument(id: document)) }
        _ = try client.call(WantStream(id: stream, from: 0, until: 9000))
        _ = try client.call(CloseStream(id: stream))
        _ = try client.call(CancelDocument(id: document))
        #expect(throws: noStream) { try client.call(CloseStream(id: stream)) }
    }

    @Test func `A request for a stream or a document ends with its connection`() throws {
        let server = try silentServer()
        let process = try #require(bench.process)
        let other = try bench.client()
        let stream = try client.stream(server.url("/a"))
        _ = try client.document(server.url("/b"))
        _ = try client.call(WantStream(id: stream, from: 0, until: 9000))
        let last = try other.stream(server.url("/c"))
        _ = try other.call(WantStream(id: last, from: 0, until: 9000))
        try waitUntil { server.bytesSent == 3000 }
        #expect(clientFiles(of: process) == 3)

        client.close()

        try waitUntil { clientFiles(of: process) == 1 }
        _ = try other.call(CloseStream(id: last))
        try waitUntil { clientFiles(of: process) == 0 }
    }

    @Test func `A request needs a file that can be written, and for a stream also read`() throws {
        let url = "http://127.0.0.1/a"
        let purpose = "cannot stream \(url): "
        for mode in [O_RDONLY, O_WRONLY] {
            #expect(
                throws: ControlError(
                    .invalidParams, purpose + "The file cannot be read and written")
            ) { try client.stream(url, mode) }
        }
        #expect(throws: ControlError(.invalidParams, purpose + "No file came with the request")) {
            try client.call(OpenStream(url: url))
        }
        #expect(
            throws: ControlError(
                .invalidParams, "cannot fetch \(url): The file cannot be written")
        ) { try client.document(url, O_RDONLY) }
        _ = try client.document(url, O_WRONLY)
    }

    /// 300 requests that would each leave a buffer of libcurl's are 20 MB.
    @Test func `A request for a stream or a document leaves no memory behind, however it ends`()
        throws
    {
        let server = try Server { request in
            var response = Server.Response(file: bytes(200_000), to: request)
            if request.number.isMultiple(of: 3) { response.cut = 100_000 }
            response.isSilent = request.number.isMultiple(of: 25)
            return response
        }
        let process = try #require(bench.process)
        let play = { (count: Int) in
            for _ in 0..<count {
                let before = server.bytesSent
                let stream = try client.stream(server.url("/a"))
                _ = try client.call(WantStream(id: stream, from: 0, until: 200_000))
                try waitUntil { server.bytesSent > before }
                _ = try client.call(CloseStream(id: stream))
            }
        }
        try play(20)
        let before = try residentKilobytes(of: process)

        try play(300)

        #expect(try residentKilobytes(of: process) < before + 8192)
    }

    /// The files that a process has of clients.
    private func clientFiles(of process: pid_t) -> Int {
        let folder = "/proc/\(process)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: folder + "/" + name)
            return target?.hasPrefix("/memfd:") ?? false
        }
    }

    private func residentKilobytes(of process: pid_t) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        return try #require(text.firstMatch(of: #/RssAnon:\s+(\d+)/#).flatMap { Int($0.1) })
    }
}

extension ControlClient {
    /// Opens a stream into a file of this mode that is in memory.
    fileprivate func stream(_ url: String, _ mode: Int32 = O_RDWR) throws -> Int {
        try withFile(mode) { try call(OpenStream(url: url), descriptors: [$0]).id }
    }

    fileprivate func document(_ url: String, _ mode: Int32 = O_RDWR) throws -> Int {
        try withFile(mode) { try call(FetchDocument(url: url), descriptors: [$0]).id }
    }

    private func withFile<Result>(
        _ mode: Int32, _ body: (Int32) throws -> Result
    ) throws -> Result {
        let file = memfd_create("test", UInt32(CLINUX_MFD_CLOEXEC))
        defer { Glibc.close(file) }
        let other = open("/proc/self/fd/\(file)", mode | O_CLOEXEC)
        defer { Glibc.close(other) }
        return try body(other)
    }
}
