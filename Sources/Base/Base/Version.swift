/// The version of everything that is built here.
package enum Version {
    /// As `--version` prints it.
    package static let text = "0.1.0"
}
