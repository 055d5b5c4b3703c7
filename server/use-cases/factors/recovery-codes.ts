/** Creates recovery codes for users who have lost all other factors. A code has 80 bits, is stored as a hash and works once. */
import { createHash, randomBytes } from 'node:crypto'

const codeCount = 10
const codeBytes = 10
// Crockford's alphabet: no letter looks like a digit.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export const createRecoveryCodes = (): string[] => Array.from({ length: codeCount }, createRecoveryCode)

function createRecoveryCode(): string {
  const bits = [...randomBytes(codeBytes)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const code = (bits.match(/.{5}/g) ?? []).map((fiveBits) => alphabet[Number.parseInt(fiveBits, 2)]).join('')
  return (code.match(/.{4}/g) ?? []).join('-')
}

/** Returns the hash of a typed code. Dashes and capital letters are ignored, an O is read as 0, and I and L as 1. */
export function hashRecoveryCode(userId: number, typedCode: string): string {
  const code = typedCode
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
    .replace(/o/g, '0')
    .replace(/[il]/g, '1')
  return createHash('sha256').update(`recovery code of ${userId} ${code}`).digest('hex')
}
