/// What a program shows on a terminal that it shares with the shell.
protocol HostDisplay: Sendable {
    /// Draws what is shown again, after a change of the terminal's size or of its owner.
    func redraw()
    /// Removes it until `show`, before job control stops the program.
    func hide()
    /// Shows it again.
    func show()
    /// Removes it for good.
    func close()
}
