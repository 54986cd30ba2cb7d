package import UndersongLocation
package import UndersongStore

/// What locations need of the machine.
package struct LocationEnvironment: Sendable {
    /// Makes a source.
    package var makeSource: @Sendable (LocationSourceChoice) -> any LocationSource

    package init(makeSource: @escaping @Sendable (LocationSourceChoice) -> any LocationSource) {
        self.makeSource = makeSource
    }
}
