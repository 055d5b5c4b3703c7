/** Base64 with the standard alphabet and padding (RFC 4648, 4), as in signed notes and tiles. */
const chunkLength = 8_192

export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  // Converts in chunks, because the number of arguments of a call is limited.
  for (let i = 0; i < bytes.length; i += chunkLength)
    binary += String.fromCharCode(...bytes.subarray(i, i + chunkLength))
  return btoa(binary)
}

/** Returns null if the text is not the canonical encoding, for example because of white space, missing padding or spare bits. */
export function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  return text.endsWith('=') && toBase64(bytes.subarray(-(bytes.length % 3 || 3))) !== text.slice(-4) ? null : bytes
}
