/** What an object may be called: the same in a bucket and in a folder, where a name could lead out of it. */
import { StoreError } from '#server/drivers/backup-store/backup-store.ts'

const partPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/
const maxLength = 512

/** Parts between slashes, of ASCII letters, digits, `_`, `-` and `.`, none of which begins with a dot or a hyphen. */
export function requireObjectKey(key: string): string {
  if (key.length <= maxLength && key.split('/').every((name) => partPattern.test(name))) return key
  throw new StoreError('refused', `${JSON.stringify(key.slice(0, maxLength))} is no key of a backup.`)
}
