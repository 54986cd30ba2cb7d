import Foundation

/// Rewrites sources that were written for iOS.
package enum Port {
    /// The file with what takes the place of selectors.
    package static let supportName = "ObserverTokens.swift"

    /// Rewrites files, named by their paths, and adds one to each target that needs it. Returns what
    /// has changed, and what is left to be done by hand.
    package static func rewrite(
        _ files: [(path: String, text: String)]
    ) -> (changed: [(path: String, text: String)], remarks: [Remark]) {
        let sources = files.filter {
            !$0.path.hasSuffix("/" + supportName) && $0.path != supportName
        }
        .map { Source(path: $0.path, text: $0.text) }
        let rewriter = Rewriter(sources)
        var changed = sources.filter(\.isChanged).map { (path: $0.path, text: $0.rewritten) }
        let text = SupportPart.file(of: rewriter.parts)
        let targets = Set(rewriter.filesWithTokens.map { target(of: $0, among: files.map(\.path)) })
        for target in targets.sorted() where !rewriter.parts.isEmpty {
            changed.append((target + supportName, text))
        }
        return (changed, Set(rewriter.remarks).sorted())
    }

    /// The folder of the target that compiles a file, with a slash at its end; empty for the folder that
    /// is rewritten, if no file says that it is in a package.
    private static func target(of path: String, among paths: [String]) -> String {
        let folders = path.split(separator: "/").dropLast()
        let packages = (0...folders.count).map { folders.prefix($0).map { $0 + "/" }.joined() }
        guard let package = packages.last(where: { paths.contains($0 + "Package.swift") }) else {
            return ""
        }
        let inner = path.dropFirst(package.count).split(separator: "/").dropLast()
        // As Swift's package manager has it. A target may have a path of its own, too.
        let isUsual = ["Sources", "Source", "src", "srcs", "Tests"].contains(inner.first)
        return package + inner.prefix(isUsual ? 2 : inner.count).map { $0 + "/" }.joined()
    }

    /// Rewrites the Swift sources in a folder and its folders, in place, and reports each file that it
    /// has written. Returns what is left to be done by hand.
    package static func rewrite(
        folder: String, _ report: (_ line: String) -> Void
    ) throws -> [Remark] {
        let root = URL(filePath: folder, directoryHint: .isDirectory)
        let names = try FileManager.default.subpathsOfDirectory(atPath: root.path)
            .filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".") && !$0.contains("/.") }.sorted()
        let files = try names.map { name in
            (
                name,
                String(decoding: try Data(contentsOf: root.appending(path: name)), as: UTF8.self)
            )
        }
        let (changed, remarks) = rewrite(files)
        for (path, text) in changed {
            try Data(text.utf8).write(to: root.appending(path: path), options: .atomic)
            report("\(path): rewritten")
        }
        return remarks
    }
}
