/** Passwords as scrypt keeps them: `scrypt$N$salt$hash`, both in base64url. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** 16 MB and some 50 ms each; Node computes four at a time. */
const cost = 16_384
const hashBytes = 32
export const maxPasswordLength = 200

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return ['scrypt', cost, salt.toString('base64url'), (await deriveHash(password, salt)).toString('base64url')].join(
    '$',
  )
}

/** The same time for a user that does not exist or has no password (`null`). */
export async function isPassword(password: string, storedHash: string | null): Promise<boolean> {
  const [, , salt = '', hash = ''] = (storedHash ?? '').split('$')
  const expectedHash = Buffer.alloc(hashBytes)
  Buffer.from(hash, 'base64url').copy(expectedHash)
  const actualHash = await deriveHash(password, Buffer.from(salt, 'base64url'))
  return timingSafeEqual(actualHash, expectedHash) && storedHash !== null
}

const deriveHash = (password: string, salt: Buffer) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, hashBytes, { N: cost }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
