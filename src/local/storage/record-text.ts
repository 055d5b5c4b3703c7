/** Converts records of the database to text and back, including bytes and typed arrays, which JSON does not support. */

const arrayTypes = { Uint8Array, Uint16Array, Uint32Array, Float64Array } as const

const bytesTag = '\u0000bytes'

interface TaggedBytes {
  [bytesTag]: string
  of: keyof typeof arrayTypes | 'ArrayBuffer'
}

export const recordsToText = (records: readonly unknown[]): string =>
  JSON.stringify(records, (_, value: unknown) => {
    if (value instanceof ArrayBuffer) return { [bytesTag]: bytesToText(value), of: 'ArrayBuffer' }
    if (!ArrayBuffer.isView(value)) return value
    const { buffer, byteOffset, byteLength } = value
    return { [bytesTag]: bytesToText(buffer.slice(byteOffset, byteOffset + byteLength)), of: value.constructor.name }
  })

export const textToRecords = <T>(text: string): T[] =>
  JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || !(bytesTag in value)) return value
    const { [bytesTag]: bytes, of } = value as TaggedBytes
    const buffer = textToBytes(bytes)
    return of === 'ArrayBuffer' ? buffer : new arrayTypes[of](buffer)
  }) as T[]

const chunkLength = 0x80_00

export function bytesToText(bytes: ArrayBufferLike): string {
  const byteArray = new Uint8Array(bytes)
  let text = ''
  // Converts in pieces, because a call has a limited number of arguments.
  for (let i = 0; i < byteArray.length; i += chunkLength)
    text += String.fromCharCode(...byteArray.subarray(i, i + chunkLength))
  return btoa(text)
}

export const textToBytes = (text: string): ArrayBuffer =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer
