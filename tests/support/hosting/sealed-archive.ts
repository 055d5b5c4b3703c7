/** What somebody makes who knows a company's recipient and can write to the bucket: age and gzip are right, what is in it is theirs. */
import { Encrypter } from 'age-encryption'
import { gzipSync } from 'node:zlib'

/** `content`: the lines, or what is gzip already. */
export async function sealArchive(recipient: string, content: string | Buffer): Promise<Uint8Array> {
  const age = new Encrypter()
  age.addRecipient(recipient)
  return await age.encrypt(new Uint8Array(typeof content === 'string' ? gzipSync(content) : content))
}
