/** Bech32 (BIP 173), as age writes its keys: five bits a sign, and six signs that tell a mistyped one. */

const signs = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
const checksumSigns = 6

/** In small letters. `prefix` in small letters too. */
export function bech32(prefix: string, bytes: Uint8Array): string {
  const words = wordsOf(bytes)
  const codes = [...prefix].map((sign) => sign.charCodeAt(0))
  const spread = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)]
  const rest = remainder([...spread, ...words, ...Array<number>(checksumSigns).fill(0)]) ^ 1
  const checksum = Array.from({ length: checksumSigns }, (_, at) => (rest >> (5 * (checksumSigns - 1 - at))) & 31)
  return `${prefix}1${[...words, ...checksum].map((word) => signs[word]).join('')}`
}

function wordsOf(bytes: Uint8Array): number[] {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((word) => Number.parseInt(word.padEnd(5, '0'), 2))
}

function remainder(words: number[]): number {
  let rest = 1
  for (const word of words) {
    const top = rest >>> 25
    rest = ((rest & 0x1ffffff) << 5) ^ word
    generators.forEach((generator, bit) => {
      if ((top >> bit) & 1) rest ^= generator
    })
  }
  return rest
}
