// Without 0, O, 1, l and I, which one mistakes for each other (D84).
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'

/**
 * Twelve characters nobody has in the fingers, for a typed confirmation. `random` fills the bytes it is given; those past
 * the last whole alphabet are thrown away, so that all characters are as likely.
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
