/// A route's decision about a request whose head is complete and whose body is not read yet.
package enum HTTPAdmission: Sendable {
    /// Decides about a request without its body.
    package typealias Decision = @Sendable (HTTPRequest) -> HTTPAdmission

    case refused(HTTPResponse)
    /// `account` is charged for the body's memory in addition to the client's address, for example the client's app
    /// key. A `bodyBytesMaximum` replaces the route's. The fields of `headers` are added to the response, whether the
    /// handler or the server itself writes it.
    case admitted(
        account: String? = nil, bodyBytesMaximum: Int? = nil, headers: [HTTPField] = [], handler: HTTPRouter.Handler)
}
