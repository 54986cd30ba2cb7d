import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongControl

@testable import UndersongCLI

/// `undersong push send --to`, as a program, against a mock of `undersong-transferd`.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) final class `The verb push send to others` {
    private static let endpoint = [
        "push", "send", "--to", "https://push.example/1?token=x", "--p256dh", "BKey", "--auth",
        "-secret",
    ]

    private let calls = SharedCalls()
    private let transferd: MockTransferd

    init() throws {
        let calls = calls
        transferd = try MockTransferd { request, _, reply in
            do throws(ControlError) {
                guard request.method == PublishPush.method else {
                    throw ControlError(.methodNotFound, request.method)
                }
                reply(.success(ControlReply(try calls.answer(request.decode(PublishPush.self)))))
            } catch {
                reply(.failure(error))
            }
        }
    }

    deinit { transferd.end() }

    private func program(_ arguments: [String]) throws -> Program {
        try Program(
            arguments,
            environment: [
                "XDG_RUNTIME_DIR": transferd.folder, "HOME": transferd.folder,
                "SWIFT_BACKTRACE": "enable=no",
            ])
    }

    private func file(_ text: String) throws -> String {
        let path = transferd.folder + "/payload.json"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test(.rule("PU19"), arguments: [false, true])
    func `The verb push sends a file to a topic of ntfy, byte for byte`(urlIsLast: Bool) throws {
        let text = "{\"aps\": {}, \"a\": 1e400}\n"
        let path = try file(text)
        let url = "https://u:p@ntfy.example/t"

        let program = try program(
            ["push", "send", "--to", "ntfy"] + (urlIsLast ? [path, url] : [url, path]))

        #expect(try program.wait() == 0)
        #expect(program.text == "push.example has accepted the push\n" && program.errorText == "")
        #expect(calls.all == [PublishPush(to: .ntfy(url: url), text)])
    }

    @Test func `The verb push makes a payload for ntfy of apn's options`() throws {
        let program = try program(
            [
                "push", "send", "--to", "ntfy", "-m", "Hi", "-b", "3", "-s", "default", "-y", "c",
                "-n", "-d", "k=1", "--urgency", "very-low", "--json", "http://ntfy.example/t",
            ])

        #expect(try program.wait() == 0)
        #expect(program.text == "{\"host\":\"push.example\"}\n")
        let payload =
            "{\"aps\":{\"alert\":\"Hi\",\"badge\":3,\"sound\":\"default\",\"category\":\"c\","
            + "\"content-available\":1},\"k\":1}"
        #expect(
            calls.all
                == [
                    PublishPush(
                        to: .ntfy(url: "http://ntfy.example/t"), payload, urgency: .veryLow)
                ])
    }

    @Test(.rule("PU18"))
    func `The verb push sends to an endpoint with keys, lifetime, topic and urgency`() throws {
        calls.reply = PublishedPush(host: "push.example", lifetime: 60)

        let program = try program(
            Self.endpoint + ["-n", "--ttl", "2d", "--topic", "a_b-1", "--urgency", "high"])

        #expect(try program.wait() == 0)
        #expect(program.text == "push.example has accepted the push, and keeps it for 1 min 0 s\n")
        let endpoint = PushEndpoint(
            "https://push.example/1?token=x", p256dh: "BKey", auth: "-secret", lifetime: 172_800,
            topic: "a_b-1")
        #expect(
            calls.all
                == [
                    PublishPush(
                        to: .endpoint(endpoint), "{\"aps\":{\"content-available\":1}}",
                        urgency: .high)
                ])
    }

    @Test func `The verb push says that an endpoint does not keep a push`() throws {
        calls.reply = PublishedPush(host: "push.example", lifetime: 0)

        let program = try program(Self.endpoint + ["-n", "--ttl", "30"])

        #expect(try program.wait() == 0)
        #expect(program.text == "push.example has accepted the push, and does not keep it\n")
        #expect(calls.all.map(\.recipient.lifetime) == [30])
    }

    @Test(.rule("PU20")) func `The verb push shows why a push was refused`() throws {
        let message =
            "cannot send the push to push.example: The endpoint is gone (status 410): gone\u{1B}[2J"
        calls.error = ControlError(.notPossible, message)

        let program = try program(Self.endpoint + ["-n"])

        #expect(try program.wait() == 1)
        #expect(program.text == "")
        #expect(
            program.errorText == "undersong: cannot send the push to push.example: "
                + "The endpoint is gone (status 410): gone [2J\n")
    }

    @Test(.rule("PU21")) func `The verb push names the options of apn push that it ignores`() throws
    {
        let first = try program(
            [
                "push", "send", "--to", "ntfy", "http://ntfy.example/t", "-n", "-c", "key.pem",
                "-e", "production", "-p",
            ])
        #expect(try first.wait() == 0)
        let second = try program(
            ["push", "send", "--to", "ntfy", "http://ntfy.example/t", "-n", "-c", "key.pem"])
        #expect(try second.wait() == 0)

        #expect(
            first.errorText == "undersong: note: ignoring --certificate, --environment, "
                + "--passphrase: no push goes through Apple's servers\n")
        #expect(
            second.errorText == "undersong: note: ignoring --certificate: "
                + "no push goes through Apple's servers\n")
        #expect(calls.all.count == 2)
    }

    @Test(arguments: [
        (["--to", "ntfy", "-n"], "name the URL of the topic after --to ntfy"),
        (["--to", "ntfy", "http://a/t"], "name the file with the payload"),
        (["--to", "ntfy", "http://a/t", "a", "b"], "name the file with the payload"),
        (["--to", "ntfy", "http://a/t", "-n", "a"], "with -n, -m, -b, -s, -y or -d, give no FILE"),
        (["--to", "ntfy", "http://a/t", "-n", "--auth", "a"], "--auth is for an endpoint"),
        (["--to", "ntfy", "http://a/t", "-n", "--ttl", "9"], "--ttl is for an endpoint"),
        (["--to", "ntfy", "http://a/t", "-n", "--topic", "a"], "--topic is not for ntfy"),
        (["--to", "ntfy", "http://a/t", "-n", "--now"], "--now is for this machine's service"),
        (["--to", "ntfy", "http://a/t", "-n", "--id", "a"], "--id is for this machine's service"),
        (
            ["--to", "ntfy", "http://a/t", "-n", "--type", "alert"],
            "--type is for this machine's service"
        ),
        (["--to", "houston", "-n"], "'houston' is neither ntfy nor the URL of an endpoint"),
        (["--to", "http://a/t", "-n"], "an endpoint needs --p256dh"),
        (["--to", "http://a/t", "-n", "--p256dh", "B"], "an endpoint needs --auth"),
        (
            ["--to", "http://a/t", "-n", "--p256dh", "B", "--auth", "a", "--topic", "net.a"],
            "the topic for an endpoint has 1 to 32 letters"
        ),
        (
            ["--to", "http://a/t", "-n", "--p256dh", "B", "--auth", "a", "--ttl", "366d"],
            "'366d' is not valid for --ttl"
        ),
        (["-n", "--p256dh", "B"], "--p256dh is for --to ENDPOINT only"),
        (["-n", "--ttl", "1"], "--ttl is for --to ENDPOINT only"),
        (["-n", "--urgency", "low"], "--urgency is for --to only"),
        (["-n", "--to", "ntfy", "http://a/t", "--urgency", "lo"], "'lo' is not very-low, low"),
        (["--badge=-1"], "a badge is 0 or above"), (["-n", "-d", "x"], "'x' is not KEY=VALUE"),
    ])
    func `The verb push refuses options that do not fit together`(
        arguments: [String], text: String
    ) throws {
        let program = try program(["push", "send"] + arguments)

        #expect(try program.wait() == 64)
        #expect(program.errorText.contains(text), "\(program.errorText)")
        #expect(calls.all == [])
    }
}

extension PushRecipient {
    fileprivate var lifetime: Int? {
        if case .endpoint(let endpoint) = self { endpoint.lifetime } else { nil }
    }
}

/// The pushes that a mock was asked to send, and its answer.
private final class SharedCalls: Sendable {
    private struct State {
        var all: [PublishPush] = []
        var reply = PublishedPush(host: "push.example")
        var error: ControlError?
    }

    private let state = Mutex(State())

    var all: [PublishPush] { state.withLock(\.all) }

    var reply: PublishedPush {
        get { state.withLock(\.reply) }
        set { state.withLock { $0.reply = newValue } }
    }

    var error: ControlError? {
        get { state.withLock(\.error) }
        set { state.withLock { $0.error = newValue } }
    }

    func answer(_ call: PublishPush) throws(ControlError) -> PublishedPush {
        let (reply, error) = state.withLock { state in
            state.all.append(call)
            return (state.reply, state.error)
        }
        if let error { throw error }
        return reply
    }
}
