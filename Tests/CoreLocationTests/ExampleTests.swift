import Foundation
import TestSupport
import Testing

@Suite struct `The example of background locations` {
    private func run(_ verb: String) throws -> [Substring] {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
            .deletingLastPathComponent().appending(path: "UndersongExamples")
        process.arguments = ["BackgroundLocation", verb]
        process.environment = ["TZ": "America/Los_Angeles"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return text.split(separator: "\n")
    }

    @Test(.rule("D6", "D7", "D8", "D13"))
    func `The example follows the tutorial's drive, to the digit`() throws {
        let log = "App is backgrounded. New location is"

        #expect(
            try run("drive") == [
                "Allow it? The map shows where you have been.",
                "The map has 1 annotations.",
                "\(log) <+37.33477977,-122.03369603> +/- 5.00m (speed 17.21 mps / course 255.59) @ 12/21/14, 8:05:14 PM Pacific Standard Time",
                "\(log) <+37.33474691,-122.03389325> +/- 5.00m (speed 18.27 mps / course 257.34) @ 12/21/14, 8:05:15 PM Pacific Standard Time",
                "\(log) <+37.33470894,-122.03411085> +/- 5.00m (speed 19.27 mps / course 257.70) @ 12/21/14, 8:05:16 PM Pacific Standard Time",
                "The map has 4 annotations.",
            ])
    }

    @Test(.rule("D9", "D12"))
    func `The example does nothing where it has not said what it needs places for`() throws {
        #expect(try run("undeclared") == ["The map has 0 annotations."])
    }
}
