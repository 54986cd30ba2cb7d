/// The version of everything that is built here.
package enum Version {
    /// The version as `--version` prints it.
    package static let text = "0.1.0"
}
