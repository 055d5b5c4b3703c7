/** Pictures to upload, and what somebody might hide in one. */
import { Transformer } from '@napi-rs/image'

/** A square of four colours, so that a turned or cropped one is seen. */
export function drawn(width: number, height = width): Transformer {
  const pixels = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      pixels.set([x < width / 2 ? 220 : 20, y < height / 2 ? 200 : 30, 90, 255], (y * width + x) * 4)
  return Transformer.fromRgbaPixels(pixels, width, height)
}

export const png = (width = 64, height = width): Promise<Uint8Array> => drawn(width, height).png()
export const jpeg = (width = 64, height = width): Promise<Uint8Array> => drawn(width, height).jpeg(80)
export const webp = (width = 64, height = width): Promise<Uint8Array> => drawn(width, height).webp(80)

/** A comment of EXIF behind the first marker, as a camera writes it; the orientation says "turned by a quarter". */
export function withExif(file: Uint8Array, words: string): Uint8Array {
  const said = Buffer.from(`${words}\0`)
  const tiff = Buffer.alloc(8 + 2 + 12 * 2 + 4 + said.length)
  tiff.write('MM\0*', 0, 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(2, 8)
  // ImageDescription, text.
  tiff.writeUInt16BE(0x010e, 10)
  tiff.writeUInt16BE(2, 12)
  tiff.writeUInt32BE(said.length, 14)
  tiff.writeUInt32BE(38, 18)
  // Orientation, a short.
  tiff.writeUInt16BE(0x0112, 22)
  tiff.writeUInt16BE(3, 24)
  tiff.writeUInt32BE(1, 26)
  tiff.writeUInt16BE(6, 30)
  said.copy(tiff, 38)
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([file.subarray(0, 2), head, body, file.subarray(2)])
}

/** A PNG's head that speaks of more pixels than there are. */
export function flooded(file: Uint8Array, width: number, height: number): Uint8Array {
  const lying = Buffer.from(file)
  lying.writeUInt32BE(width, 16)
  lying.writeUInt32BE(height, 20)
  return lying
}

/** Longer, and still the same picture to whoever stops at its end. */
export const padded = (file: Uint8Array, bytes: number): Uint8Array =>
  Buffer.concat([file, Buffer.alloc(Math.max(0, bytes - file.length), 0x20)])

export interface FormFile {
  name?: string
  type?: string
  bytes: Uint8Array
}

/** A form with one file, as a browser sends it. */
export function formWith(field: string, { name = 'me.png', type = 'image/png', bytes }: FormFile) {
  const boundary = 'portal-test-boundary'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}
