import CEmbeddedFiles

/// Large files that a service serves. As resources of its target they would be array literals of Swift, for which the
/// compiler takes more time than in proportion to their size: a minute for the HTTP API's description.
package enum EmbeddedFiles {
    /// `docs/api/openapi.yaml`.
    package static let openAPI = [UInt8](
        UnsafeBufferPointer(start: carillon_openapi, count: carillon_openapi_size))
}
