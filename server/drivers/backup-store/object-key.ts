/** Allowed object keys. The same rule for bucket and folder; in a folder a bad name could lead outside it. */
import { StoreError } from '#server/drivers/backup-store/backup-store.ts'

const partPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/
const maxLength = 512

/** Parts between slashes: ASCII letters, digits, `_`, `-`, `.`; no dot or hyphen first. Throws `refused` otherwise. */
export function requireObjectKey(key: string): string {
  if (key.length <= maxLength && key.split('/').every((name) => partPattern.test(name))) return key
  throw new StoreError('refused', `${JSON.stringify(key.slice(0, maxLength))} is not a valid key of a backup.`)
}
