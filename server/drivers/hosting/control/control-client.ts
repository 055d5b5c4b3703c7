/** Client of the control endpoint of an instance (docs/instance.md). The token is in no message. */
import type { IncomingMessage } from 'node:http'
import { contractPaths, contractVersion, dataType, isDraftId } from '#server/drivers/hosting/control/contract.ts'
import { createContractError, readRefusal, toUnreachableError } from '#server/drivers/hosting/control/control-errors.ts'
import {
  defaultExchangeTimes,
  type ExchangeRequest,
  type ExchangeTimes,
  openExchange,
  readChunks,
  readShortBody,
} from '#server/drivers/hosting/control/exchange.ts'
import {
  checkPackage,
  isPackageHash,
  listPackages,
  type PackageFile,
  readPackage,
} from '#server/drivers/hosting/control/load-packages.ts'
import { formatData, LineError, parseData } from '#server/drivers/hosting/data-lines.ts'
import {
  type DataPiece,
  HostingError,
  type HostingFault,
  type InstanceApp,
} from '#server/drivers/hosting/hosting-driver.ts'

export interface ControlTarget {
  /** Like http://10.0.0.5:32768. */
  url: string
  token: string
}

export interface InstanceInfo {
  contract: number
  name: string
  version: string
  storage: 'folder' | 'database'
}

/** All errors are HostingErrors. */
export interface InstanceControl {
  readInfo(): Promise<InstanceInfo>
  /** Returns false if the instance does not answer. */
  isHealthy(): Promise<boolean>
  setAdminPassword(password: string): Promise<void>
  /** Throws `bad_data` or `unreachable` if the data is not complete. So the pieces are valid only after the end was reached. */
  readData(): AsyncGenerator<DataPiece>
  /** Returns the id of the draft. Rethrows the errors of `pieces`; no draft remains then. */
  createDraft(pieces: AsyncIterable<DataPiece>): Promise<string>
  activateDraft(id: string): Promise<void>
  removeDraft(id: string): Promise<void>
  eraseData(): Promise<void>
  /** Sends the packages that the instance does not have. Throws `bad_package` if a file is missing or differs from the published package. */
  loadPackages(apps: readonly InstanceApp[]): Promise<void>
  /** Removes all other packages. */
  keepPackages(sha256s: readonly string[]): Promise<void>
}

/** Times in ms, also documented in docs/instance.md. */
export interface ControlTimes extends ExchangeTimes {
  /** Limit for the check of a draft, after its last byte was sent. */
  checkMs: number
  /** Limit for the activation of a draft and for the deletion of the data. */
  changeMs: number
}

const defaultTimes: ControlTimes = { ...defaultExchangeTimes, checkMs: 30 * 60_000, changeMs: 10 * 60_000 }

const maxResponseBytes = 1_000_000
const healthMs = 5_000
const maxPasswordBytes = 4_096

interface ControlCall extends ExchangeRequest {
  expectedStatus: number
  contentFaults?: Readonly<Record<number, HostingFault>>
}

/** Does not connect yet. */
export const openControl = (
  target: ControlTarget,
  { times = {} }: { times?: Partial<ControlTimes> } = {},
): InstanceControl => new ControlClient(target, { ...defaultTimes, ...times })

class ControlClient implements InstanceControl {
  readonly #target: ControlTarget
  readonly #times: ControlTimes

  constructor(target: ControlTarget, times: ControlTimes) {
    this.#target = target
    this.#times = times
  }

  async readInfo(): Promise<InstanceInfo> {
    return parseInfo(await this.#receiveJson(contractPaths.root))
  }

  async isHealthy(): Promise<boolean> {
    try {
      const request = { method: 'GET', path: contractPaths.health, responseMs: healthMs }
      const response = await openExchange(this.#target.url, request, this.#times)
      response.destroy()
      return response.statusCode === 200
    } catch {
      return false
    }
  }

  async setAdminPassword(password: string): Promise<void> {
    const body = encodeJson({ password })
    if (body.length > maxPasswordBytes) throw new HostingError('bad_data', 'the password has more than 4 KB')
    await this.#send({ method: 'PUT', path: contractPaths.password, headers: jsonHeaders, body })
  }

  async *readData(): AsyncGenerator<DataPiece> {
    try {
      const response = await this.#open({ method: 'GET', path: contractPaths.data, expectedStatus: 200 })
      requireDataType(response)
      yield* parseData(readChunks(response, this.#times.silenceMs))
    } catch (error) {
      throw toDataError(error)
    }
  }

  async createDraft(pieces: AsyncIterable<DataPiece>): Promise<string> {
    const source = createSource(pieces)
    const call: ControlCall = {
      method: 'POST',
      path: contractPaths.drafts,
      headers: { 'content-type': dataType },
      body: source.withEnd(formatData(source.pieces)),
      responseMs: this.#times.checkMs,
      expectedStatus: 201,
      contentFaults: { 422: 'bad_data' },
    }
    try {
      const draft = parseDraftId(parseJson(await this.#readBody(await this.#open(call)), call.path))
      if (source.wasSent()) return draft
      await this.removeDraft(draft).catch(() => undefined)
      throw createContractError('it accepted data before it had received all of it')
    } catch (error) {
      const failure = source.getFailure()
      throw failure === null ? toDataError(error) : failure.error
    }
  }

  async activateDraft(id: string): Promise<void> {
    const path = `${contractPaths.drafts}/${requireDraftId(id)}/activate`
    await this.#send({ method: 'POST', path, responseMs: this.#times.changeMs, contentFaults: { 404: 'bad_data' } })
  }

  async removeDraft(id: string): Promise<void> {
    await this.#send({ method: 'DELETE', path: `${contractPaths.drafts}/${requireDraftId(id)}` })
  }

  async eraseData(): Promise<void> {
    await this.#send({ method: 'DELETE', path: contractPaths.data, responseMs: this.#times.changeMs })
  }

  async loadPackages(apps: readonly InstanceApp[]): Promise<void> {
    const files = listPackages(apps)
    if (files.length === 0) return
    const loadedHashes = new Set(parseHashes(await this.#receiveJson(contractPaths.packages)))
    for (const file of files) if (!loadedHashes.has(file.sha256)) await this.#sendPackage(file)
  }

  async #sendPackage(file: PackageFile): Promise<void> {
    const size = await checkPackage(file)
    await this.#send({
      method: 'PUT',
      path: `${contractPaths.packages}/${file.sha256}`,
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
      body: readPackage(file.path),
      contentFaults: { 413: 'bad_package', 422: 'bad_package' },
    })
  }

  async keepPackages(sha256s: readonly string[]): Promise<void> {
    const request = { method: 'POST', path: contractPaths.keepPackages, headers: jsonHeaders }
    await this.#send({ ...request, body: encodeJson(sha256s) })
  }

  /** Returns the response if it has the expected status. */
  async #open({ expectedStatus, contentFaults = {}, ...request }: ControlCall): Promise<IncomingMessage> {
    const { url, token } = this.#target
    const headers = { ...request.headers, authorization: `Bearer ${token}` }
    const response = await openExchange(url, { ...request, headers }, this.#times)
    if (response.statusCode === expectedStatus) return response
    throw await readRefusal(response, { call: `${request.method} ${request.path}`, token, contentFaults })
  }

  #readBody(response: IncomingMessage): Promise<string> {
    return readShortBody(response, { maxBytes: maxResponseBytes, limitMs: this.#times.silenceMs })
  }

  /** Sends a call that answers without content. */
  async #send(call: Omit<ControlCall, 'expectedStatus'>): Promise<void> {
    await withHostingErrors(async () => await this.#readBody(await this.#open({ ...call, expectedStatus: 204 })))
  }

  async #receiveJson(path: string): Promise<unknown> {
    const call = { method: 'GET', path, expectedStatus: 200 }
    return await withHostingErrors(async () => parseJson(await this.#readBody(await this.#open(call)), path))
  }
}

const jsonHeaders = { 'content-type': 'application/json' }

const encodeJson = (value: unknown) => Buffer.from(JSON.stringify(value))

async function withHostingErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toUnreachableError(error)
  }
}

const toDataError = (error: unknown): HostingError =>
  error instanceof LineError
    ? new HostingError('bad_data', `the data is not valid: ${error.message}`, { cause: error })
    : toUnreachableError(error)

/**
 * Remembers an error of the pieces, so that it is not reported as an error of the connection, and whether everything was sent. A response can
 * begin before that, and incomplete data must never replace the present data.
 */
function createSource(pieces: AsyncIterable<DataPiece>) {
  let failure: { error: unknown } | null = null
  let isSent = false
  return {
    wasSent: () => isSent,
    async *withEnd(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      yield* bytes
      isSent = true
    },
    getFailure: () => failure,
    pieces: (async function* readPieces(): AsyncGenerator<DataPiece> {
      try {
        yield* pieces
      } catch (error) {
        failure = { error }
        throw error
      }
    })(),
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw createContractError(`the response of ${path} is not JSON`, { cause })
  }
}

function parseInfo(value: unknown): InstanceInfo {
  const { contract, name, version, storage } = toRecord(value)
  if (Number.isSafeInteger(contract) && contract !== contractVersion)
    throw createContractError(`it has version ${String(contract)} of the contract; this portal needs version 1`)
  const isValid = contract === contractVersion && isShortText(name) && isShortText(version)
  if (!isValid || (storage !== 'folder' && storage !== 'database'))
    throw createContractError(
      `the response of ${contractPaths.root} must have contract 1, name, version and storage "folder" or "database"`,
    )
  return { contract: contractVersion, name, version, storage }
}

const isShortText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= 200

const toRecord = (value: unknown) =>
  (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>

function requireDataType(response: IncomingMessage): void {
  const contentType = response.headers['content-type'] ?? ''
  if (contentType.toLowerCase().split(';', 1)[0]?.trim() === dataType) return
  response.destroy()
  throw createContractError(`the data has the content type "${contentType.slice(0, 100)}" instead of ${dataType}`)
}

function parseDraftId(value: unknown): string {
  const { draft } = toRecord(value)
  if (isDraftId(draft)) return draft
  throw createContractError('the id of a draft must have 1 to 100 letters, digits, hyphens or underscores')
}

function requireDraftId(id: string): string {
  if (isDraftId(id)) return id
  throw new HostingError('bad_data', 'the id of the draft is invalid')
}

function parseHashes(value: unknown): string[] {
  if (Array.isArray(value) && value.every(isPackageHash)) return value
  throw createContractError('the list of packages must be an array of SHA-256 in lower-case hex')
}
