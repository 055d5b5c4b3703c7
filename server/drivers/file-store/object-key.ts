/** Defines the allowed object keys. Buckets and folders have the same rule, because in a folder a bad name could lead outside the store. */
import { StoreError } from '#server/drivers/file-store/store-error.ts'

const partPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/
const maxLength = 512

/** Throws `refused` unless each part between slashes has only ASCII letters, digits, `_`, `-` and `.`, and no dot or hyphen first. */
export function requireObjectKey(key: string): string {
  if (key.length <= maxLength && key.split('/').every((name) => partPattern.test(name))) return key
  throw new StoreError('refused', `${JSON.stringify(key.slice(0, maxLength))} is not a valid key of a stored file.`)
}
