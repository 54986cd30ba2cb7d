package import Foundation
import Glibc

/// A server of HTTPS, whose certificate it has signed itself: Python's, since the tests' own one has
/// no encryption.
package final class SecureServer {
    private static let script = """
        import http.server, json, os, ssl

        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                with open("log", "a") as log:
                    print(json.dumps({k.lower(): v for k, v in self.headers.items()}), file=log)
                if self.path.startswith("/to/"):
                    self.send_response(302)
                    self.send_header("Location", bytes.fromhex(self.path[4:]).decode())
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                else:
                    super().do_GET()

        server = http.server.ThreadingHTTPServer((os.environ["HOST"], 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("certificate", "key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        with open("port.new", "w") as file:
            print(server.server_address[1], file=file)
        os.rename("port.new", "port")
        server.serve_forever()
        """

    private let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID())")
    private let host: String
    private let program: Child
    private let port: Int

    /// The certificate, for those who are to trust it.
    package var certificate: URL { folder.appending(path: "certificate") }

    /// Serves `files` by their names on a free port of `host`, an address of the loopback device. The
    /// certificate is for the address `name`.
    package init(
        host: String = "127.0.0.1", certifiedAs name: String? = nil, _ files: [String: [UInt8]]
    ) throws {
        self.host = host
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, bytes) in files { try Data(bytes).write(to: folder.appending(path: name)) }
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let signer = try Child(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "2", "-subj", "/CN=test", "-addext",
                "subjectAltName=IP:\(name ?? host)", "-keyout", "key", "-out", "certificate",
            ], [:], [null, null, null], folder: folder.path)
        guard try signer.wait() == 0 else { throw Overdue("openssl makes no certificate") }
        program = try Child(
            "/usr/bin/python3", ["-c", Self.script], ["HOST": host], [null, null, null],
            folder: folder.path)
        let file = folder.appending(path: "port").path
        var port: Int?
        do {
            try waitUntil {
                port = (try? String(contentsOfFile: file, encoding: .utf8))
                    .flatMap { Int($0.trimmingCharacters(in: .newlines)) }
                return port != nil
            }
        } catch {
            program.end()
            throw error
        }
        self.port = port ?? 0
    }

    deinit {
        program.end()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The URL of a file.
    package func url(_ name: String) -> String { "https://\(host):\(port)/\(name)" }

    /// A URL that redirects to `target`.
    package func redirection(to target: String) -> String {
        url("to/" + target.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }

    /// The header fields of all requests, by their names in lower case.
    package var requests: [[String: String]] {
        let log = try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)
        return (log ?? "").split(separator: "\n").compactMap { line in
            try? JSONDecoder().decode([String: String].self, from: Data(line.utf8))
        }
    }
}
