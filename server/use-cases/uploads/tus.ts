/** Handles resumable uploads of packages: the tus protocol (1.0) with the portal's file store, rows and locks. */
import { FileStore } from '@tus/file-store'
import { type DataStore, Server } from '@tus/server'
import type { Caller } from '#domain/access.ts'
import { mappLimits } from '#domain/catalogue/mapp.ts'
import type { AppContext } from '#server/context/context.ts'
import {
  createNotFoundProblem,
  ProblemError,
  createUnavailableProblem,
  createValidationProblem,
} from '#server/problems/problem-error.ts'
import { UploadLocker } from '#server/use-cases/uploads/upload-lock.ts'
import { toFileProblem } from '#server/use-cases/uploads/file-problems.ts'
import { PieceStore } from '#server/use-cases/uploads/piece-store.ts'
import { createUploadFolder, requireFileSpace, tusPath } from '#server/use-cases/uploads/upload-files.ts'
import {
  startUpload,
  findUpload,
  forgetUpload,
  readUpload,
  requireMappName,
} from '#server/use-cases/uploads/uploads.ts'

export interface TusCall {
  caller: Caller
  requestId: string
  method: 'POST' | 'HEAD' | 'PATCH' | 'DELETE'
  id: string | null
  headers: Headers
  body: ReadableStream | null
}

export type TusServer = (call: TusCall) => Promise<Response>

/** Returns a function that handles one request. Every refusal is thrown as a problem. */
export function createTusServer(app: AppContext): TusServer {
  const calls = new WeakMap<object, TusCall>()
  const getCall = (request: object): TusCall => {
    const call = calls.get(request)
    if (!call) throw new Error('the request is unknown to the upload server')
    return call
  }
  /** Errors of the portal's hooks by request, because tus can return only responses and no problems. */
  const problems = new WeakMap<object, unknown>()
  const locker = new UploadLocker(app)
  let server: Promise<Server> | undefined

  const createServer = async () =>
    new Server({
      path: tusPath,
      relativeLocation: true,
      maxSize: mappLimits.packed,
      datastore: await createDatastore(app),
      locker,
      async onUploadCreate(request, { id, size, metadata }) {
        const name = metadata?.filename ?? ''
        requireMappName(name)
        await startUpload(app, getCall(request).caller, { id, name, size: size ?? 0 })
        return { metadata: { filename: name } }
      },
      async onUploadFinish(request, { id }) {
        const { caller, requestId } = getCall(request)
        const upload = await findUpload(app, caller, id)
        // The bytes are stored. If reading fails here, it is repeated when the uploads are listed.
        if (upload)
          await readUpload(app, caller, upload, requestId).catch((error: unknown) =>
            app.log.error(
              { event: 'package_read_failed', err: error, upload: id },
              'could not read an uploaded package',
            ),
          )
        return {}
      },
      onResponseError(request, error) {
        problems.set(request, error)
        return undefined
      },
    })

  return async (call) => {
    const { method, id, headers, caller } = call
    if (id !== null && !(await findUpload(app, caller, id))) throw createNotFoundProblem()
    if (id !== null && method === 'DELETE') return deleteUpload(app, locker, caller, id)
    // A bucket reports itself when it is full.
    if (app.files.location.kind === 'folder') await requireFileSpace(app, Number(headers.get('content-length') ?? 0))
    // The length is required at the start, because otherwise the limit could not be checked.
    if (method === 'POST' && !headers.has('upload-length')) throw createRequiredError('Upload-Length')
    const { body } = call
    const request = new Request(`http://portal${tusPath}${id === null ? '' : `/${id}`}`, {
      method,
      headers,
      ...(body === null ? {} : { body, duplex: 'half' }),
    } as RequestInit)
    calls.set(request, call)
    server ??= createServer()
    const response = await (await server).handleWeb(request)
    if (response.status < 400) return response
    const problem = toFileProblem(app, problems.get(request))
    throw problem instanceof ProblemError ? problem : await toProblem(app, response.status)
  }
}

const createDatastore = async (app: AppContext): Promise<DataStore> =>
  app.files.location.kind === 'folder'
    ? new FileStore({ directory: await createUploadFolder(app) })
    : new PieceStore(app.files)

const createRequiredError = (field: string) => createValidationProblem([{ field, code: 'REQUIRED' }])

async function deleteUpload(app: AppContext, locker: UploadLocker, caller: Caller, id: string): Promise<Response> {
  const lock = locker.newLock(id)
  await lock.lock(new AbortController().signal, () => undefined)
  try {
    await forgetUpload(app, caller, id)
  } finally {
    await lock.unlock()
  }
  return new Response(null, { status: 204, headers: { 'tus-resumable': '1.0.0' } })
}

async function toProblem(app: AppContext, status: number): Promise<ProblemError> {
  if (status === 404) return createNotFoundProblem()
  if (status === 409) return new ProblemError('STATE_CONFLICT', { why: 'offset' })
  if (status === 410) return new ProblemError('GONE')
  if (status === 413) return new ProblemError('TOO_LARGE')
  if (status === 415) return new ProblemError('UNSUPPORTED_TYPE')
  if (status === 501) return new ProblemError('NOT_SUPPORT')
  if (status < 500) return createValidationProblem([])
  // Writing may have failed because the disk is full.
  if (app.files.location.kind === 'folder') await requireFileSpace(app, 0)
  return createUnavailableProblem(5)
}
