import FoundationEssentials

@testable import UndersongBackground
@testable import UndersongBase
@testable import UndersongCommandOptions
@testable import UndersongControl
@testable import UndersongPlayback

/// Reads what a client sends, and what a service sends, in pieces.
func readWire(_ bytes: [UInt8]) {
    var input = Input(bytes)
    var lines = LineBuffer()
    for piece in input.pieces() {
        piece.withUnsafeBytes { lines.append($0) }
        while let line = lines.next() {
            require(!line.contains(0x0a), "a line has a line feed")
            _ = ServiceLine(line)
            do throws(RequestHead.Problem) {
                let head = try RequestHead.read(line)
                let request = ControlRequest(
                    method: head.method, line: line, descriptors: PassedDescriptors([]))
                _ = try? request.decode(Hello.self)
                _ = try? request.decode(AddToQueue.self)
                _ = try? request.decode(SetSettings.self)
                if let id = head.id { check(Message.reply(to: id, .success(ControlReply(1)))) }
            } catch {
                if let id = error.id { check(Message.reply(to: id, .failure(error.error))) }
            }
        }
    }
}

/// A reply is one line, and JSON.
private func check(_ reply: [UInt8]) {
    require(reply.last == 0x0a && !reply.dropLast().contains(0x0a), "a reply is not one line")
    require((try? JSONText(Array(reply.dropLast()))) != nil, "a reply is not JSON")
}

/// Decodes an event. What is encoded again is the same event.
func readEvent(_ bytes: [UInt8]) {
    if let text = try? JSONText(bytes) { _ = text.members(at: text.value) }
    guard let event = try? JSONDecoder().decode(PlayerEvent.self, from: Data(bytes)),
        let again = try? JSONLine.bytes(of: event)
    else { return }
    let decoded = try? JSONDecoder().decode(PlayerEvent.self, from: Data(again))
    require(decoded == event, "an event is another one when it is read again")
}

func readConfiguration(_ bytes: [UInt8]) {
    guard let file = try? Configuration(path: "/config.json5", bytes: bytes) else { return }
    for verb in file.verbs { _ = file.error(in: verb, "") }
}
