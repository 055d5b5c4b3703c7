/** Creates and checks codes of an authenticator app (RFC 6238): six digits, 30 seconds, one time step of drift in either direction. */
import { Secret, TOTP } from 'otpauth'

const periodMs = 30_000
const drift = 1
const issuer = 'Service portal'

/** Returns a secret of 160 bits in base32. */
export const createTotpSecret = () => new Secret({ size: 20 }).base32

const createAuthenticator = (secret: string, label = '') =>
  new TOTP({ issuer, label, secret: Secret.fromBase32(secret), digits: 6, period: periodMs / 1000 })

export const buildTotpUri = (secret: string, account: string) => createAuthenticator(secret, account).toString()

/** Returns the time step of the code, or null if the code is not valid now. */
export function findTotpStep(secret: string, code: string, now: number): number | null {
  const token = code.replace(/\D/g, '')
  if (token.length !== 6) return null
  const delta = createAuthenticator(secret).validate({ token, timestamp: now, window: drift })
  return delta === null ? null : Math.floor(now / periodMs) + delta
}
