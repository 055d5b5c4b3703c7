/**
 * Builds an archive as an attacker would who knows a company's recipient key and can write to the bucket: encryption and compression are
 * valid, the content is the attacker's.
 */
import { Encrypter } from 'age-encryption'
import { gzipSync } from 'node:zlib'

/** Encrypts the archive. `content` is plain lines or gzip data. */
export async function sealArchive(recipient: string, content: string | Buffer): Promise<Uint8Array> {
  const age = new Encrypter()
  age.addRecipient(recipient)
  return await age.encrypt(new Uint8Array(typeof content === 'string' ? gzipSync(content) : content))
}
