import HTTPServer

/// What a browser may do with the console's page: only what is from here, in no frame, and without scripts in texts.
enum ConsoleHeaders {
    static let all = [
        HTTPField("Content-Security-Policy", policy),
        HTTPField("Cross-Origin-Opener-Policy", "same-origin"),
        HTTPField("Cross-Origin-Resource-Policy", "same-origin"),
        HTTPField("Referrer-Policy", "no-referrer"),
        HTTPField("X-Content-Type-Options", "nosniff"),
        HTTPField("X-Frame-Options", "DENY"),
    ]

    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
        "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ].joined(separator: "; ")
}
