import ProviderKit
import ServiceKit
import Signing

/// Signs tokens for Apple. The key is read each time, so that a replaced file takes effect.
struct APNsTokenIssuer: Sendable {
    let keyFile: String
    let keyID: String
    let teamID: String
    let window: TokenWindow
    let time: any TimeSource

    func issue() async throws(TokenError) -> IssuedToken {
        let signed = await onNativeThread("apns-key") { [self] in
            do throws(SigningError) {
                return Result<Secret, SigningError>.success(try sign())
            } catch {
                return .failure(error)
            }
        }
        switch signed {
        case .success(let token): return IssuedToken(token, window: window)
        case .failure(let error): throw TokenError(.refused, message: error.message)
        }
    }

    private func sign() throws(SigningError) -> Secret {
        let key = try SigningKey(file: keyFile, for: .es256)
        return try JWTSigner(key: key, keyID: keyID).sign { claims in
            claims.member("iss", teamID)
            claims.member("iat", Int(time.now.milliseconds / 1_000))
        }
    }
}
