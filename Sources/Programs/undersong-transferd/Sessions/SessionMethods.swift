import FoundationEssentials
import Glibc
import UndersongBase
import UndersongControl
import UndersongTransferIO
import UndersongTransfers

extension SessionRegistry {
    typealias Perform =
        @Sendable (ControlRequest, ControlConnection, SessionRegistry, TransferEngineState)
        throws(ControlError) -> ControlReply

    /// The methods of the wire that are about sessions.
    static let methods: [String: Perform] = [
        OpenSession.method: { request, connection, sessions, engine throws(ControlError) in
            let call = try request.decode(OpenSession.self)
            return ControlReply(try sessions.open(call, connection, engine))
        },
        CloseSession.method: { request, connection, sessions, engine throws(ControlError) in
            let call = try request.decode(CloseSession.self)
            try sessions.check(connection, call.session, "close the session")
            sessions.close(call.session, engine)
            return ControlReply(Nothing())
        },
        ForegroundSession.method: { request, connection, sessions, engine throws(ControlError) in
            let call = try request.decode(ForegroundSession.self)
            try sessions.check(connection, call.session, "come to the foreground")
            engine.handle(.session(.foreground(call.session)))
            return ControlReply(Nothing())
        },
        AddSessionTask.method: { request, connection, sessions, engine throws(ControlError) in
            let call = try request.decode(AddSessionTask.self)
            try sessions.check(connection, call.session, "add a task")
            return ControlReply(try sessions.add(call, engine))
        },
        ResumeSessionTask.method: { request, connection, sessions, engine throws(ControlError) in
            let call = try request.decode(ResumeSessionTask.self)
            try sessions.check(connection, call.session, "resume a task")
            let id = try sessions.describe(call.task, of: call.session, call.details, engine)
            engine.handle(.session(.resume(id, isBackground: call.isBackground)))
            return ControlReply(try sessions.status(id, engine))
        },
        SuspendSessionTask.method: { request, connection, sessions, engine throws(ControlError) in
            let call = try request.decode(SuspendSessionTask.self)
            try sessions.check(connection, call.session, "suspend a task")
            let id = try sessions.describe(call.task, of: call.session, call.details, engine)
            engine.handle(.pause(id))
            return ControlReply(try sessions.status(id, engine))
        },
        CancelSessionTask.method: { request, connection, sessions, engine throws(ControlError) in
            let call = try request.decode(CancelSessionTask.self)
            try sessions.check(connection, call.session, "cancel a task")
            let id = try sessions.describe(call.task, of: call.session, call.details, engine)
            let data = call.isKept ? sessions.keep(id, engine) : nil
            engine.handle(.session(.cancel(id, reason: nil, resumeData: data)))
            return ControlReply(try sessions.status(id, engine))
        },
        DescribeSessionTask.method: { request, connection, sessions, engine throws(ControlError) in
            let call = try request.decode(DescribeSessionTask.self)
            try sessions.check(connection, call.session, "describe a task")
            let id = try sessions.describe(call.task, of: call.session, call.details, engine)
            return ControlReply(try sessions.status(id, engine))
        },
        AnswerSessionTask.method: { request, connection, sessions, engine throws(ControlError) in
            let call = try request.decode(AnswerSessionTask.self)
            try sessions.check(connection, call.session, "answer for a task")
            return ControlReply(try sessions.answer(call, engine))
        },
        NextSessionEvent.method: { request, connection, sessions, engine throws(ControlError) in
            let call = try request.decode(NextSessionEvent.self)
            try sessions.check(connection, call.session, "give events")
            return ControlReply(
                NextSessionEvent.Reply(
                    event: engine.policy.event(of: call.session) {
                        engine.status(of: $0, hasRequest: true)
                    }))
        },
        AcknowledgeSessionEvent.method: {
            request, connection, sessions, engine throws(ControlError) in
            let call = try request.decode(AcknowledgeSessionEvent.self)
            try sessions.check(connection, call.session, "acknowledge an event")
            try sessions.acknowledge(call, engine)
            return ControlReply(Nothing())
        },
    ]

    private func check(
        _ connection: ControlConnection, _ session: String, _ purpose: String
    ) throws(ControlError) {
        guard isHost(connection, of: session) else {
            throw ControlError(
                .notPossible, "cannot \(purpose): This connection has not opened \(session)")
        }
    }

    private func open(
        _ call: OpenSession, _ connection: ControlConnection, _ engine: TransferEngineState
    ) throws(ControlError) -> OpenSession.Reply {
        let purpose = "cannot open a session: "
        guard (1...1000).contains(call.session.utf8.count), !call.session.utf8.contains(0) else {
            throw ControlError(.invalidParams, purpose + "An identifier has 1 to 1000 bytes")
        }
        if let launch = call.launch { try Check.launch(launch, purpose) }
        try open(call.session, launch: call.launch, connection, engine)
        let tasks = engine.policy.tasks.values.filter { $0.session?.session == call.session }
            .sorted { $0.id < $1.id }
        return OpenSession.Reply(
            nextTask: nextTask(of: call.session, engine),
            tasks: tasks.compactMap { engine.status(of: $0, hasRequest: true) })
    }

    private func task(
        _ number: Int, of session: String, _ engine: TransferEngineState
    ) -> TransferTask? {
        engine.policy.tasks.values.first {
            $0.session?.session == session && $0.session?.number == number
        }
    }

    private func status(
        _ id: Int, _ engine: TransferEngineState
    ) throws(ControlError) -> SessionTaskStatus {
        guard let task = engine.policy.tasks[id],
            let status = engine.status(of: task, hasRequest: false)
        else {
            throw ControlError(.internalError, "cannot find transfer \(id): The service is ending")
        }
        return status
    }

    private func add(
        _ call: AddSessionTask, _ engine: TransferEngineState
    ) throws(ControlError) -> SessionTaskStatus {
        if let task = task(call.task, of: call.session, engine) {
            return try status(task.id, engine)
        }
        let purpose = "cannot add task \(call.task) of \(call.session): "
        guard call.task > 0, call.task < .max, !hasHad(call.task, in: call.session) else {
            throw ControlError(.notPossible, purpose + "The number has been used already")
        }
        let id = engine.policy.nextID
        let (request, session) = try Self.request(call, engine.folder.filePath(id), purpose)
        let data = call.resume.flatMap { ResumeData(text: $0) }
        let isThere =
            data.map { engine.folder.hasPart($0.name, length: $0.part.offset) }
            ?? (call.resume == nil)
        let part = isThere ? data?.part ?? TransferPart() : TransferPart()
        engine.handle(.session(.add(request, session, part)))
        // What is there moves after the record: without the part, the record begins at 0.
        let isTaken = data.map { isThere && engine.folder.movePart($0.name, to: id) } ?? isThere
        if !isTaken {
            let text = "The data to resume from is gone"
            engine.handle(.session(.fail(id, TransferFailure(.resumeLost, text))))
        }
        return try status(id, engine)
    }

    private static func request(
        _ call: AddSessionTask, _ path: String, _ purpose: String
    ) throws(ControlError) -> (TransferRequest, SessionTask) {
        try Check.url(call.request.url, purpose)
        try Check.request(call.request.method, call.request.fields, purpose)
        guard call.request.body.map({ $0.hasPrefix("/") && !$0.utf8.contains(0) }) ?? true else {
            throw ControlError(
                .invalidParams, purpose + "Its body is not an absolute path of a file")
        }
        guard call.within ?? 1 > 0, call.stall ?? 1 >= 1,
            (0...1).contains(call.details.priority ?? 0), (1...6).contains(call.perHost ?? 1)
        else { throw ControlError(.invalidParams, purpose + "A number is out of range") }
        var request = TransferRequest(url: call.request.url, destination: path)
        request.session = call.session
        request.label = call.details.description.flatMap { $0.isEmpty ? nil : $0 }
        request.isDiscretionary = call.discretionary ?? false
        request.priority = call.details.priority ?? request.priority
        request.earliestBegin = call.details.earliestBegin
        request.timeout = call.within ?? request.timeout
        request.stallTimeout = call.stall ?? request.stallTimeout
        var session = SessionTask(session: call.session, number: call.task)
        session.method = call.request.method
        session.fields = call.request.fields
        session.body = call.request.body
        session.allowsMetered = call.metered ?? true
        session.perHost = call.perHost
        return (request, session)
    }

    /// Changes what a task is called and when it runs, and returns its transfer.
    private func describe(
        _ number: Int, of session: String, _ details: SessionTask.Details,
        _ engine: TransferEngineState
    ) throws(ControlError) -> Int {
        guard let id = task(number, of: session, engine)?.id else {
            throw ControlError(
                .notFound, "cannot change task \(number) of \(session): There is no such task")
        }
        if let text = details.description {
            engine.handle(.session(.describe(id, text.isEmpty ? nil : text)))
        }
        if let time = details.earliestBegin { engine.handle(.session(.delay(id, time))) }
        if let priority = details.priority { engine.handle(.session(.prioritize(id, priority))) }
        return id
    }

    private func answer(
        _ call: AnswerSessionTask, _ engine: TransferEngineState
    ) throws(ControlError) -> SessionTaskStatus {
        let purpose = "cannot answer for task \(call.task) of \(call.session): "
        guard let id = task(call.task, of: call.session, engine)?.id else {
            throw ControlError(.notFound, purpose + "It is not there")
        }
        if let answer = call.challenge {
            try Check.answer(answer, purpose)
            engine.handle(.session(.answer(id, question: call.question, answer)))
        } else {
            if let request = call.request {
                try Check.url(request.url, purpose)
                try Check.request(request.method, request.fields, purpose)
            }
            note(ignoresDelays: call.ignoresDelays ?? false, in: call.session, engine)
            engine.handle(.session(.begin(id, question: call.question, call.request)))
        }
        return try status(id, engine)
    }

    /// Keeps what is there of a task that is about to be cancelled; nil if it cannot be continued.
    private func keep(_ id: Int, _ engine: TransferEngineState) -> String? {
        // What has come is on the disk then.
        engine.handle(.pause(id))
        let name = UUID().uuidString
        guard let task = engine.policy.tasks[id], task.stage == .pending,
            let text = ResumeData(task, part: name)?.text, engine.folder.keepPart(id, as: name)
        else { return nil }
        return text
    }

    private func acknowledge(
        _ call: AcknowledgeSessionEvent, _ engine: TransferEngineState
    ) throws(ControlError) {
        // One that is gone was acknowledged before, and the reply was lost.
        guard let task = task(call.task, of: call.session, engine), !task.isUnfinished else {
            return
        }
        switch call.phase {
        case .file: engine.handle(.session(.fileReceived(task.id)))
        case .end:
            try retire(call.task, of: call.session, engine)
            engine.handle(.session(.acknowledged(task.id)))
        }
        unsafe unlink(engine.folder.filePath(task.id))
    }
}

extension ResumeData {
    /// Reads a text; nil for any other.
    fileprivate init?(text: String) {
        guard text.utf8.count <= Self.limit,
            let data = try? JSONDecoder().decode(ResumeData.self, from: Data(text.utf8)),
            data.isValid, UUID(uuidString: data.name) != nil
        else { return nil }
        self = data
    }

    /// The text; nil if it is too long.
    fileprivate var text: String? {
        guard let bytes = try? JSONLine.bytes(of: self), bytes.count <= Self.limit else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension TransferEngineState {
    /// The status of a session's task; nil of any other.
    func status(of task: TransferTask, hasRequest: Bool) -> SessionTaskStatus? {
        var status = policy.status(
            of: task, received: received(task.id), hasRequest: hasRequest, at: now)
        if task.session?.body != nil {
            status?.sent = sent(task.id)
            status?.toSend = bodyLength(task.id)
        }
        return status
    }
}
