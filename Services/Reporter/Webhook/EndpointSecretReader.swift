import Apps

/// The files that an app names for one of its endpoints.
struct EndpointSecretFiles: Sendable {
    let header: KeyFile?
    let signingKey: KeyFile?
}

/// Reads the secrets of endpoints; the simulation has no files.
protocol EndpointSecretReader: Sendable {
    func read(_ files: EndpointSecretFiles) async throws(EndpointError) -> EndpointSecrets
}
