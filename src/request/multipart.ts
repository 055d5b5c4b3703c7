/** A form with a file as the bytes that travel, built in one piece: streams cannot be sent twice (protocol 22). */
import type { Entry, LocalFile, UserDatabase } from '#local/database.ts'
import type { Letter } from '#request/line.ts'
import { boundaryOf } from '#request/record.ts'

/** What goes over the line for this entry. Null: its bytes are not here any more. */
export async function letterOf(db: UserDatabase, entry: Entry): Promise<Letter | null> {
  const { bytes } = entry
  if (!bytes || !bytes.headers['content-type']?.startsWith('multipart/')) return bytes
  const file = await db.files.get(entry.intent)
  if (!file) return null
  const fields = (entry.asked.body ?? {}) as Record<string, unknown>
  return { ...bytes, body: multipart(fields, file, boundaryOf(entry)) }
}

const utf8 = new TextEncoder()

/** As browsers write names: quotes and line ends would end the name early. */
const quoted = (text: string) => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

/** Fields first, in the order they are given, then the file. */
export function multipart(
  fields: Record<string, unknown>,
  { field, name, type, bytes }: Pick<LocalFile, 'field' | 'name' | 'type' | 'bytes'>,
  boundary: string,
): Uint8Array<ArrayBuffer> {
  const said = Object.entries(fields).map(([one, value]) => head(boundary, `name="${quoted(one)}"`) + String(value))
  const label = `name="${quoted(field)}"; filename="${quoted(name)}"\r\nContent-Type: ${mediaType(type)}`
  const before = utf8.encode([...said, head(boundary, label)].join('\r\n'))
  const after = utf8.encode(`\r\n--${boundary}--\r\n`)
  const whole = new Uint8Array(before.length + bytes.byteLength + after.length)
  whole.set(before)
  whole.set(new Uint8Array(bytes), before.length)
  whole.set(after, before.length + bytes.byteLength)
  return whole
}

const head = (boundary: string, label: string) => `--${boundary}\r\nContent-Disposition: form-data; ${label}\r\n\r\n`

/** What a file calls itself comes from outside and stands in a header. */
const mediaType = (said: string) => (/^[\w.+-]+\/[\w.+-]+$/.test(said) ? said : 'application/octet-stream')
