/** Writes a small spreadsheet in memory, as a zip file without compression (APPNOTE 6.3.10). */
import { formatRow, mainNamespace, staticParts, xmlHead } from '#domain/xlsx-parts.ts'

/** A number is decimal text, such as an amount, so that no digit is lost. */
export type SheetCell = string | { number: string }

const numberPattern = /^-?\d{1,15}(\.\d{1,10})?$/

/** A text that is no number stays a text. */
const formatSheetRow = (cells: readonly SheetCell[]): string =>
  formatRow(
    cells.map((cell) => {
      if (typeof cell === 'string') return cell
      return numberPattern.test(cell.number) ? { xml: `<c><v>${cell.number}</v></c>` } : cell.number
    }),
  )

export function formatXlsx(rows: Iterable<readonly SheetCell[]>): Uint8Array<ArrayBuffer> {
  const sheet = Array.from(rows, formatSheetRow).join('')
  return zipFiles({
    ...staticParts,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${mainNamespace}"><sheetData>${sheet}</sheetData></worksheet>`,
  })
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

function computeCrc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0)
  return (crc ^ 0xffffffff) >>> 0
}

/** 1 January 1980, the earliest day that a zip file can name. */
const zipDate = 0x21
const zipVersion = 20
/** Names are in UTF-8. */
const zipFlags = 0x800

/** Writes fields of 2 or 4 bytes, the least significant byte first. */
function packFields(fields: readonly (readonly [size: 2 | 4, value: number])[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + size, 0)))
  let offset = 0
  for (const [size, value] of fields) {
    if (size === 2) bytes.setUint16(offset, value, true)
    else bytes.setUint32(offset, value, true)
    offset += size
  }
  return new Uint8Array(bytes.buffer)
}

function zipFiles(files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder()
  const bodies: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  for (const [fileName, xml] of Object.entries(files)) {
    const [name, content] = [encoder.encode(fileName), encoder.encode(xmlHead + xml)]
    const shared = [
      [2, zipVersion],
      [2, zipFlags],
      [2, 0],
      [2, 0],
      [2, zipDate],
      [4, computeCrc32(content)],
      [4, content.length],
      [4, content.length],
      [2, name.length],
      [2, 0],
    ] as const
    const head = packFields([[4, 0x04034b50], ...shared])
    directory.push(
      packFields([[4, 0x02014b50], [2, zipVersion], ...shared, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]),
      name,
    )
    bodies.push(head, name, content)
    offset += head.length + name.length + content.length
  }
  const count = Object.keys(files).length
  const directorySize = directory.reduce((sum, { length }) => sum + length, 0)
  const end = packFields([
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, directorySize],
    [4, offset],
    [2, 0],
  ])
  const zip = new Uint8Array(offset + directorySize + end.length)
  let position = 0
  for (const piece of [...bodies, ...directory, end]) {
    zip.set(piece, position)
    position += piece.length
  }
  return zip
}
