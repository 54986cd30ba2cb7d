import Testing
import UndersongBase

@Suite struct `A name from the network` {
    @Test(arguments: [
        ("https://n.example/t", "https://n.example/t"),
        ("https://me:pass@n.example:8443/t?auth=QmFzaWM", "https://n.example:8443/t"),
        ("https://a@b@n.example/t@x", "https://n.example/t@x"), ("", ""),
    ])
    func `A name from the network is shown without what proves who asks`(url: String, shown: String)
    {
        #expect(NetworkName.withoutSecrets(url) == shown)
    }
}
