/** Base64 by the standard alphabet with padding (RFC 4648, 4), as signed notes and tiles have it. */
const chunkLength = 8_192

export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  // An argument list has an end, a tile or a leaf does not.
  for (let i = 0; i < bytes.length; i += chunkLength)
    binary += String.fromCharCode(...bytes.subarray(i, i + chunkLength))
  return btoa(binary)
}

/** Null where the text is not the one way to write these bytes: white space, missing padding, spare bits. */
export function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  return text.endsWith('=') && toBase64(bytes.subarray(-(bytes.length % 3 || 3))) !== text.slice(-4) ? null : bytes
}
