import Foundation
import PortRewriting

// Rewrites the Swift sources in a folder for Linux, in place, and reports what is left.
let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 1, let folder = arguments.first, !folder.hasPrefix("-") else {
    print(
        """
        Usage: scripts/port DIR

        Rewrite the Swift sources in DIR, which were written for iOS, for Linux: selectors, string
        key paths and @objc. The files are changed in place. What is left to be done by hand is
        reported by file and line.

        Exit status: 0 if nothing is left, 1 if something is, 64 if the arguments are wrong, 66 if
        the folder cannot be read or written.
        """)
    exit(arguments.first == "--help" || arguments.first == "-h" ? 0 : 64)
}

do {
    let remarks = try Port.rewrite(folder: folder) { print($0) }
    for remark in remarks { print(remark) }
    exit(remarks.isEmpty ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("port: \(error.localizedDescription)\n".utf8))
    exit(66)
}
