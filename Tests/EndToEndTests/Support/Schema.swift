import Foundation

/// The JSON schemas in `Documentation/protocol`.
enum Schema {
    /// The violations of the named schema in `lines`; empty if there are none.
    static func violations(of lines: Data, in name: String) throws -> String {
        let folder = URL(filePath: #filePath)
            .appending(path: "../../../../Documentation/protocol")
        let report = try output(
            of: "/usr/bin/python3",
            ["-c", validator, folder.appending(path: name).standardizedFileURL.path],
            input: lines)
        return String(decoding: report, as: UTF8.self)
    }

    private static let validator = """
        import json, sys, jsonschema
        schema = json.load(open(sys.argv[1]))
        checker = jsonschema.validators.validator_for(schema)
        checker.check_schema(schema)
        for line in sys.stdin.buffer:
            for error in checker(schema).iter_errors(json.loads(line)):
                print(line, error.message)
        """
}
