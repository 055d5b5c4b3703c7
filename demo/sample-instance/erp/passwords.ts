/** Hashes passwords in the format `scrypt$N$salt$hash`; salt and hash are base64url. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** Cost parameter N of scrypt. A hash takes 16 MB and some 50 ms; Node computes four at a time. */
const cost = 16_384
const hashBytes = 32
export const maxPasswordLength = 200

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return ['scrypt', cost, salt.toString('base64url'), (await deriveHash(password, salt)).toString('base64url')].join(
    '$',
  )
}

/** Takes the same time for an unknown user or a user without a password (`null`), so that timing does not reveal users. */
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
