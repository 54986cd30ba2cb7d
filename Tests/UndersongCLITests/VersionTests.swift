import Testing
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

struct VersionTests {
    @Test func `The version that is shown names the commit if the build does`() {
        #expect(Version.described(commit: "") == Version.text)
        #expect(Version.described(commit: "1a2b3c4") == "\(Version.text) (1a2b3c4)")
    }
}
