// Characters of a code, without 0, O, 1, l and I, which are easily confused (D84).
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'

/**
 * Creates a code of 12 characters for a typed confirmation. It is random, so that users do not type it from habit. `random` must fill the
 * array that it gets. Bytes above the last multiple of the alphabet's length are discarded, so that all characters are equally likely.
 */
export function createConfirmCode(random: (bytes: Uint8Array<ArrayBuffer>) => void): string {
  let code = ''
  const byte = new Uint8Array(1)
  while (code.length < 12) {
    random(byte)
    const value = byte[0] ?? 255
    if (value < Math.floor(256 / alphabet.length) * alphabet.length) code += alphabet[value % alphabet.length]
  }
  return code
}
