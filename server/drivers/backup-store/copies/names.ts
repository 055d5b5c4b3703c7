/** What places, tables and columns of a copy are called in PostgreSQL, which has fewer names than SQLite. */
import { StoreError } from '#server/drivers/backup-store/driver.ts'

const place = /^copy_[a-z0-9_]{1,58}$/

/** A schema that is a copy: no other one is ever written, or taken away. */
export function checkedPlace(name: string): string {
  if (place.test(name)) return name
  throw new StoreError('refused', `${JSON.stringify(name.slice(0, 100))} is no place of a copy.`)
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const maxBytes = 63
/** Room for a number behind it. */
const shortened = 50

const isTaken = (name: string) => name === '' || name.includes('\0') || !name.isWellFormed()

/** As it is, where PostgreSQL can have it and `used` does not yet; otherwise what is left of it with a number. Adds it to `used`. */
export function nameFor(name: string, used: Set<string>): string {
  const isFree = !isTaken(name) && Buffer.byteLength(name) <= maxBytes && !used.has(name)
  const chosen = isFree ? name : numbered(name, used)
  used.add(chosen)
  return chosen
}

function numbered(name: string, used: Set<string>): string {
  let base = name.toWellFormed().replaceAll('\0', '')
  while (Buffer.byteLength(base) > shortened) base = [...base].slice(0, -1).join('')
  for (let number = 1; ; number++) if (!used.has(`${base}_${number}`)) return `${base}_${number}`
}
