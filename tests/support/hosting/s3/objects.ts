/** What lies in the bucket of the tests, and what is on its way into it. */
import { createHash, randomUUID } from 'node:crypto'
import { crcOf } from '#tests/support/hosting/s3/body.ts'

export interface BucketObject {
  data: Buffer
  etag: string
  modified: Date
  /** CRC-32 of all of it. */
  checksum: string
}

interface PartOfUpload {
  data: Buffer
  etag: string
  checksum: string
}

export interface OpenUpload {
  key: string
  initiated: Date
  parts: Map<number, PartOfUpload>
}

const smallestPart = 5 * 2 ** 20

/** With the name of S3's own error. */
export class Refusal extends Error {
  readonly code: string
  readonly status: number
  constructor(code: string, status: number) {
    super(code)
    this.code = code
    this.status = status
  }
}

export class BucketContent {
  readonly objects = new Map<string, BucketObject>()
  readonly uploads = new Map<string, OpenUpload>()

  put(key: string, data: Buffer): BucketObject {
    const object = { data, etag: etagOf(data), modified: new Date(), checksum: crcOf(data) }
    this.objects.set(key, object)
    return object
  }

  get(key: string): BucketObject {
    const object = this.objects.get(key)
    if (!object) throw new Refusal('NoSuchKey', 404)
    return object
  }

  begin(key: string): string {
    const id = randomUUID()
    this.uploads.set(id, { key, initiated: new Date(), parts: new Map() })
    return id
  }

  upload(id: string): OpenUpload {
    const upload = this.uploads.get(id)
    if (!upload) throw new Refusal('NoSuchUpload', 404)
    return upload
  }

  putPart(id: string, number: number, data: Buffer): PartOfUpload {
    const part = { data, etag: etagOf(data), checksum: crcOf(data) }
    this.upload(id).parts.set(number, part)
    return part
  }

  /** `asked`: the request's list of parts; `checksum`: of the whole, as the request says it. */
  complete(id: string, asked: string, checksum: string): BucketObject {
    const { key, parts } = this.upload(id)
    const named = [...asked.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, text = '']) => ({
      number: Number(tagIn(text, 'PartNumber')),
      etag: tagIn(text, 'ETag').replaceAll('&quot;', '"'),
      checksum: tagIn(text, 'ChecksumCRC32'),
    }))
    const found = named.map(({ number, etag, checksum: said }, at) => {
      const part = parts.get(number)
      if (number <= (named[at - 1]?.number ?? 0)) throw new Refusal('InvalidPartOrder', 400)
      if (!part || part.etag !== etag || part.checksum !== said) throw new Refusal('InvalidPart', 400)
      if (at < named.length - 1 && part.data.length < smallestPart) throw new Refusal('EntityTooSmall', 400)
      return part.data
    })
    if (found.length === 0) throw new Refusal('MalformedXML', 400)
    const data = Buffer.concat(found)
    if (checksum !== crcOf(data)) throw new Refusal('BadDigest', 400)
    this.uploads.delete(id)
    return this.put(key, data)
  }
}

const etagOf = (data: Buffer) => `"${createHash('md5').update(data).digest('hex')}"`
const tagIn = (text: string, tag: string) => new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(text)?.[1] ?? ''
