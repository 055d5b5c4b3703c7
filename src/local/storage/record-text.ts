/** Records of the database as text and back, with the bytes and typed arrays that JSON does not know. */

const arrays = { Uint8Array, Uint16Array, Uint32Array, Float64Array } as const

/** No property of a record is called so. */
const tag = '\u0000bytes'

interface TaggedBytes {
  [tag]: string
  of: keyof typeof arrays | 'ArrayBuffer'
}

export const recordsToText = (records: readonly unknown[]): string =>
  JSON.stringify(records, (_, value: unknown) => {
    if (value instanceof ArrayBuffer) return { [tag]: bytesToText(value), of: 'ArrayBuffer' }
    if (!ArrayBuffer.isView(value)) return value
    const { buffer, byteOffset, byteLength } = value
    return { [tag]: bytesToText(buffer.slice(byteOffset, byteOffset + byteLength)), of: value.constructor.name }
  })

export const textToRecords = <T>(text: string): T[] =>
  JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || !(tag in value)) return value
    const { [tag]: bytes, of } = value as TaggedBytes
    const buffer = textToBytes(bytes)
    return of === 'ArrayBuffer' ? buffer : new arrays[of](buffer)
  }) as T[]

const chunk = 0x80_00

/** Base64. */
export function bytesToText(bytes: ArrayBufferLike): string {
  const all = new Uint8Array(bytes)
  let text = ''
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < all.length; at += chunk) text += String.fromCharCode(...all.subarray(at, at + chunk))
  return btoa(text)
}

export const textToBytes = (text: string): ArrayBuffer =>
  Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)).buffer
