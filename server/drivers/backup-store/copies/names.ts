/** Checks and converts names of schemas, tables and columns of a copy. PostgreSQL allows fewer names than SQLite. */
import { StoreError } from '#server/drivers/file-store/store-error.ts'

const schemaPattern = /^copy_[a-z0-9_]{1,58}$/

/** Throws `refused` if it is not the name of a copy, so that no other schema is ever written or dropped. */
export function requireSchemaName(name: string): string {
  if (schemaPattern.test(name)) return name
  throw new StoreError('refused', `${JSON.stringify(name.slice(0, 100))} is not the name of a copy.`)
}

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

const maxBytes = 63
/** Maximum length of the name before an appended number. */
const maxBaseBytes = 50

const isInvalidName = (name: string) => name === '' || name.includes('\0') || !name.isWellFormed()

/** Returns the name if PostgreSQL allows it and it is not used yet, otherwise a variant with a number. Adds it to `usedNames`. */
export function toUniqueName(name: string, usedNames: Set<string>): string {
  const isFree = !isInvalidName(name) && Buffer.byteLength(name) <= maxBytes && !usedNames.has(name)
  const uniqueName = isFree ? name : appendNumber(name, usedNames)
  usedNames.add(uniqueName)
  return uniqueName
}

function appendNumber(name: string, usedNames: Set<string>): string {
  let base = name.toWellFormed().replaceAll('\0', '')
  while (Buffer.byteLength(base) > maxBaseBytes) base = [...base].slice(0, -1).join('')
  for (let number = 1; ; number++) if (!usedNames.has(`${base}_${number}`)) return `${base}_${number}`
}
