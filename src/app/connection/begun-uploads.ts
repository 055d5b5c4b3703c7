/**
 * Where uploads that were begun go on, also after a reload: by user and content. Of the file itself nothing is stored, and
 * no longer than the server keeps what has come of it.
 */
import type { PreviousUpload, UrlStorage } from 'tus-js-client'

const keptMs = 86_400_000
const name = 'portal.uploads'

type Begun = Record<string, { url: string; at: number }>

export function begunUploads(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): UrlStorage {
  function read(): Begun {
    try {
      const all = JSON.parse(storage.getItem(name) ?? '{}') as Begun
      const since = Date.now() - keptMs
      return Object.fromEntries(Object.entries(all).filter(([, { at }]) => at > since))
    } catch {
      return {}
    }
  }
  function write(begun: Begun) {
    try {
      if (Object.keys(begun).length === 0) storage.removeItem(name)
      else storage.setItem(name, JSON.stringify(begun))
    } catch {
      // Without room an upload begins anew after a reload.
    }
  }
  const found = (fingerprint: string, { url, at }: Begun[string]): PreviousUpload => ({
    size: null,
    metadata: {},
    creationTime: new Date(at).toISOString(),
    urlStorageKey: fingerprint,
    uploadUrl: url,
    parallelUploadUrls: null,
  })
  return {
    findAllUploads: async () => Object.entries(read()).map(([key, one]) => found(key, one)),
    async findUploadsByFingerprint(fingerprint) {
      const { [fingerprint]: one } = read()
      return one ? [found(fingerprint, one)] : []
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
