import TestSupport

/// A response with a text as its body.
func textResponse(
    _ text: String, status: Int = 200, _ fields: [(String, String)] = []
) -> ScriptedHTTPServer.Response {
    var response = ScriptedHTTPServer.Response()
    response.status = status
    response.fields = fields
    response.body = Array(text.utf8)
    return response
}
