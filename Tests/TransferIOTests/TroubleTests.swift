import Foundation
import TestSupport
import Testing
import Transfers

private typealias Server = ScriptedHTTPServer

@Suite struct `A transfer in trouble` {
    /// TR9.
    @Test(arguments: [200_000, 3 << 20, 5 << 20])
    func `waits for room on a full disk, and then continues`(room: Int) throws {
        let file = bytes(6 << 20)
        let server = try Server { Server.Response(file: file, to: $0) }
        let bench = try Bench(diskSize: 8 << 20)
        try bench.fillDisk(butFor: room)

        bench.add(server.url("/file"))
        let state = try bench.state { $0.isWaiting(for: .diskFull) }
        let names = bench.names
        try bench.makeRoom()
        let end = try bench.end()

        #expect(state.isWaiting(for: .diskFull))
        #expect(names == [])
        #expect(end == bench.finished && bench.contents() == file)
        #expect(bench.names == ["file"])
    }

    /// TR7.
    @Test func `is tried again where the server sends nothing more`() throws {
        let file = bytes(2 << 20)
        let server = try Server { request in
            var response = Server.Response(file: file, to: request)
            if request.number == 1 { response.stall = 1 << 20 }
            return response
        }
        let bench = try Bench()

        bench.add(server.url("/file")) { $0.stallTimeout = 1 }
        let end = try bench.end()

        #expect(end == bench.finished && bench.contents() == file)
        #expect(server.requests.map(\.rangeStart) == [nil, 1 << 20])
    }

    @Test func `believes no server whose certificate nobody vouches for`() throws {
        let server = try SecureServer(["file": bytes(100_000)])
        let (stranger, friend) = (
            try Bench(), try Bench { $0.certificateFile = server.certificate.path }
        )

        for bench in [stranger, friend] { bench.add(server.url("file")) }
        let (refused, trusted) = (try stranger.end(), try friend.end())

        guard case .failed(let failure) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(failure.code == .certificate)
        #expect(stranger.names == [])
        #expect(trusted == friend.finished && friend.contents() == bytes(100_000))
    }
}

/// A server of HTTPS, whose certificate it has signed itself.
private final class SecureServer {
    private static let script = """
        import http.server, ssl
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("certificate", "key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    private let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID())")
    private let process = Process()
    private let port: Int

    var certificate: URL { folder.appending(path: "certificate") }

    init(_ files: [String: [UInt8]]) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, bytes) in files { try Data(bytes).write(to: folder.appending(path: name)) }
        let signer = Process()
        signer.executableURL = URL(filePath: "/usr/bin/openssl")
        signer.arguments = [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key", "-out", "certificate",
        ]
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", Self.script]
        process.standardOutput = output
        for one in [signer, process] {
            one.currentDirectoryURL = folder
            one.standardError = FileHandle.nullDevice
        }
        try signer.run()
        signer.waitUntilExit()
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        port = try #require(Int(line.trimmingCharacters(in: .newlines)))
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    func url(_ name: String) -> String { "https://127.0.0.1:\(port)/\(name)" }
}

extension TransferPolicy.State {
    fileprivate func isWaiting(for reason: WaitReason) -> Bool {
        if case .waiting(let reasons) = self { reasons.contains(reason) } else { false }
    }
}

extension Bench {
    /// The state of the transfer to `file` when it has come.
    fileprivate var finished: TransferPolicy.State {
        .finished(path: files.appending(path: "file").path)
    }
}
