/// What a route decides about a request when its head is complete and its body is not read yet.
package enum HTTPAdmission: Sendable {
    /// Looks at a request that has no body yet.
    package typealias Decision = @Sendable (HTTPRequest) -> HTTPAdmission

    case refused(HTTPResponse)
    /// `account` pays for the memory of the body beside the client's address, such as the key that the client showed.
    /// A `bodyBytesMaximum` replaces the route's.
    case admitted(account: String? = nil, bodyBytesMaximum: Int? = nil, handler: HTTPRouter.Handler)
}
