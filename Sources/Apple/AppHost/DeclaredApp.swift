package import Foundation
package import UndersongBackground

extension App {
    /// The app of this process: what its main bundle's `Info.plist` declares, and its own command, with
    /// these `arguments`. Without a property list it is known by the name of its executable.
    package static func declared(in bundle: Bundle, arguments: [String]) -> App {
        let executable = bundle.executablePath ?? ""
        let fileName = (executable as NSString).lastPathComponent
        let plist = bundle.bundlePath + "/Info.plist"
        let information = bundle.infoDictionary ?? [:]
        let name = ["CFBundleDisplayName", "CFBundleName"].compactMap { information[$0] as? String }
        let declared = Capabilities.declared(in: bundle)
        let usage = information.filter { $0.key.hasSuffix("UsageDescription") }
        return App(
            identifier: bundle.bundleIdentifier ?? fileName, name: name.first ?? fileName,
            command: [executable] + arguments,
            folder: FileManager.default.currentDirectoryPath,
            manifest: FileManager.default.fileExists(atPath: plist) ? plist : nil,
            modes: declared.backgroundModes.sorted { $0.rawValue < $1.rawValue },
            permitted: declared.permittedIdentifiers.sorted(),
            usage: usage.compactMapValues { $0 as? String })
    }
}
