import COpenSSL

extension SigningAlgorithm {
    /// Sets OpenSSL's padding. The options belong to the digest they were created with.
    func setPadding(_ options: OpaquePointer?) -> Bool {
        switch self {
        case .es256: true
        case .rs256: EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PADDING) == 1
        case .ps256:
            EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1
        }
    }
}
