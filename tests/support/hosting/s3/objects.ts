/** Stores the objects and unfinished uploads of the test bucket. */
import { createHash, randomUUID } from 'node:crypto'
import { calculateCrc } from '#tests/support/hosting/s3/body.ts'

export interface BucketObject {
  data: Buffer
  etag: string
  modifiedAt: Date
  /** CRC-32 of the complete object. */
  checksum: string
}

interface UploadPart {
  data: Buffer
  etag: string
  checksum: string
}

export interface OpenUpload {
  key: string
  initiatedAt: Date
  parts: Map<number, UploadPart>
}

const minPartBytes = 5 * 2 ** 20

/** Error of a bucket request. Its code is the name of the error in S3. */
export class S3Error extends Error {
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
    const object = { data, etag: calculateEtag(data), modifiedAt: new Date(), checksum: calculateCrc(data) }
    this.objects.set(key, object)
    return object
  }

  get(key: string): BucketObject {
    const object = this.objects.get(key)
    if (!object) throw new S3Error('NoSuchKey', 404)
    return object
  }

  begin(key: string): string {
    const id = randomUUID()
    this.uploads.set(id, { key, initiatedAt: new Date(), parts: new Map() })
    return id
  }

  upload(id: string): OpenUpload {
    const upload = this.uploads.get(id)
    if (!upload) throw new S3Error('NoSuchUpload', 404)
    return upload
  }

  putPart(id: string, number: number, data: Buffer): UploadPart {
    const part = { data, etag: calculateEtag(data), checksum: calculateCrc(data) }
    this.upload(id).parts.set(number, part)
    return part
  }

  /**
   * Completes an upload. `requestXml` is the request's list of parts, `checksum` the checksum of the complete object according to the
   * request.
   */
  complete(id: string, requestXml: string, checksum: string): BucketObject {
    const { key, parts } = this.upload(id)
    const listedParts = [...requestXml.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, text = '']) => ({
      number: Number(readTag(text, 'PartNumber')),
      etag: readTag(text, 'ETag').replaceAll('&quot;', '"'),
      checksum: readTag(text, 'ChecksumCRC32'),
    }))
    const partData = listedParts.map(({ number, etag, checksum: claimedChecksum }, index) => {
      const part = parts.get(number)
      if (number <= (listedParts[index - 1]?.number ?? 0)) throw new S3Error('InvalidPartOrder', 400)
      if (!part || part.etag !== etag || part.checksum !== claimedChecksum) throw new S3Error('InvalidPart', 400)
      if (index < listedParts.length - 1 && part.data.length < minPartBytes) throw new S3Error('EntityTooSmall', 400)
      return part.data
    })
    if (partData.length === 0) throw new S3Error('MalformedXML', 400)
    const data = Buffer.concat(partData)
    if (checksum !== calculateCrc(data)) throw new S3Error('BadDigest', 400)
    this.uploads.delete(id)
    return this.put(key, data)
  }
}

const calculateEtag = (data: Buffer) => `"${createHash('md5').update(data).digest('hex')}"`
const readTag = (text: string, tag: string) => new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(text)?.[1] ?? ''
