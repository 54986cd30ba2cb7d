import Foundation
import Glibc
import Logging
import Testing

@testable import UndersongService

@Suite struct `The service's log` {
    @Test func `The service's log is a line for each message, with the program's name`() throws {
        let text = try logged(isJournal: false) { $0.warning("the state cannot be kept") }

        #expect(text == "undersongd: the state cannot be kept\n")
    }

    @Test(arguments: [
        (Logger.Level.critical, 2), (.error, 3), (.warning, 4), (.notice, 5), (.info, 6),
    ])
    func `The service's log has the priority of each message in the journal`(
        level: Logger.Level, priority: Int
    ) throws {
        let text = try logged(isJournal: true) { $0.log(level: level, "it begins") }

        #expect(text == "<\(priority)>undersongd: it begins\n")
    }

    @Test func `The service's log leaves out developers' messages, and adds what belongs to one`()
        throws
    {
        let text = try logged(isJournal: false) { log in
            log.debug("a detail")
            log.error("it fails", metadata: ["path": "/a", "code": "7"])
        }

        #expect(text == "undersongd: it fails code=7 path=/a\n")
    }

    @Test func `The service logs to the journal only where that has opened the very file`() throws {
        let pipe = Pipe()
        var info = stat()
        fstat(pipe.fileHandleForWriting.fileDescriptor, &info)
        let stream = "\(info.st_dev):\(info.st_ino)"
        let descriptor = pipe.fileHandleForWriting.fileDescriptor

        #expect(JournalLogHandler.isJournal(descriptor, stream: stream))
        #expect(!JournalLogHandler.isJournal(descriptor, stream: "1:2"))
        #expect(!JournalLogHandler.isJournal(descriptor, stream: nil))
    }

    private func logged(isJournal: Bool, _ body: (Logger) -> Void) throws -> String {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let logger = Logger(label: "undersongd") {
            JournalLogHandler(label: $0, descriptor: descriptor, isJournal: isJournal)
        }
        body(logger)
        try pipe.fileHandleForWriting.close()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        return String(decoding: data, as: UTF8.self)
    }
}
