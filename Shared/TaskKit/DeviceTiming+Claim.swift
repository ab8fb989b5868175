package import Store
package import Topics

extension DeviceTiming {
    package var claimKind: ClaimRequest.Kind { deferral == nil ? .attempt : .deferral }
}
