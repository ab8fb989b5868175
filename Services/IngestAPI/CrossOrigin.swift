import Apps
import HTTPServer

/// Requests of web pages of other origins (CORS), for the routes that public keys may use. Pages whose origin no key
/// names get no permission from the browser. Other programs send no `Origin`, or any: nothing rests on it.
struct CrossOrigin: Sendable {
    /// Seconds for which a browser remembers a preflight.
    private static let maximumAge = "600"
    private static let requestFields = "Authorization, Content-Type, \(DeviceTokenHeader.name)"
    private static let responseFields = "Carillon-Warning, Location, RateLimit, RateLimit-Policy, Retry-After"

    /// True if a public key of any app is for pages of this origin.
    let isKnown: @Sendable (_ origin: String) -> Bool

    /// The fields of the response to an admitted caller. A page reads only what was requested with a key of its own.
    func fields(for request: HTTPRequest, of caller: AuthorizedCaller) -> [HTTPField] {
        fields(for: request) { caller.publicKey?.isFor(origin: $0) == true }
    }

    /// The fields of a refusal. The caller is not known, so pages of every key learn why they are refused.
    func fields(ofRefused request: HTTPRequest) -> [HTTPField] {
        fields(for: request, isAllowed: isKnown)
    }

    /// The response to a preflight. It has no key, so it says what pages of every key may send. `methods` are those for
    /// public keys.
    func preflight(_ request: HTTPRequest, methods: [HTTPMethod]) -> HTTPResponse {
        var response = HTTPResponse(.noContent, headers: CrossOrigin.varying)
        guard let origin = request.headers["Origin"], isKnown(origin),
            request.headers.contains("Access-Control-Request-Method")
        else { return response }
        response.headers += [
            HTTPField("Access-Control-Allow-Origin", origin),
            HTTPField("Access-Control-Allow-Methods", methods.map(\.rawValue).sorted().joined(separator: ", ")),
            HTTPField("Access-Control-Allow-Headers", CrossOrigin.requestFields),
            HTTPField("Access-Control-Max-Age", CrossOrigin.maximumAge),
        ]
        return response
    }

    /// A cache must not answer one page with the permission of another.
    private static let varying = [HTTPField("Vary", "Origin")]

    private func fields(for request: HTTPRequest, isAllowed: (String) -> Bool) -> [HTTPField] {
        guard let origin = request.headers["Origin"], isAllowed(origin) else { return CrossOrigin.varying }
        return CrossOrigin.varying + [
            HTTPField("Access-Control-Allow-Origin", origin),
            HTTPField("Access-Control-Expose-Headers", CrossOrigin.responseFields),
        ]
    }
}
