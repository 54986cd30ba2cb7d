@testable import UndersongBackground
@testable import UndersongBase
@testable import UndersongLocation
@testable import UndersongTransferIO
@testable import UndersongTransfers

func readTrack(_ bytes: [UInt8]) {
    guard let track = try? Track.read(bytes) else { return }
    for (first, second) in zip(track.fixes, track.fixes.dropFirst()) {
        require(first.time < second.time, "a track goes back in time")
    }
    _ = (track.length, track.duration)
}

/// Watches a gpsd that sends anything.
func readGpsd(_ bytes: [UInt8]) {
    var input = Input(bytes)
    var watcher = GpsdWatcher(at: 0)
    var time = LocationTime(boot: 0, wall: 1e9)
    _ = watcher.handle(.timePassed, at: time)
    _ = watcher.handle(.connected, at: time)
    let greeting = Array(#"{"class":"VERSION","proto_major":3}"#.utf8) + [0x0a]
    if input.next() % 2 == 0 { _ = watcher.handle(.bytes(greeting), at: time) }
    for piece in input.pieces() {
        time.boot += 0.3
        _ = watcher.handle(.bytes(piece), at: time)
        if let due = watcher.nextDue(at: time).boot, due <= time.boot {
            _ = watcher.handle(.timePassed, at: time)
        }
    }
}

/// Listens to a server of ntfy that sends anything, and accepts all that it delivers.
func readNtfy(_ bytes: [UInt8]) {
    var input = Input(bytes)
    let isNew = input.next() % 2 == 0
    var listener = NtfyListener(
        at: isNew ? NtfyPosition() : NtfyPosition(last: "a", time: 1000, expires: 50_000), seed: 1)
    var now = 0.0
    var effects = listener.handle(.timePassed, at: now)
    for (index, piece) in input.pieces().enumerated() {
        now += 2
        effects += listener.handle(index % 2 == 0 ? .bytes(piece) : .keptBytes(piece), at: now)
        effects += listener.handle(.timePassed, at: now)
        // Each delivery permits the next.
        while let effect = effects.popLast() {
            switch effect {
            case .deliver(let id, _), .reportMissing(let id):
                effects += listener.handle(.delivered(id), at: now)
            case .fetch(let id, _): effects += listener.handle(.fetched(id, []), at: now)
            case .ask(let since): _ = NtfyListener.url(of: "https://ntfy.example/a", since: since)
            case .connect, .disconnect, .keep: break
            }
        }
    }
    _ = listener.handle(.keptEnded(nil), at: now)
}

private let keys = UnifiedPushRegistration.Keys.generate()

/// Reads a push, and what is encrypted as if it came from a sender.
func readWebPush(_ bytes: [UInt8]) {
    guard let keys else { return }
    _ = try? WebPushMessage.content(of: bytes, for: keys)
    guard
        let message = try? WebPushMessage.message(
            bytes, p256dh: keys.publicKey, auth: keys.authSecret)
    else { return }
    require(
        (try? WebPushMessage.content(of: message, for: keys)) == bytes,
        "a push is not what was sent")
    _ = try? PushPayload(bytes)
}

/// Judges responses whose statuses and header lines come from the input.
func readHTTP(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let statuses = [200, 206, 416, 401, 503, 301, 404]
    var call = OpenStream(url: "http://sound.example/a.mp3")
    call.available = ByteRanges([0..<5000, 9000..<10_000])
    call.version = .entityTag("\"a\"")
    var plan = StreamPlan(call)
    var task = TransferTask(
        id: 1, TransferRequest(url: "http://sound.example/a.mp3", destination: "/a"),
        at: Moment(boot: 0, epoch: 0))
    task.part.validator = .entityTag("\"a\"")
    for block in text.split(separator: "\n\n").prefix(8) {
        let lines = block.split(whereSeparator: \.isNewline)
        let number = lines.first.map { $0.utf8.reduce(0) { $0 &+ Int($1) } } ?? 0
        var head = ResponseHead(
            status: statuses[number % statuses.count], url: "http://sound.example/a.mp3")
        for line in lines.dropFirst() { head.add(line: String(line)) }
        for offset: Int64 in [0, 5000, 20 << 20] {
            var attempt = TransferAttempt(url: head.url)
            attempt.offset = offset
            _ = ResumeDecision.decide(head, to: attempt, of: task, now: 1e9)
        }
        _ = (head.validator, head.charset, head.challenges(failures: 0), head.session)
        _ = plan.handle(.want(from: 0, until: 1 << 20), at: 1)
        plan.judge(head, at: 1, date: 1e9)
        if let offset = plan.writeOffset {
            require(offset >= 0, "bytes are written at \(offset)")
            plan.count(1000)
        }
        _ = plan.handle(.want(from: 4000, until: 1 << 20), at: 2)
        _ = plan.report(title: nil, at: 2)
    }
    _ = TransferURL(text)
    _ = TextSniffer.whatIsNoSound(bytes[...], name: "a")
}

/// Separates sound from titles; no byte of sound is in two pieces.
func readICY(_ bytes: [UInt8]) {
    var input = Input(bytes)
    guard var stream = ICYDemultiplexer(interval: input.next() + 1) else { return }
    for piece in input.pieces() {
        let pieces = piece.withUnsafeBytes { stream.pieces(of: $0) }
        var end = 0
        for case .sound(let range) in pieces {
            require(range.lowerBound >= end && range.upperBound <= piece.count, "sound repeats")
            end = range.upperBound
        }
    }
}
