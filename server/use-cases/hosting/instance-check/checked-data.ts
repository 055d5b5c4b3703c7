/** Reads the data of the checked instance and computes digests of it, and stores a copy of it in a file. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { contractPaths, dataType } from '#server/drivers/hosting/control/contract.ts'
import { defaultExchangeTimes, readChunks } from '#server/drivers/hosting/control/exchange.ts'
import { formatData, LineError, maxLineBytes, parseData, splitLines } from '#server/drivers/hosting/data-lines.ts'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import {
  type CheckClient,
  RequirementError,
  requireStatus,
} from '#server/use-cases/hosting/instance-check/check-client.ts'

export interface DataSummary {
  /** SHA-256 of the bytes as they arrived, as hex. */
  digest: string
  /** SHA-256 of the same data as the portal would write it. */
  formattedDigest: string
  tableCount: number
  rowCount: number
  byteCount: number
}

/** Reads all data, and copies its bytes to a new file if `copyPath` is set. Throws RequirementError if it is not valid and complete. */
export async function readCheckedData(client: CheckClient, copyPath?: string): Promise<DataSummary> {
  const response = await client.open({ method: 'GET', path: contractPaths.data })
  const { statusCode = 0, headers } = response
  if (statusCode !== 200)
    requireStatus(
      await client.readResponse(`GET ${contractPaths.data}`, response),
      200,
      'answer with the lines of the data',
    )
  const [contentType = ''] = (headers['content-type'] ?? '').toLowerCase().split(';', 1)
  if (contentType.trim() !== dataType) {
    response.destroy()
    throw new RequirementError('wrong', {
      expected: `the content type ${dataType}`,
      actual: contentType === '' ? 'none' : contentType,
      advice: 'set the header content-type of the data',
    })
  }
  const summary = { tableCount: 0, rowCount: 0, byteCount: 0 }
  const [hash, formattedHash] = [createHash('sha256'), createHash('sha256')]
  const copy = copyPath === undefined ? null : await open(copyPath, 'wx', 0o600)
  try {
    const bytes = observe(readChunks(response, defaultExchangeTimes.silenceMs), async (chunk) => {
      hash.update(chunk)
      summary.byteCount += chunk.length
      await copy?.write(chunk)
    })
    const pieces = observe(parseData(bytes), async (piece) => {
      requireUniqueNames(piece)
      if (piece.kind === 'table') summary.tableCount++
      if (piece.kind === 'rows') summary.rowCount += piece.rows.length
    })
    for await (const chunk of formatData(pieces)) formattedHash.update(chunk)
  } catch (error) {
    if (!(error instanceof LineError)) throw error
    throw new RequirementError('wrong', {
      expected: 'lines of data that end with {"end":[...]}',
      actual: error.message,
      advice: 'write the lines as docs/instance.md describes them',
    })
  } finally {
    await copy?.close()
  }
  return { ...summary, digest: hash.digest('hex'), formattedDigest: formattedHash.digest('hex') }
}

function requireUniqueNames(piece: DataPiece): void {
  if (piece.kind !== 'table') return
  const names = new Set(piece.columns.map(({ name }) => name))
  if (names.size !== piece.columns.length)
    throw new LineError(`two columns of the table ${piece.name} have the same name`)
}

async function* observe<T>(items: AsyncIterable<T>, onItem: (item: T) => Promise<void>): AsyncGenerator<T> {
  for await (const item of items) {
    await onItem(item)
    yield item
  }
}

/** Yields the lines of a copy of the data. */
export const readCopyLines = (path: string): AsyncGenerator<string> =>
  splitLines(createReadStream(path) as AsyncIterable<Buffer>, maxLineBytes)

/** Converts lines to the body of a request. */
export async function* encodeLines(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const line of lines) yield Buffer.from(`${line}\n`)
}
