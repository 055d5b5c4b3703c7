import { Secret, TOTP } from 'otpauth'

/** Returns the code that an authenticator app with this secret shows `steps` periods of 30 s from now. */
export const calculateCode = (secret: string, now: number, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now + steps * 30_000 })
