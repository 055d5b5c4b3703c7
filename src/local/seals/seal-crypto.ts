/**
 * How something is sealed: under the session's key, or, once that is locked away, under the public half of a pair whose private half
 * only that key opens (decision 83). Bytes and no CryptoKeys are stored, which not every browser reads back in a worker.
 */
import type { UserDatabase } from '#local/storage/database.ts'
import type { SealPair, Sealed } from '#local/storage/records.ts'

export type SealedText = Pick<Sealed, 'iv' | 'data' | 'keyId' | 'sender'>

/** What was sealed: under which key, and how it is opened again. */
export interface Sealer {
  keyId: number
  seal(text: string): Promise<SealedText>
}

const keyBytes = 32
const curve = { name: 'ECDH', namedCurve: 'P-256' } as const
const aes = { name: 'AES-GCM', length: 256 } as const

/** Null where there is none, or none that could be ours: then the writes stay unsealed rather than be lost. */
export async function importSealKey(text: string | null | undefined): Promise<CryptoKey | null> {
  try {
    const signs = atob((text ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(signs, (sign) => sign.charCodeAt(0))
    if (bytes.length !== keyBytes) return null
    return await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
  } catch {
    return null
  }
}

/** By the key itself. */
export const sealerOfKey = (keyId: number, key: CryptoKey): Sealer => ({
  keyId,
  seal: async (text) => ({ ...(await encrypt(key, new TextEncoder().encode(text))), keyId }),
})

/** By the public half of a pair: each text under a key of its own, which is forgotten at once. */
export const sealerOfPair = ({ keyId, publicKey }: SealPair): Sealer => ({
  keyId,
  async seal(text) {
    const own = await crypto.subtle.generateKey(curve, true, ['deriveKey'])
    const theirs = await crypto.subtle.importKey('raw', publicKey, curve, false, [])
    const key = await crypto.subtle.deriveKey({ name: 'ECDH', public: theirs }, own.privateKey, aes, false, ['encrypt'])
    const sender = await crypto.subtle.exportKey('raw', own.publicKey)
    return { ...(await encrypt(key, new TextEncoder().encode(text))), keyId, sender }
  },
})

/** A pair whose private half that key alone opens. */
export async function createPair(keyId: number, key: CryptoKey, since: number): Promise<SealPair> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(curve, true, ['deriveKey'])
  const shut = await encrypt(key, await crypto.subtle.exportKey('pkcs8', privateKey))
  return {
    name: `seal-pair:${keyId}`,
    keyId,
    since,
    publicKey: await crypto.subtle.exportKey('raw', publicKey),
    privateKey: shut.data,
    iv: shut.iv,
  }
}

/** Null: that key does not open it. `pair`: of the same key, where it was sealed by one. */
export async function openSealed(
  key: CryptoKey,
  { iv, data, sender }: Omit<SealedText, 'keyId'>,
  pair: SealPair | undefined,
): Promise<string | null> {
  try {
    const opener = sender === undefined ? key : await deriveOpener(key, sender, pair)
    if (!opener) return null
    return new TextDecoder().decode(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, opener, data))
  } catch {
    return null
  }
}

async function deriveOpener(
  key: CryptoKey,
  sender: ArrayBuffer,
  pair: SealPair | undefined,
): Promise<CryptoKey | null> {
  if (!pair) return null
  const bytes = await crypto.subtle.decrypt({ name: 'AES-GCM', iv: pair.iv }, key, pair.privateKey)
  const own = await crypto.subtle.importKey('pkcs8', bytes, curve, false, ['deriveKey'])
  const theirs = await crypto.subtle.importKey('raw', sender, curve, false, [])
  return await crypto.subtle.deriveKey({ name: 'ECDH', public: theirs }, own, aes, false, ['decrypt'])
}

async function encrypt(
  key: CryptoKey,
  plain: BufferSource,
): Promise<{ iv: Uint8Array<ArrayBuffer>; data: ArrayBuffer }> {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  return { iv, data: await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, plain) }
}

const pairsIn = async (db: UserDatabase): Promise<SealPair[]> =>
  (await db.meta.where('name').startsWith('seal-pair:').toArray()) as SealPair[]

export const readPair = async (db: UserDatabase, keyId: number): Promise<SealPair | undefined> =>
  (await pairsIn(db)).find((pair) => pair.keyId === keyId)

/** Of the session that locked its key away last. */
export async function newestPair(db: UserDatabase): Promise<SealPair | undefined> {
  return (await pairsIn(db)).sort((a, b) => b.since - a.since)[0]
}
