import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongLibrary

@testable import UndersongCLI

@Suite struct `The doctor's look at a library` {
    private func findings(_ status: LibraryStatus, session: String = "default") -> [Finding] {
        LibraryCheck.findings(status, nil, session: session)
    }

    @Test func `A library that cannot be read or kept is wrong, with the reason and the remedy`() {
        let trouble = Why.Trouble(reason: "cannot keep the library in /a: no", remedy: "do this")
        let wrong = Finding.wrong("library of default", trouble.reason, "do this")
        let full = LibraryStatus(folders: [LibraryFolder(path: "/music", trackCount: 7)])

        #expect(LibraryCheck.findings(nil, trouble, session: "default") == [wrong])
        #expect(LibraryCheck.findings(LibraryStatus(), trouble, session: "default") == [wrong])
        #expect(LibraryCheck.findings(full, trouble, session: "default") == [wrong])
        #expect(LibraryCheck.findings(nil, nil, session: "default") == [])
    }

    @Test func `A library without folders is not mentioned, and one that is well is good`() {
        let folder = LibraryFolder(path: "/music", trackCount: 7)

        #expect(findings(LibraryStatus()) == [])
        #expect(
            findings(LibraryStatus(folders: [folder], trackCount: 7))
                == [.good("library of default", "7 tracks, and changes are noticed")])
    }

    @Test func `Missing folders, those that are not watched and problems have notes`() {
        let missing = LibraryFolder(path: "/disk", trackCount: 1, missingSince: 5)
        let silent = LibraryFolder(path: "/net", trackCount: 2, watchProblem: "It is NFS")
        let status = LibraryStatus(
            folders: [missing, silent], trackCount: 3,
            problems: ["cannot read /net/a: Permission denied", "another"])

        let found = findings(status, session: "work")

        #expect(found.map(\.verdict) == [.note, .note, .note])
        #expect(
            found.map(\.text) == [
                "/disk is not there; its tracks are kept for 30 days",
                "/net is checked only once an hour: It is NFS",
                "cannot read /net/a: Permission denied, and 1 more",
            ])
        #expect(
            found.first?.advice
                == "if it is gone for good: undersong library remove '/disk' --session work")
    }
}
