import { maxStatementSize } from '#contract/staff/bank-transfers.ts'

/** A character has at most four bytes in each of the encodings. Larger files are not read. */
const maxBytes = 4 * maxStatementSize

const decode = (bytes: BufferSource, encoding: string, fatal: boolean): string | null => {
  try {
    return new TextDecoder(encoding, { fatal }).decode(bytes)
  } catch {
    return null
  }
}

function decodeMarked([first, second]: Uint8Array, bytes: BufferSource): string | null {
  if (first === 0xff && second === 0xfe) return decode(bytes, 'utf-16le', true)
  return first === 0xfe && second === 0xff ? decode(bytes, 'utf-16be', true) : null
}

/** Banks in China export GB18030 without saying so, and some programs export UTF-16 with a mark. Everything else is UTF-8. */
export function decodeStatement(bytes: Uint8Array<ArrayBuffer>): string {
  return decodeMarked(bytes, bytes) ?? decode(bytes, 'utf-8', true) ?? decode(bytes, 'gb18030', false) ?? ''
}

export type StatementFile =
  | { kind: 'statement'; name: string; content: string }
  | { kind: 'fault'; name: string; fault: 'tooLarge' | 'empty' | 'unreadable' }

/** Reads a file of a bank. Its name is shortened to what the server stores. */
export async function readStatementFile(file: File): Promise<StatementFile> {
  const name = file.name.slice(0, 200)
  if (file.size > maxBytes) return { kind: 'fault', name, fault: 'tooLarge' }
  const buffer = await file.arrayBuffer().catch(() => null)
  if (buffer === null) return { kind: 'fault', name, fault: 'unreadable' }
  const content = decodeStatement(new Uint8Array(buffer))
  if (content.trim() === '') return { kind: 'fault', name, fault: 'empty' }
  if (content.length > maxStatementSize) return { kind: 'fault', name, fault: 'tooLarge' }
  return { kind: 'statement', name, content }
}
