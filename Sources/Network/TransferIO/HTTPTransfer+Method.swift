import CUndersongCurl
import Glibc

extension HTTPTransfer {
    /// Bytes of the answer to an upload that are kept.
    static let longestAnswer: Int64 = 1 << 20

    /// Sets the method and what is sent. Returns the header fields for that.
    func setMethod() -> [String] {
        let method = attempt.method
        guard let body else {
            switch method {
            case "GET": break
            case "HEAD": easy.set(CURLOPT_NOBODY, 1)
            case "POST":
                easy.set(CURLOPT_POST, 1)
                easy.set(CURLOPT_POSTFIELDSIZE_LARGE, large: 0)
            default: easy.set(CURLOPT_CUSTOMREQUEST, method)
            }
            return []
        }
        if method == "POST" {
            easy.set(CURLOPT_POST, 1)
            easy.set(CURLOPT_POSTFIELDSIZE_LARGE, large: body.length)
        } else {
            easy.set(CURLOPT_UPLOAD, 1)
            easy.set(CURLOPT_INFILESIZE_LARGE, large: body.length)
            if method != "PUT" { easy.set(CURLOPT_CUSTOMREQUEST, method) }
        }
        easy.send(body)
        // Libcurl would wait a second for servers that do not know this field. It adds a content
        // type of forms to what is posted, unless another is given.
        let isTyped = attempt.fields.contains { $0.name.lowercased() == "content-type" }
        return ["Expect:"] + (isTyped ? [] : ["Content-Type: application/octet-stream"])
    }
}

extension CURLEasy {
    /// Sends the bytes of `body`, which has to live as long as the request.
    fileprivate func send(_ body: BodyFile) {
        let context = unsafe Unmanaged.passUnretained(body).toOpaque()
        unsafe ccurl_set_pointer(raw, CURLOPT_READDATA, context)
        unsafe ccurl_set_callback(raw, CURLOPT_READFUNCTION) { bytes, size, count, context in
            guard let context = unsafe context else { return Int(CURL_READFUNC_ABORT) }
            let body = unsafe Unmanaged<BodyFile>.fromOpaque(context).takeUnretainedValue()
            let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
            return unsafe body.read(into: buffer) ?? Int(CURL_READFUNC_ABORT)
        }
        unsafe ccurl_set_pointer(raw, CURLOPT_SEEKDATA, context)
        unsafe ccurl_set_seek(raw) { context, offset, origin in
            guard let context = unsafe context, origin == SEEK_SET else {
                return CURL_SEEKFUNC_FAIL
            }
            let body = unsafe Unmanaged<BodyFile>.fromOpaque(context).takeUnretainedValue()
            return body.seek(to: Int64(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
        }
    }
}
