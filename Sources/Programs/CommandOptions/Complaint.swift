/// The line that reports a problem on the standard error. The text may contain names from
/// elsewhere; the result is a single line without control characters.
package func complaint(_ text: String) -> String { "undersong: " + Columns.printable(text) }
