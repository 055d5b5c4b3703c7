/**
 * Encrypts and decrypts sealed data. Uses the session's key. Once that key is removed from the device, uses the public half of a key pair
 * whose private half only that key can open (decision 83). Stores bytes and no CryptoKeys, because not every browser can read CryptoKeys
 * back in a worker.
 */
import type { UserDatabase } from '#local/storage/database.ts'
import type { SealPair, SealedWrites } from '#local/storage/records.ts'

export type SealedText = Pick<SealedWrites, 'iv' | 'data' | 'keyId' | 'sender'>

export interface TextSealer {
  keyId: number
  seal(text: string): Promise<SealedText>
}

const keyLength = 32
const curveAlgorithm = { name: 'ECDH', namedCurve: 'P-256' } as const
const aesAlgorithm = { name: 'AES-GCM', length: 256 } as const

/** Returns null if there is no valid key. Writes then stay unsealed, which is better than losing them. */
export async function importSealKey(text: string | null | undefined): Promise<CryptoKey | null> {
  try {
    const characters = atob((text ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(characters, (character) => character.charCodeAt(0))
    if (bytes.length !== keyLength) return null
    return await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
  } catch {
    return null
  }
}

export const createKeySealer = (keyId: number, key: CryptoKey): TextSealer => ({
  keyId,
  seal: async (text) => ({ ...(await encrypt(key, new TextEncoder().encode(text))), keyId }),
})

/** Seals with the public half of a key pair. Each text gets a temporary key, which is not stored. */
export const createPairSealer = ({ keyId, publicKey }: SealPair): TextSealer => ({
  keyId,
  async seal(text) {
    const senderPair = await crypto.subtle.generateKey(curveAlgorithm, true, ['deriveKey'])
    const recipientKey = await crypto.subtle.importKey('raw', publicKey, curveAlgorithm, false, [])
    const key = await crypto.subtle.deriveKey(
      { name: 'ECDH', public: recipientKey },
      senderPair.privateKey,
      aesAlgorithm,
      false,
      ['encrypt'],
    )
    const sender = await crypto.subtle.exportKey('raw', senderPair.publicKey)
    return { ...(await encrypt(key, new TextEncoder().encode(text))), keyId, sender }
  },
})

/** Creates a key pair whose private half only the given key can open. */
export async function createSealPair(keyId: number, key: CryptoKey, since: number): Promise<SealPair> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(curveAlgorithm, true, ['deriveKey'])
  const sealedPrivateKey = await encrypt(key, await crypto.subtle.exportKey('pkcs8', privateKey))
  return {
    name: `seal-pair:${keyId}`,
    keyId,
    since,
    publicKey: await crypto.subtle.exportKey('raw', publicKey),
    privateKey: sealedPrivateKey.data,
    iv: sealedPrivateKey.iv,
  }
}

/** Returns null if the key does not open the text. `pair` is the key pair of the same key, for a text sealed with it. */
export async function openSealed(
  key: CryptoKey,
  { iv, data, sender }: Omit<SealedText, 'keyId'>,
  pair: SealPair | undefined,
): Promise<string | null> {
  try {
    const decryptionKey = sender === undefined ? key : await deriveDecryptionKey(key, sender, pair)
    if (!decryptionKey) return null
    return new TextDecoder().decode(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, decryptionKey, data))
  } catch {
    return null
  }
}

async function deriveDecryptionKey(
  key: CryptoKey,
  sender: ArrayBuffer,
  pair: SealPair | undefined,
): Promise<CryptoKey | null> {
  if (!pair) return null
  const bytes = await crypto.subtle.decrypt({ name: 'AES-GCM', iv: pair.iv }, key, pair.privateKey)
  const recipientKey = await crypto.subtle.importKey('pkcs8', bytes, curveAlgorithm, false, ['deriveKey'])
  const senderKey = await crypto.subtle.importKey('raw', sender, curveAlgorithm, false, [])
  return await crypto.subtle.deriveKey({ name: 'ECDH', public: senderKey }, recipientKey, aesAlgorithm, false, [
    'decrypt',
  ])
}

async function encrypt(
  key: CryptoKey,
  plainBytes: BufferSource,
): Promise<{ iv: Uint8Array<ArrayBuffer>; data: ArrayBuffer }> {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  return { iv, data: await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, plainBytes) }
}

const readSealPairs = async (db: UserDatabase): Promise<SealPair[]> =>
  (await db.meta.where('name').startsWith('seal-pair:').toArray()) as SealPair[]

export const readSealPair = async (db: UserDatabase, keyId: number): Promise<SealPair | undefined> =>
  (await readSealPairs(db)).find((pair) => pair.keyId === keyId)

export async function readNewestPair(db: UserDatabase): Promise<SealPair | undefined> {
  return (await readSealPairs(db)).sort((a, b) => b.since - a.since)[0]
}
