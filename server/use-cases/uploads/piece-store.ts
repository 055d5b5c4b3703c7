/**
 * Lets tus store uploads as pieces in a bucket (upload-pieces.ts). `@tus/s3-store` is not used: it deletes the last bytes that were
 * acknowledged before it writes them again, so a kill or a cut connection loses them (decision 95).
 */
import type { Readable } from 'node:stream'
import { DataStore, ERRORS, Upload } from '@tus/server'
import { readObject, toBody } from '#server/drivers/file-store/bodies.ts'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import {
  buildInfoKey,
  countBytes,
  listPieces,
  removePieces,
  writePieces,
} from '#server/use-cases/uploads/upload-pieces.ts'

/** Facts that tus passes to `create` and needs again for each piece. */
type UploadInfo = Omit<ConstructorParameters<typeof Upload>[0], 'id' | 'offset'>

export class PieceStore extends DataStore {
  override extensions = ['creation', 'creation-with-upload', 'termination']
  readonly #files: FileStore
  constructor(files: FileStore) {
    super()
    this.#files = files
  }

  override async create(upload: Upload): Promise<Upload> {
    const { id, offset: _, ...info } = upload
    await this.#files.put(buildInfoKey(id), toBody(JSON.stringify(info)))
    return upload
  }

  override write(stream: Readable, id: string, offset: number): Promise<number> {
    return writePieces(this.#files, id, offset, stream)
  }

  override async getUpload(id: string): Promise<Upload> {
    const info = await this.#readInfo(id)
    return new Upload({ ...info, id, offset: countBytes(await listPieces(this.#files, id)) })
  }

  override remove(id: string): Promise<void> {
    return removePieces(this.#files, id)
  }

  async #readInfo(id: string): Promise<UploadInfo> {
    try {
      return JSON.parse(String(await readObject(this.#files, buildInfoKey(id)))) as UploadInfo
    } catch (error) {
      if (error instanceof StoreError && error.fault === 'missing') throw ERRORS.FILE_NOT_FOUND
      throw error
    }
  }
}
