/// The line that reports a problem on the standard error. It may hold names that others gave; it is
/// one line that leaves the terminal alone.
package func complaint(_ text: String) -> String { "undersong: " + Columns.printable(text) }
