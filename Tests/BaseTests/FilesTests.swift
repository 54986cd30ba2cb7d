import Foundation
import Glibc
import Testing

@testable import UndersongBase

/// A folder that is removed with this.
private final class TestFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/undersong-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func path(_ name: String) -> String { path + "/" + name }

    func text(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
    }

    func mode(_ name: String) throws -> Int {
        let facts = try FileManager.default.attributesOfItem(atPath: path(name))
        return try #require(facts[.posixPermissions] as? Int)
    }

    var names: [String] { Folder.names(in: path).sorted() }
}

@Suite struct `A new file` {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test(arguments: [NewFile.Durability.none, .bytes, .name])
    func `A new file replaces the one before when it is complete`(durability: NewFile.Durability)
        throws
    {
        try folder.write("before", to: "list")
        let file = try NewFile(at: FilePath(folder.path("list")))
        try file.write(Array("after".utf8))
        let textMeanwhile = try folder.text("list")
        let namesMeanwhile = folder.names

        try file.commit(durability)

        #expect(textMeanwhile == "before")
        #expect(namesMeanwhile.count == 2)
        #expect(namesMeanwhile.first?.hasPrefix(".list.") == true)
        #expect(try folder.text("list") == "after")
        #expect(folder.names == ["list"])
    }

    @Test func `A new file leaves nothing if it is given up`() throws {
        try folder.write("before", to: "list")

        do {
            let file = try NewFile(at: FilePath(folder.path("list")))
            try file.write(Array("after".utf8))
        }

        #expect(try folder.text("list") == "before")
        #expect(folder.names == ["list"])
    }

    @Test func `A new file keeps the mode of the file that it replaces, and the link to it`() throws
    {
        try folder.write("before", to: "target")
        chmod(folder.path("target"), 0o640)
        symlink("target", folder.path("link"))

        try NewFile(at: FilePath(folder.path("link")), mode: 0o600).commit()

        #expect(try folder.text("target") == "")
        #expect(try folder.mode("target") == 0o640)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link"))
                == "target")
    }

    @Test func `A new file fails rather than replace one that has come meanwhile`() throws {
        let file = try NewFile(at: FilePath(folder.path("list")), replaces: false)
        try file.write(Array("mine".utf8))
        try folder.write("other", to: "list")

        let error = failure(of: file)

        #expect(error?.cause == SystemError(EEXIST))
        #expect(error?.description == "cannot write \(folder.path("list")): File exists")
        #expect(try folder.text("list") == "other")
        #expect(folder.names == ["list"])
    }

    @Test func `A new file gets its name if no file has it`() throws {
        let file = try NewFile(at: FilePath(folder.path("list")), replaces: false)

        try file.commit()

        #expect(folder.names == ["list"])
    }

    @Test func `A program's own new file replaces what a killed process has left`() throws {
        try folder.write("half of a longer text", to: "state.new")

        let code = NewFile.replace(own: folder.path("state"), with: Array("whole".utf8))

        #expect(code == 0)
        #expect(try folder.text("state") == "whole")
        #expect(try folder.mode("state") == 0o600)
        #expect(folder.names == ["state"])
    }

    @Test func `A new file that cannot be written reports why and leaves the one before`() throws {
        let full = NewFile.replace(own: "/dev/full/state", with: [0x0a])
        let missing = NewFile.replace(own: folder.path("missing/state"), with: [0x0a])

        #expect(full == ENOTDIR)
        #expect(missing == ENOENT)
    }

    private func failure(of file: consuming NewFile) -> NewFileError? {
        do throws(NewFileError) {
            try file.commit()
            return nil
        } catch {
            return error
        }
    }
}

@Suite struct `A file that is moved` {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test func `A file that is moved replaces no other`() throws {
        try folder.write("one", to: "one")
        try folder.write("two", to: "two")

        let taken = moveFile(FilePath(folder.path("one")), to: FilePath(folder.path("two")))
        let free = moveFile(FilePath(folder.path("one")), to: FilePath(folder.path("three")))

        #expect(taken == EEXIST)
        #expect(free == 0)
        #expect(folder.names == ["three", "two"])
        #expect(try folder.text("two") == "two")
    }
}

@Suite struct `A record file` {
    private struct Record: Codable, Equatable {
        var name: String
        var count: Int
    }

    private let folder: TestFolder
    private let file: RecordFile<Record>
    private let record = Record(name: "a/b", count: 3)

    init() throws {
        folder = try TestFolder()
        file = RecordFile(folder.path("record"))
    }

    @Test func `A record file has a line of JSON and a line with its checksum`() throws {
        #expect(file.save(record) == 0)

        #expect(
            try folder.text("record")
                == "{\"count\":3,\"name\":\"a/b\"}\n\(Self.sum("{\"count\":3,\"name\":\"a/b\"}"))\n"
        )
        #expect(try folder.mode("record") == 0o600)
        #expect(folder.names == ["record"])
    }

    @Test(arguments: [true, false]) func `A record file is read as it was saved last`(
        syncsName: Bool
    ) {
        let first = file.save(Record(name: "longer than the second one", count: 1))
        let second = file.save(record, syncsName: syncsName)

        #expect((first, second) == (0, 0))
        #expect(file.load().record == record)
        #expect(file.load().damage == nil)
    }

    @Test func `A record file that is missing is not damaged`() {
        let (found, damage) = file.load()

        #expect(found == nil)
        #expect(damage == nil)
        #expect(!file.exists)
    }

    @Test(arguments: [
        "", "{\"count\":3,\"name\":\"a/b\"}", "{\"count\":4,\"name\":\"a/b\"}\n0000000000000000\n",
    ])
    func `A record file that is damaged is set aside and reported`(text: String) throws {
        try folder.write(text, to: "record")

        let (found, damage) = file.load()

        #expect(found == nil)
        #expect(
            damage
                == "\(file.path) is damaged and begins empty; what it had is in \(file.path).damaged"
        )
        #expect(folder.names == ["record.damaged"])
        #expect(try folder.text("record.damaged") == text)
    }

    @Test func `A record file of which half was written is damaged at every length`() throws {
        #expect(file.save(record) == 0)
        let whole = try folder.text("record")

        // The last byte ends the line only.
        for length in 0..<whole.utf8.count - 1 {
            try folder.write(String(whole.prefix(length)), to: "record")
            #expect(file.record == nil, "\(length)")
        }
    }

    @Test func `A record file that cannot be saved keeps the record before`() throws {
        #expect(file.save(record) == 0)
        // A folder in place of the temporary file.
        try FileManager.default.createDirectory(
            atPath: file.path + ".new", withIntermediateDirectories: false)

        let code = file.save(Record(name: "other", count: 4))

        #expect(code == EISDIR)
        #expect(file.record == record)
    }

    /// FNV-1a by its definition, with 64 bits.
    private static func sum(_ text: String) -> String {
        var sum: UInt64 = 14_695_981_039_346_656_037
        for byte in text.utf8 {
            sum =
                (sum ^ UInt64(byte)).multipliedReportingOverflow(by: 1_099_511_628_211).partialValue
        }
        return String(format: "%016lx", sum)
    }
}

@Suite struct `The content of a descriptor` {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test func `A descriptor is read from the start wherever its position is`() throws {
        try folder.write("some text", to: "file")
        let descriptor = open(folder.path("file"), O_RDONLY)
        defer { close(descriptor) }
        lseek(descriptor, 5, SEEK_SET)

        #expect(try FileContent.bytes(of: descriptor, limit: 9) == Array("some text".utf8))
        #expect(try readAll(from: descriptor) == Array("text".utf8))
    }

    @Test func `Only the content of a regular file is read, up to a limit`() throws {
        try folder.write("some text", to: "file")
        let file = open(folder.path("file"), O_RDONLY)
        let null = open("/dev/null", O_RDONLY)
        defer { for descriptor in [file, null] { close(descriptor) } }

        #expect(throws: FileContent.Problem.tooLong(limit: 8)) {
            try FileContent.bytes(of: file, limit: 8)
        }
        #expect(throws: FileContent.Problem.notAFile) {
            try FileContent.bytes(of: null, limit: 8)
        }
        #expect(throws: SystemError(EBADF)) { try readAll(from: -1) }
        #expect(
            FileContent.Problem.tooLong(limit: 4 << 20).description == "it is longer than 4 MiB")
    }

    @Test func `A descriptor is read until its content is more than the limit`() throws {
        try folder.write(String(repeating: "x", count: 200_000), to: "file")
        let descriptor = open(folder.path("file"), O_RDONLY)
        defer { close(descriptor) }

        let bytes = try readAll(from: descriptor, limit: 100_000)

        #expect(bytes.count > 100_000)
        #expect(bytes.count < 200_000)
    }

    @Test func `A descriptor is written at an offset, and a full disk is reported`() throws {
        try folder.write("some text", to: "file")
        let file = open(folder.path("file"), O_WRONLY)
        let full = open("/dev/full", O_WRONLY)
        defer { for descriptor in [file, full] { close(descriptor) } }

        let code = Array("next".utf8).withUnsafeBytes { writeAll($0, to: file, at: 5) }

        #expect(code == 0)
        #expect(try folder.text("file") == "some next")
        #expect(writeAll([1], to: full) == ENOSPC)
    }
}

@Suite struct `A folder` {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test func `A folder is made with those above it`() throws {
        let path = folder.path("one/two")
        let first = Folder.make(path)
        let second = Folder.make(path)

        #expect((first, second) == (0, 0))
        #expect(try folder.mode("one") == 0o700)
        #expect(Folder.names(in: folder.path("one")) == ["two"])
        #expect(Folder.sync(FilePath(path)) == 0)
    }

    @Test func `A folder cannot be made in a file`() throws {
        try folder.write("", to: "file")

        #expect(Folder.make(folder.path("file/two")) == ENOTDIR)
        #expect(Folder.names(in: folder.path("file")) == [])
        #expect(Folder.sync(FilePath(folder.path("missing"))) == ENOENT)
    }

    @Test(arguments: [("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b", "a")])
    func `A folder is what is before the last slash of a path`(path: String, folder: String) {
        #expect(Folder.path(of: path) == folder)
    }
}

@Suite struct `Files that come with a program` {
    @Test func `They are in the share folder of its prefix, or in the sources around it`() throws {
        let folder = try TestFolder()
        let build = folder.path("tree/.build/debug")
        try FileManager.default.createDirectory(atPath: build, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            atPath: folder.path("tree/Resources"), withIntermediateDirectories: true)
        try folder.write("", to: "tree/Package.swift")
        let program = build + "/undersong"

        let before = ResourceFile.path("a.txt", of: program)
        try folder.write("", to: "tree/Resources/a.txt")
        let built = ResourceFile.path("a.txt", of: program)
        let shared = folder.path("tree/.build/share/undersong")
        try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
        try folder.write("", to: "tree/.build/share/undersong/a.txt")
        let installed = ResourceFile.path("a.txt", of: program)

        #expect(before == nil)
        #expect(built == folder.path("tree/Resources/a.txt"))
        #expect(installed == shared + "/a.txt")
        #expect(
            ResourceFile.paths("Info.plist", of: "/usr/bin/undersong")
                == ["/usr/share/undersong/Info.plist"])
        #expect(ResourceFile.paths("a", of: "/undersong") == ["/share/undersong/a"])
    }

    @Test func `A program knows its own path`() {
        #expect(ResourceFile.ownPath.hasPrefix("/"))
        #expect(FileManager.default.isExecutableFile(atPath: ResourceFile.ownPath))
    }
}
