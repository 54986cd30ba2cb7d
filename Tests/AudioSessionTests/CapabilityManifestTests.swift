import Foundation
import Testing
import UndersongAudioSession

@Suite struct `A capability manifest` {
    @Test
    func `A capability manifest is its owner's alone, when it is new and when it is replaced`()
        throws
    {
        let folder = NSTemporaryDirectory() + "manifest-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/Info.plist"

        try CapabilityManifest.set(.audio, isDeclared: true, at: path, from: nil)
        let new = try permissions(of: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        try CapabilityManifest.permit("a.b", isPermitted: true, at: path, from: nil)

        #expect(new == 0o600)
        #expect(try permissions(of: path) == 0o600)
        let capabilities = try CapabilityManifest.capabilities(atPath: path)
        #expect(capabilities.backgroundModes == [.audio])
        #expect(capabilities.permittedIdentifiers == ["a.b"])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names == ["Info.plist"])
    }

    private func permissions(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
