/** Stores addresses of unfinished uploads by user and content, no longer than the server keeps the bytes. */
import type { PreviousUpload, UrlStorage } from 'tus-js-client'

const maxAgeMs = 86_400_000
const storageKey = 'portal.uploads'

type StartedUploads = Record<string, { url: string; at: number }>

export function createStartedUploads(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): UrlStorage {
  function read(): StartedUploads {
    try {
      const allUploads = JSON.parse(storage.getItem(storageKey) ?? '{}') as StartedUploads
      const since = Date.now() - maxAgeMs
      return Object.fromEntries(Object.entries(allUploads).filter(([, { at }]) => at > since))
    } catch {
      return {}
    }
  }
  function write(uploads: StartedUploads) {
    try {
      if (Object.keys(uploads).length === 0) storage.removeItem(storageKey)
      else storage.setItem(storageKey, JSON.stringify(uploads))
    } catch {
      // Without free space an upload restarts after a reload.
    }
  }
  const toPreviousUpload = (fingerprint: string, { url, at }: StartedUploads[string]): PreviousUpload => ({
    size: null,
    metadata: {},
    creationTime: new Date(at).toISOString(),
    urlStorageKey: fingerprint,
    uploadUrl: url,
    parallelUploadUrls: null,
  })
  return {
    findAllUploads: async () => Object.entries(read()).map(([key, upload]) => toPreviousUpload(key, upload)),
    async findUploadsByFingerprint(fingerprint) {
      const { [fingerprint]: upload } = read()
      return upload ? [toPreviousUpload(fingerprint, upload)] : []
    },
    async removeUpload(key) {
      const { [key]: _, ...rest } = read()
      write(rest)
    },
    async addUpload(fingerprint, { uploadUrl }) {
      if (uploadUrl) write({ ...read(), [fingerprint]: { url: uploadUrl, at: Date.now() } })
      return fingerprint
    },
  }
}
